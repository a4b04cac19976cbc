"""Extraction with language models: prompts and grammars out, replies in, findings out.

In: the text of a chunk, then the reply of a model. Out: a prompt with its grammar, then the
findings that the text supports. Everything is pure. ``enriching`` decides when to call the model.
"""
