"""Ranks passages by BM25 over several words without scoring every passage that has one of them.

FTS5 scores each match of ``a OR b OR c``; in a large store nearly all matches are those of frequent
words, which say least. Here the rare words choose the passages. Each frequent word is then looked
up among these only (FTS5 leaps over the rest), and adds to their scores what it adds in a full
ranking. So scores are those of BM25; what can be missed are passages without any rare word. Where
all words together match at most ``SCORED`` passages, and so in every small store, nothing is
missed. Figures: docs/adr/search-at-size.md.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SCORED = 10_000
"""Matches of the words that choose, at most; counting the matches of a word stops above it."""

ENOUGH = 100
"""Passages that the rare words must choose; otherwise more frequent words choose, too."""

# SQLite's defaults (k1 1.2, b 0.75); a match in the title counts as much as in the body.
_SCORE = "SELECT rowid, -bm25(lexical, 1.0, 1.0) FROM lexical WHERE lexical MATCH ?"
_BEST = f"{_SCORE} ORDER BY bm25(lexical, 1.0, 1.0), rowid LIMIT ?"

Scored = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Rows of passages, rising, and their scores."""


@dataclass(frozen=True, slots=True)
class RowMask:
    """Some passage rows: ``held[row - first]`` is 1 for those between ``first`` and ``last``."""

    first: int
    last: int
    held: bytes

    @classmethod
    def of(cls, rows: NDArray[np.int64]) -> RowMask:
        """A mask of rows, rising."""
        if not len(rows):
            return cls(0, -1, b"")
        mask = np.zeros(int(rows[-1] - rows[0]) + 1, dtype=np.uint8)
        mask[rows - rows[0]] = 1
        return cls(int(rows[0]), int(rows[-1]), mask.tobytes())

    def holds(self, row: int) -> bool:
        """Whether a row between ``first`` and ``last`` is one of them."""
        return self.held[row - self.first] == 1

    def among(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of some rows between ``first`` and ``last`` are among them."""
        return np.frombuffer(self.held, np.bool_)[rows - self.first]


def matches(db: sqlite3.Connection, phrase: str, most: int) -> int:
    """Return the number of passages that match an expression; counting stops above ``most``."""
    query = "SELECT count(*) FROM (SELECT 1 FROM lexical WHERE lexical MATCH ? LIMIT ?)"
    return int(db.execute(query, (phrase, most + 1)).fetchone()[0])


def ranked(
    db: sqlite3.Connection, phrases: Sequence[str], k: int, among: RowMask | None = None
) -> list[tuple[int, float]]:
    """Return the k best passages as (row, BM25 score), best first; ties by row.

    ``phrases``: distinct phrases as FTS5 reads them; a passage with one of them matches.
    ``among``: the passages that may be found (None: all); all passages count for the scores.
    """
    if among is None and _all_fit(db, len(phrases)):
        return db.execute(_BEST, (_any_of(phrases), k)).fetchall() if phrases else []
    counts = {phrase: matches(db, phrase, SCORED) for phrase in phrases}
    rarest = [phrase for phrase in sorted(counts, key=counts.__getitem__) if counts[phrase]]
    if not rarest:
        return []
    total = np.cumsum([counts[phrase] for phrase in rarest])
    choosing = max(1, int(np.searchsorted(total, SCORED, side="right")))
    rows, scores = _scored(db, _any_of(_first(phrases, rarest[:choosing])), among)
    while choosing < len(rarest) and len(rows) < min(k, ENOUGH):
        choosing += 1
        rows, scores = _scored(db, _any_of(_first(phrases, rarest[:choosing])), among)
    chosen, first = _any_of(rarest[:choosing]), scores.copy()
    for phrase in rarest[choosing:]:
        both, higher = _scored(db, f"({chosen}) AND {phrase}", among)
        at = np.searchsorted(rows, both)
        scores[at] += higher - first[at]
    best = np.lexsort((rows, -scores))[:k]
    return list(zip(rows[best].tolist(), scores[best].tolist(), strict=True))


def _first(phrases: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """The chosen phrases in the order of the question: FTS5 adds up their scores in this order."""
    return [phrase for phrase in phrases if phrase in chosen]


def _all_fit(db: sqlite3.Connection, phrases: int) -> bool:
    """Whether so many phrases have at most ``SCORED`` matches, because there are few passages."""
    most = SCORED // max(phrases, 1)
    query = "SELECT count(*) FROM (SELECT 1 FROM lexical_docsize LIMIT ?)"
    return int(db.execute(query, (most + 1,)).fetchone()[0]) <= most


def _any_of(phrases: Sequence[str]) -> str:
    return " OR ".join(phrases)


def _scored(db: sqlite3.Connection, expression: str, among: RowMask | None) -> Scored:
    query, values = _SCORE, [expression]
    if among is not None:
        query += f" AND rowid BETWEEN {among.first} AND {among.last}"
    with closing(db.execute(query, values)) as found:
        table = np.array(found.fetchall(), dtype=np.float64).reshape(-1, 2)
    rows = table[:, 0].astype(np.int64)
    order = np.argsort(rows, kind="stable")
    rows, scores = rows[order], table[order, 1]
    if among is not None:
        kept = among.among(rows)
        rows, scores = rows[kept], scores[kept]
    return rows, scores
