"""Splits a document into units, the smallest parts of chunks and passages, and rates the seams.

A unit is a sentence, or a piece of a sentence that is too long. A seam is the place between two
units. For every seam, chunking needs the number of tokens before it and how good a cut it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from math import floor

import numpy as np
from numpy.typing import NDArray

from ragcli.text.sentences import sentences
from ragcli.types import ParsedDocument

Offsets = Callable[[str], Sequence[int] | NDArray[np.int64]]
"""A tokenizer: the ascending start offset, in characters, of each token of a text."""

_NO_WORDS = re.compile(r"[\W_]*\Z")
_BLOCK = 1_000_000
"""Characters per call of the tokenizer. Some tokenizers need more than linear time or memory."""

_LONG_TOKEN = 24
"""Characters that one token may cover, with the white space after it. A longer token counts once
for each such length, so that a tokenizer that reads a thousand letters as one "unknown" token does
not produce chunks of a million characters. No token of the default vocabulary is longer than 18
characters, so this has no effect on ordinary text."""


class Seam(IntEnum):
    """How good a place is for a cut; higher is better."""

    HEADED = -1  # between a heading and its text: only if there is no other way
    INSIDE = 0  # inside a sentence that is too long
    BLOCK = 1  # inside a code block or table
    SENTENCE = 2
    PARAGRAPH = 3
    HEADING = 4  # before a heading, and at the ends of the document


@dataclass(frozen=True, slots=True)
class Units:
    """The n units of a document.

    ``spans[i]`` is the span of unit i. Seam i is the place before unit i, and seam n is the end
    of the document. ``seams``, ``before`` and ``chapter`` have n + 1 entries: the rating of the
    seam, the tokens before the seam, and the first unit of unit i's chapter (level 1 heading).
    """

    text: str
    spans: list[tuple[int, int]]
    seams: list[int]
    before: NDArray[np.int64]
    chapter: NDArray[np.int64]

    def tokens(self, first: int, last: int) -> int:
        """Return the number of tokens from seam ``first`` to seam ``last``."""
        return int(self.before[last] - self.before[first])

    def reach(self, first: int, tokens: float) -> int:
        """Return the last seam with at most ``tokens`` tokens between seam ``first`` and it."""
        # A float here would make NumPy convert all of ``before`` to floats for the comparison.
        most = self.before[first] + floor(tokens)
        return int(np.searchsorted(self.before, most, "right")) - 1

    def back(self, seam: int, tokens: int) -> int:
        """Return the seam at which an overlap of at most ``tokens`` tokens before ``seam`` begins.

        An overlap begins with a sentence or a whole block of the same chapter. If there is none,
        the result is ``seam``.
        """
        low = int(np.searchsorted(self.before, self.before[seam] - tokens, "left"))
        low = max(low, int(self.chapter[seam]))
        return next((at for at in range(low, seam) if self.seams[at] >= Seam.SENTENCE), seam)

    def hash(self, seam: int) -> bytes:
        """Return a hash of 64 bits of the sentence that ends at ``seam``."""
        start, end = self.spans[seam - 1]
        return blake2b(self.text[start:end].encode("utf-8", "replace"), digest_size=8).digest()


def token_starts(text: str, offsets: Offsets) -> NDArray[np.int64]:
    """Return the start offset of each token of ``text``: shape (tokens,), ascending."""
    parts = [np.zeros(0, np.int64)]
    at = 0
    while at < len(text):
        end = min(at + _BLOCK, len(text))
        if end < len(text):  # cut between words, so that no token is split
            end = max(text.rfind("\n", at, end), text.rfind(" ", at, end), at) + 1
            end = end if end > at + 1 else at + _BLOCK
        parts.append(np.asarray(offsets(text[at:end]), np.int64) + at)
        at = end
    return np.concatenate(parts)


def units_of(document: ParsedDocument, starts: NDArray[np.int64], limit: int) -> Units:
    """Cut a document into units of at most ``limit`` tokens; ``starts``: see ``token_starts``."""
    text = document.text
    counted = _counted(starts, len(text))
    spans: list[tuple[int, int]] = []
    seams: list[int] = []
    for start, end in sentences(text):
        gap = text.count("\n", spans[-1][1], start) if spans else 0
        seams.append(Seam.PARAGRAPH if gap > 1 else Seam.SENTENCE)
        for piece in _pieces(text, start, end, counted, limit):
            if piece[0] > start:
                seams.append(Seam.INSIDE)
            spans.append(piece)
    seams.append(Seam.HEADING)
    firsts = np.array([start for start, _ in spans], np.int64)
    _mark_blocks(document, firsts, seams)
    chapter = _mark_headings(document, firsts, seams)
    before = np.searchsorted(counted, np.append(firsts, len(text)))
    before[0] = 0
    return Units(text, spans, seams, before, chapter)


def _counted(starts: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return ``starts`` with further entries inside tokens longer than ``_LONG_TOKEN``."""
    extra = np.diff(starts, append=length) // _LONG_TOKEN
    if not extra.any():
        return starts
    within = [np.arange(1, extra[i] + 1) * _LONG_TOKEN + starts[i] for i in np.flatnonzero(extra)]
    return np.sort(np.concatenate([starts, *within]))


def _pieces(
    text: str, start: int, end: int, counted: NDArray[np.int64], limit: int
) -> Iterator[tuple[int, int]]:
    """Yield a sentence's span, or the spans of pieces of at most ``limit`` tokens.

    A piece ends at a line break in its second half, or else between words, or else between tokens.
    """
    while True:
        first = int(np.searchsorted(counted, start))
        if first + limit >= len(counted) or counted[first + limit] >= end:
            yield start, end
            return
        most = int(counted[first + limit])
        cut = text.rfind("\n", (start + most) // 2, most)
        if cut < 0:
            cut = max(text.rfind(mark, start, most) for mark in " \t\n\u3000")
        if cut <= start:
            cut = most
            while cut > start + 1 and unicodedata.combining(text[cut]):
                cut -= 1
        yield start, start + len(text[start:cut].rstrip())
        start = end - len(text[cut:end].lstrip())


def _mark_blocks(document: ParsedDocument, firsts: NDArray[np.int64], seams: list[int]) -> None:
    """Lower the seams inside protected blocks, except the one before a block's first unit."""
    for start, end in document.protected:
        first, last = np.searchsorted(firsts, (start, end))
        for at in range(first + 1, last):
            seams[at] = min(seams[at], Seam.BLOCK)


def _mark_headings(
    document: ParsedDocument, firsts: NDArray[np.int64], seams: list[int]
) -> NDArray[np.int64]:
    """Raise the seams before headings, and forbid those inside and directly after headings.

    Return ``Units.chapter``.
    """
    chapter = np.zeros(len(seams), np.int64)
    for offset, level, title in document.headings:
        if not title:  # the end of a section
            continue
        first, last = np.searchsorted(firsts, (offset, _heading_end(document.text, offset)))
        if first == last:
            continue
        # A heading directly below another stays with it: "# A" and "## B" are not separated.
        seams[first] = max(seams[first], Seam.HEADING) if seams[first] >= 0 else Seam.HEADED
        seams[first + 1 : last + 1] = [Seam.HEADED] * (last - first)
        if level == 1:
            chapter[first] = first
    seams[0] = seams[-1] = Seam.HEADING
    return np.maximum.accumulate(chapter)


def _heading_end(text: str, offset: int) -> int:
    """Return the end of a heading's line, or of the line below that underlines it."""
    end = text.find("\n", offset)
    if end < 0:
        return len(text)
    below = text.find("\n", end + 1)
    below = below if below >= 0 else len(text)
    return below if _NO_WORDS.match(text, end + 1, below) else end
