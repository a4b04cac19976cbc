"""The built-in English pipeline in NumPy.

In: a text and the weights of ``models/english``. Out: names and nouns with offsets and lemmas, the
same for a text wherever it is. ``pipeline`` runs the steps in the other modules. It may not import
spaCy or torch.
"""

from ragcli.models.light_english.pipeline import LightEnglish

__all__ = ["LightEnglish"]
