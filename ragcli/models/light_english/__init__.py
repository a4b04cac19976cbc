"""The built-in English pipeline in NumPy; ``pipeline`` is the line, every other module a step."""

from ragcli.models.light_english.pipeline import LightEnglish

__all__ = ["LightEnglish"]
