"""Mentions by an English pipeline: names whole, with their label, other nouns by their lemma.

Each text is analysed by itself: in a batch with others the last bits of a score may differ, and
then the same text could be read differently in another run.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from ragcli.models.reading import Named, Noun, Read
from ragcli.types import Extraction, Mention

Splitter = Callable[[str], Sequence[tuple[int, int]]]

# Code, addresses and markup hold no names worth having; blanked out, offsets stay as they are.
# Without the look behind, a mail address would be looked for from each letter of a long run anew;
# it can begin only where a run or, after other noise, its rest begins.
_NOISE = re.compile(
    r"^(```|~~~).*?(?:^\1[`~]*\s*$|\Z)|`[^`\n]+`"
    r"|https?://\S+|(?<![^\s*_|`~])\S+@\S+\.\w+|^[ \t]*#+[ \t]|[*_|]{1,3}",
    re.MULTILINE | re.DOTALL,
)
_EDGES = " \t\n\r\"'“”‘’()[]{}<>.,;:!?*_#|-–—"
_ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")
# Trained on sentences, so it takes a rare all-capital line for one long name.
MAX_NAME_WORDS = 8


class Extractor:
    """Extracts with an English pipeline; sentences come from ``split``, not from the pipeline."""

    def __init__(self, read: Read, split: Splitter) -> None:
        self._read = read
        self._split = split

    def __call__(self, text: str) -> Extraction:
        """Mentions of ``text`` in order of offset."""
        reading = self._read(blank_noise(text))
        starts = [start for start, _ in self._split(text)]
        names = [m for named in reading.names if (m := _name(text, named, starts))]
        nouns = [_noun(noun, starts) for noun in reading.nouns if _counts(noun.text)]
        return Extraction(tuple(sorted(names + nouns, key=lambda m: (m.start, m.end))))


def blank_noise(text: str) -> str:
    """Replace code, addresses and markup by as many spaces; line breaks stay."""
    return _NOISE.sub(lambda m: "".join(c if c == "\n" else " " for c in m.group()), text)


def _sentence(starts: Sequence[int], offset: int) -> int:
    return max(bisect_right(starts, offset) - 1, 0)


def _name(text: str, named: Named, starts: Sequence[int]) -> Mention | None:
    start, end = trim_name(text, named.start, named.end)
    surface = " ".join(text[start:end].split())
    if not any(c.isalpha() for c in surface) or len(surface.split()) > MAX_NAME_WORDS:
        return None
    return Mention(start, end, surface, surface, named.label, _sentence(starts, start))


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


def _counts(noun: str) -> bool:
    return len(noun) > 1 and any(c.isalpha() for c in noun)


def _noun(noun: Noun, starts: Sequence[int]) -> Mention:
    lemma = (noun.lemma or noun.text).casefold()
    end = noun.start + len(noun.text)
    return Mention(noun.start, end, noun.text, lemma, "", _sentence(starts, noun.start))
