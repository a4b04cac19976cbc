"""The texts that are embedded for passages and summaries."""

from __future__ import annotations


def embedded_text(title: str, heading: str, text: str) -> str:
    """The text for the embedder: title and heading first, unless the text begins with them.

    >>> embedded_text("Ferries", "", "The ferry sails.")
    'Ferries\\nThe ferry sails.'
    """
    above = [t for t in dict.fromkeys((title, heading)) if t and t not in text[: 2 * len(t) + 8]]
    return "\n".join((*above, text))
