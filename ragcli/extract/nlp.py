"""Mentions by spaCy: names whole, with their label, and the remaining nouns by their lemma.

Each text is analysed by itself: in a batch with others the last bits of a score may differ, and
then the same text could be read differently in another run.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from ragcli.types import Extraction, Mention

Splitter = Callable[[str], Sequence[tuple[int, int]]]

# Code, addresses and markup hold no names worth having; blanked out, offsets stay as they are.
_NOISE = re.compile(
    r"^(```|~~~).*?(?:^\1[`~]*\s*$|\Z)|`[^`\n]+`"
    r"|https?://\S+|\S+@\S+\.\w+|^[ \t]*#+[ \t]|[*_|]{1,3}",
    re.MULTILINE | re.DOTALL,
)
_NOUN_TAGS = frozenset(("NOUN", "PROPN"))
_EDGES = " \t\n\r\"'“”‘’()[]{}<>.,;:!?*_#|-–—"
_ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")
# Trained on sentences, so it takes a rare all-capital line for one long name.
MAX_NAME_WORDS = 8


class SpacyExtractor:
    """Extracts with a loaded spaCy pipeline; sentences come from ``split``, not from spaCy."""

    def __init__(self, pipeline: Any, split: Splitter) -> None:
        self._pipeline = pipeline
        self._split = split

    def __call__(self, text: str) -> Extraction:
        """Mentions of ``text`` in order of offset."""
        doc = self._pipeline(blank_noise(text))
        starts = [start for start, _ in self._split(text)]
        names = [m for ent in doc.ents if (m := _name(text, ent, starts))]
        taken = {i for ent in doc.ents for i in range(ent.start, ent.end)}
        nouns = [_noun(token, starts) for token in doc if token.i not in taken and _is_noun(token)]
        return Extraction(tuple(sorted(names + nouns, key=lambda m: (m.start, m.end))))


def blank_noise(text: str) -> str:
    """Replace code, addresses and markup by as many spaces; line breaks stay."""
    return _NOISE.sub(lambda m: "".join(c if c == "\n" else " " for c in m.group()), text)


def _sentence(starts: Sequence[int], offset: int) -> int:
    return max(bisect_right(starts, offset) - 1, 0)


def _name(text: str, ent: Any, starts: Sequence[int]) -> Mention | None:
    start, end = trim_name(text, ent.start_char, ent.end_char)
    surface = " ".join(text[start:end].split())
    if not any(c.isalpha() for c in surface) or len(surface.split()) > MAX_NAME_WORDS:
        return None
    return Mention(start, end, surface, surface, ent.label_, _sentence(starts, start))


def trim_name(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out a leading article, a possessive ending and stray punctuation at the edges."""
    while True:
        before = (start, end)
        while start < end and text[start] in _EDGES:
            start += 1
        while end > start and text[end - 1] in _EDGES and not _initial(text, start, end):
            end -= 1
        if (match := _ARTICLE.match(text, start, end)) and match.end() < end:
            start = match.end()
        if match := _POSSESSIVE.search(text[start:end]):
            end = start + match.start()
        if (start, end) == before:
            return start, end


def _initial(text: str, start: int, end: int) -> bool:
    """Whether the full stop at the end belongs to an initial or abbreviation ("U.S.", "J. R.")."""
    return text[end - 1] == "." and end - start >= 2 and text[end - 2].isupper()


def _is_noun(token: Any) -> bool:
    text = token.text
    return token.pos_ in _NOUN_TAGS and len(text) > 1 and any(c.isalpha() for c in text)


def _noun(token: Any, starts: Sequence[int]) -> Mention:
    lemma = (token.lemma_ or token.text).casefold()
    end = token.idx + len(token.text)
    return Mention(token.idx, end, token.text, lemma, "", _sentence(starts, token.idx))
