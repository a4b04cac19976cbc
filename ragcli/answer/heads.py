"""What the documents of some parts are about: their paths, titles and first characters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.types import Part

_PATH_MARKS = re.compile(r"[/_.-]")


def path_words(doc: str) -> str:
    """The id of a document as words.

    >>> path_words("guides/ysolde-hut_2023.md")
    'guides ysolde hut 2023 md'
    """
    return _PATH_MARKS.sub(" ", doc)


def document_heads(parts: Sequence[Part], chars: int) -> dict[str, str]:
    """For each document, its path, its title and its first ``chars`` characters, as far as the
    parts have them."""
    heads: dict[str, str] = {}
    for part in parts:
        begin = part.text[: max(0, chars - part.start)]
        heads[part.doc] = f"{heads.get(part.doc, '')} {path_words(part.doc)} {part.title} {begin}"
    return heads
