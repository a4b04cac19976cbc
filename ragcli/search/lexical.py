"""BM25 over passages by SQLite's FTS5. The table is contentless: texts stand in chunks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragcli.store.writer import StoreWriter


from ragcli.text.identifiers import identifiers_in
from ragcli.text.near_words import FEWEST_LETTERS, nearest_word
from ragcli.text.words import SEARCH_WORDS, content_words, plain, stem

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


def terms(text: str) -> list[str]:
    """The content words of a text and its identifiers, whole; the numbers inside those stand back.

    >>> terms("When was nginx 1.21.0 released?")
    ['nginx', 'released', '1.21.0']
    """
    whole = [mark.casefold() for mark in identifiers_in(text)]
    inside = {part for mark in whole for part in plain(mark).split() if part.isdigit()}
    return list(dict.fromkeys([*(w for w in content(text) if w not in inside), *whole]))


def match_expression(question: str) -> str:
    """The question's terms joined by OR, each quoted; function words only if there is nothing else.

    FTS5 takes what stands between quotes as a phrase: an identifier's parts in their order.

    >>> match_expression('Who wrote "Emma" in 1.2?')
    '"wrote" OR "emma" OR "1.2"'
    """
    words = terms(question) or dict.fromkeys(SEARCH_WORDS.split(question))
    return " OR ".join(f'"{w}"' for w in words)


def telling(db: sqlite3.Connection, text: str, most: int) -> str:
    """The terms of a text that stand in at most ``most`` passages, but in one at least.

    A word in small letters that stands in none is taken for mistyped: the nearest that does
    takes its place. Counting stops behind ``most``, and costs a tenth of ranking: a word that is
    almost everywhere is the dearest to rank and tells least.
    """
    found: list[str] = []
    for term in terms(text):
        passages = _passages_with(db, term, most)
        if not passages and term in text:
            term = _meant(db, term) or ""
            passages = _passages_with(db, term, most) if term else 0
        if 0 < passages <= most:
            found.append(term)
    return " ".join(found)


def _passages_with(db: sqlite3.Connection, term: str, most: int) -> int:
    count = "SELECT count(*) FROM (SELECT 1 FROM lexical WHERE lexical MATCH ? LIMIT ?)"
    found: int = db.execute(count, (f'"{term}"', most + 1)).fetchone()[0]
    return found


def _meant(db: sqlite3.Connection, word: str) -> str | None:
    """The word of the passages that a mistyped one is nearest to.

    The index holds stems ("databas"): a form is looked for that has this stem.
    """
    if len(word) < FEWEST_LETTERS or not word.isalpha():
        return None
    db.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.lexical_stems"
        " USING fts5vocab('main', 'lexical', 'row')"
    )
    query = "SELECT term FROM temp.lexical_stems WHERE term >= ? AND term < ?"
    stems = [row for (row,) in db.execute(query, (word[0], chr(ord(word[0]) + 1)))]
    for form in (word, f"{word[:-1]}i" if word.endswith("y") else word, stem(word)):
        near = nearest_word(form, stems)
        if near is not None:
            forms = [near, f"{near}e", f"{near[:-1]}y", f"{near}s"]
            return next((f for f in forms if _passages_with(db, f, 1)), None)
    return None


def search(db: sqlite3.Connection, question: str, k: int) -> list[tuple[int, float]]:
    """The k best passages as (passage row, BM25 score), best first; ties by row."""
    expression = match_expression(question)
    if not expression:
        return []
    return [(row, score) for row, score in db.execute(_QUERY, (expression, k))]
