"""Asking: from a question to an answer with citations, once or in a conversation."""
