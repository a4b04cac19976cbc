"""Language models as extractors: prompts and grammars out, replies in, checked against the text.

Everything here is pure; who asks the model, and when, is ``pipeline``'s business.
"""
