"""The built-in English pipeline in NumPy: ``pipeline`` runs the steps in the other modules."""

from ragcli.models.light_english.pipeline import LightEnglish

__all__ = ["LightEnglish"]
