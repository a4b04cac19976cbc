"""BM25 over passages by SQLite's FTS5. The table is contentless: texts stand in chunks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragcli.store.writer import StoreWriter


from ragcli.text.words import SEARCH_WORDS, content_words

# SQLite's defaults (k1 1.2, b 0.75); a match in the title counts as much as in the body.
_QUERY = (
    "SELECT rowid, -bm25(lexical, 1.0, 1.0) AS score FROM lexical WHERE lexical MATCH ?"
    " ORDER BY bm25(lexical, 1.0, 1.0), rowid LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage as it is indexed: its row, the title and the heading above it, and its text."""

    row: int
    title: str
    body: str


def add(store: StoreWriter, passages: Iterable[IndexedPassage]) -> None:
    """Add passages."""
    store.connection.executemany(
        "INSERT INTO lexical (rowid, title, body) VALUES (?, ?, ?)",
        ((p.row, p.title, p.body) for p in passages),
    )


def remove(store: StoreWriter, passages: Iterable[IndexedPassage]) -> None:
    """Remove passages; a contentless table must be given the very text that was added."""
    store.connection.executemany(
        "INSERT INTO lexical (lexical, rowid, title, body) VALUES ('delete', ?, ?, ?)",
        ((p.row, p.title, p.body) for p in passages),
    )


def content(text: str) -> list[str]:
    """The words of a text that are no function words, case folded, without repeats.

    >>> content("Who wrote the book, and what did he write?")
    ['wrote', 'book', 'write']
    """
    return list(dict.fromkeys(content_words(text, SEARCH_WORDS)))


def match_expression(question: str) -> str:
    """The question's words joined by OR, each quoted; function words only if there is nothing else.

    >>> match_expression('Who wrote "Emma"?')
    '"wrote" OR "emma"'
    """
    words = content(question) or dict.fromkeys(SEARCH_WORDS.split(question))
    return " OR ".join(f'"{w}"' for w in words)


def telling(db: sqlite3.Connection, text: str, most: int) -> str:
    """The content words of a text that stand in at most ``most`` passages, but in one at least.

    Counting stops behind ``most``, and costs a tenth of ranking: a word that is almost everywhere
    is the dearest to rank and tells least.
    """
    count = "SELECT count(*) FROM (SELECT 1 FROM lexical WHERE lexical MATCH ? LIMIT ?)"
    found = {w: db.execute(count, (f'"{w}"', most + 1)).fetchone()[0] for w in content(text)}
    return " ".join(w for w, passages in found.items() if 0 < passages <= most)


def search(db: sqlite3.Connection, question: str, k: int) -> list[tuple[int, float]]:
    """The k best passages as (passage row, BM25 score), best first; ties by row."""
    expression = match_expression(question)
    if not expression:
        return []
    return [(row, score) for row, score in db.execute(_QUERY, (expression, k))]
