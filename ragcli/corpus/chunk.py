"""Cuts a document into chunks and passages, at places that are stable under edits.

Cuts are content-defined. Among the seams in the last part of the allowed size, the cut is at the
strongest; among equally strong seams, at the one whose sentence has the smallest hash. So the
place of a cut depends on the text around it, and hardly on where the chunk began. After an edit
near the start of a document, the cuts soon return to their former seams, and later chunks do not
change.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeVar

import numpy as np

from ragcli.corpus.blocks import blocks_of
from ragcli.corpus.normalised_text import line_of, page_breaks, page_of
from ragcli.corpus.units import Offsets, Seam, Units, token_starts, units_of
from ragcli.errors import ConfigError
from ragcli.text.spans import index_at
from ragcli.types import Chunk, ParsedDocument, Passage
from ragcli.types.blocks import KINDS, FlatBlock, flat

_Mark = TypeVar("_Mark")
_EVERYWHERE = ("head", "lead")
_PASSAGE_SLACK = 0.4
_PASSAGE_EXCESS = 1.25
"""A passage may exceed its size by this factor to keep a sentence whole or to include a short
remainder."""


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """Sizes and overlaps of chunks and passages, in tokens.

    ``slack`` is the share of a chunk's size, at its end, in which the best seam is chosen.
    Raises ConfigError when a size is not positive or an overlap is more than half of it.
    """

    size: int = 1200
    overlap: int = 100
    passage: int = 200
    passage_overlap: int = 40
    slack: float = 0.40

    def __post_init__(self) -> None:
        for size, overlap in ((self.size, self.overlap), (self.passage, self.passage_overlap)):
            if size < 1 or not 0 <= overlap <= size / 2:
                raise ConfigError(
                    f"an overlap of {overlap} tokens is not possible with a size of {size}",
                    "choose an overlap between 0 and half of the size",
                )
        if not 0 < self.slack < 1:
            raise ConfigError(f"the slack is {self.slack}, expected a number between 0 and 1")


def chunk(
    document: ParsedDocument, offsets: Offsets, settings: ChunkSettings | None = None
) -> tuple[Chunk, ...]:
    """Return the chunks of ``document`` in order; none if the text is only whitespace.

    ``offsets`` is the tokenizer that measures sizes. The owned parts of the chunks tile the text.
    Each chunk has at most ``settings.size`` tokens, and each passage at most 1.25 times
    ``settings.passage``. A token of more than 24 characters counts several times (``units``),
    which also limits the characters of a chunk.
    """
    settings = settings or ChunkSettings()
    if not document.text.strip():
        return ()
    starts = token_starts(document.text, offsets)
    limit = min(int(settings.passage * _PASSAGE_EXCESS), settings.size)
    units = units_of(document, starts, limit)
    heading_starts, heading_paths = _heading_paths(document)
    headings = list(zip(heading_starts, heading_paths[1:], strict=True))
    breaks = page_breaks(document)
    lines = _line_marks(document)
    windows = list(_windows(units, settings))
    blocks = _blocks(document, [units.spans[owned][0] for _, owned, _ in windows])
    chunks: list[Chunk] = []
    for first, owned, last in windows:
        start = 0 if first == 0 else units.spans[first][0]
        end = len(units.text) if last == len(units.spans) else units.spans[last][0]
        begins = 0 if owned == 0 else units.spans[owned][0]
        chunks.append(
            Chunk(
                id=f"{document.id}@{len(chunks)}",
                doc=document.id,
                ordinal=len(chunks),
                start=start,
                end=end,
                owned=begins,
                line_start=line_of(document, start),
                line_end=line_of(document, units.spans[last - 1][1] - 1),
                heading=heading_paths[bisect_right(heading_starts, units.spans[owned][0])],
                text=units.text[start:end],
                tokens=int(np.diff(np.searchsorted(starts, (start, end)))[0]),
                passages=tuple(_passages(units, first, owned, last, settings)),
                page=page_of(breaks, start),
                headings=_between(headings, begins, end),
                lines=_between(lines, begins, end),
                blocks=tuple(blocks[len(chunks)]),
            )
        )
    return tuple(chunks)


def _between(
    marks: Sequence[tuple[int, _Mark]], start: int, end: int
) -> tuple[tuple[int, _Mark], ...]:
    """Those of the rising (offset, mark) whose offset is in ``[start:end]``."""
    first, last = (bisect_left(marks, at, key=itemgetter(0)) for at in (start, end))
    return tuple(marks[first:last])


def _blocks(document: ParsedDocument, owned: list[int]) -> list[list[FlatBlock]]:
    """The blocks of each owned part, given where it begins: all with a character in it, and the
    head and the lead of a block in every part that it has a character in."""
    found: list[list[FlatBlock]] = [[] for _ in owned]
    around: list[tuple[int, int, bool]] = []  # of each outer block: first and last part, everywhere
    for row in flat(blocks_of(document)):
        depth, kind, start, end = row
        del around[depth:]
        everywhere = depth > 0 and (around[-1][2] or KINDS[kind] in _EVERYWHERE)
        first, last = index_at(owned, start), index_at(owned, max(start, end - 1))
        if everywhere:
            first, last, _ = around[-1]
        around.append((first, last, everywhere))
        for part in found[first : last + 1]:
            part.append(row)
    return found


def _line_marks(document: ParsedDocument) -> list[tuple[int, int]]:
    """(offset, line) at which the lines of the file begin; [] if they are the lines of the text."""
    starts, text = document.line_starts, document.text
    equal = len(set(starts)) == len(starts) == text.count("\n") + 1
    if len(starts) < 2 or (equal and all(text[at - 1] == "\n" for at in starts[1:])):
        return []
    # Of lines that begin at one place, those without text, the last has the text.
    return list({at: document.first_line + i for i, at in enumerate(starts)}.items())


def _heading_paths(document: ParsedDocument) -> tuple[list[int], list[str]]:
    """Return the offsets of the headings, and the heading path before and after each of them.

    A path begins with the outermost heading: "Guide > Roads". There is one more path than offsets.
    """
    starts, paths = [], [""]
    above: list[tuple[int, str]] = []
    for start, level, title in document.headings:
        above = [*(outer for outer in above if outer[0] < level), (level, title)]
        starts.append(start)
        paths.append(" > ".join(name for _, name in above if name))
    return starts, paths


def _windows(units: Units, settings: ChunkSettings) -> Iterator[tuple[int, int, int]]:
    """Yield for each chunk the seams at which overlap, owned part and the next chunk begin."""
    owned, end = 0, len(units.spans)
    while owned < end:
        first = units.back(owned, settings.overlap)
        if units.tokens(first, owned + 1) > settings.size:
            first = owned
        last = _cut(units, first, owned, end, settings.size, settings.slack)
        yield first, owned, last
        owned = last


def _passages(
    units: Units, lowest: int, owned: int, end: int, settings: ChunkSettings
) -> Iterator[Passage]:
    """Yield the passages that cover a chunk's units from ``owned`` to ``end``.

    The first may begin in the overlap, but not before ``lowest``, the start of the chunk.
    """
    size, most = settings.passage, int(settings.passage * _PASSAGE_EXCESS)
    while owned < end:
        first = max(units.back(owned, settings.passage_overlap), lowest)
        if units.tokens(first, owned + 1) > size:
            first = owned
        last = _cut(units, first, owned, end, size, _PASSAGE_SLACK)
        if units.tokens(last, end) < size / 4 and units.tokens(first, end) <= most:
            last = end
        yield Passage(units.spans[first][0], units.spans[last - 1][1])
        owned = last


def _cut(units: Units, first: int, owned: int, end: int, size: int, slack: float) -> int:
    """Return the seam at which a chunk or passage from ``first`` ends.

    The seam is after ``owned`` and at most ``end``.
    """
    latest = max(units.reach(first, size), owned + 1)
    if latest >= end:
        return end
    earliest = units.reach(first, (1 - slack) * size - 1) + 1
    window = range(min(max(earliest, owned + 1), latest), latest + 1)
    best = max(units.seams[seam] for seam in window)
    if best < Seam.SENTENCE:
        earlier = _earlier(units, owned, window.start, units.reach(first, size / 2), best)
        if earlier is not None:
            return earlier
    return min(
        (seam for seam in window if units.seams[seam] == best),
        key=lambda seam: (units.hash(seam), -seam),
    )


def _earlier(units: Units, owned: int, start: int, half: int, best: int) -> int | None:
    """Return a seam before ``start`` that is better than ``best``, the best one after it, if any.

    A code block or sentence longer than the window stays whole if at least half of the size
    remains in front of it. A heading always stays with its text.
    """
    for seam in range(start - 1, max(owned, half), -1):
        if units.seams[seam] >= Seam.SENTENCE:
            return seam
    if best > Seam.HEADED:
        return None
    return next((at for at in range(start - 1, owned, -1) if units.seams[at] > best), None)
