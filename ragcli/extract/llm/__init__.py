"""Extraction with language models: makes prompts and grammars, reads replies, checks them.

Everything here is pure. The package ``enriching`` decides when to call the model.
"""
