"""Searches passages by BM25 with SQLite's FTS5. The FTS5 table is contentless."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragcli.store.writer import StoreWriter


from ragcli.search import compounds
from ragcli.search.word_ranking import RowMask, matches, ranked
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.asked_words import is_small
from ragcli.text.near_words import FEWEST_LETTERS, nearest_word
from ragcli.text.scripts import SMALL_WORDS, is_grammar, is_unspaced, spaced
from ragcli.text.words import SEARCH_WORDS, stem

_LONG_WORD = 8
_BEGINNING = 0.4
"""The share of a long word's letters that a similar word begins with, at least."""

_WRITTEN = {"de": '"und" AND ("der" OR "die" OR "das")', "nl": '"het" AND ("een" OR "van")'}
"""What passages in a language with compounds hold."""


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage as it is indexed: its row, its title with the heading above it, and its text."""

    row: int
    title: str
    body: str


def add(store: StoreWriter, passages: Iterable[IndexedPassage]) -> None:
    """Add passages."""
    store.connection.executemany(
        "INSERT INTO lexical (rowid, title, body) VALUES (?, ?, ?)",
        ((p.row, spaced(p.title), spaced(p.body)) for p in passages),
    )


def remove(store: StoreWriter, passages: Iterable[IndexedPassage]) -> None:
    """Remove passages; a contentless table needs exactly the text that was added."""
    store.connection.executemany(
        "INSERT INTO lexical (lexical, rowid, title, body) VALUES ('delete', ?, ?, ?)",
        ((p.row, spaced(p.title), spaced(p.body)) for p in passages),
    )


def phrases_of(asked: AskedQuestion) -> list[str]:
    """Return a question's terms, quoted; function words only as a last resort.

    FTS5 treats a quoted term as a phrase, so the parts of an identifier must occur in order.

    >>> phrases_of(AskedQuestion('Who wrote "Emma" in 1.2?'))
    ['"wrote"', '"emma"', '"1.2"']
    """
    words = asked.terms or tuple(dict.fromkeys(SEARCH_WORDS.split(spaced(asked.text))))
    telling = [w for w in words if not is_grammar(w) and not _only_asks(w, asked.language)]
    return _quoted(telling or words)


def _only_asks(word: str, language: str) -> bool:
    return word in SMALL_WORDS["en"] if language == "en" else is_small(word, language)


def _quoted(words: Iterable[str]) -> list[str]:
    # A single character is looked for as the first of a pair.
    return [f'"{w}"*' if len(w) == 1 and is_unspaced(w) else f'"{w}"' for w in words]


def rare_terms(
    db: sqlite3.Connection, asked: AskedQuestion, most: int, among: RowMask | None = None
) -> AskedQuestion:
    """Return the terms of a question that occur in at least one and at most ``most`` passages.

    ``among``: the passages that count (None: all).

    A lower-case word that occurs nowhere is probably mistyped; the most similar word that occurs
    replaces it. Counting stops above ``most`` and takes a tenth of the time of ranking. A word that
    is almost everywhere takes longest to rank and says least. A question in another language than
    English is returned as it is.
    """
    if _language(db, asked) != "en":
        return asked  # its words are chosen where its language is known
    found: list[str] = []
    for term in asked.terms:
        passages = _passages_with(db, term, most, among)
        if not passages and term in asked.text:
            term = _corrected(db, term, among) or ""
            passages = _passages_with(db, term, most, among) if term else 0
        if 0 < passages <= most:
            found.append(term)
    return AskedQuestion(" ".join(found))


def _language(db: sqlite3.Connection, asked: AskedQuestion) -> str:
    """Return the language of a question; of words without a small English one among them, such as
    "Dampfschiff", a language with compounds if there are passages in it."""
    if asked.language != "en" or asked.in_english_words:
        return asked.language
    return next((code for code, written in _WRITTEN.items() if matches(db, written, 0)), "en")


def _passages_with(db: sqlite3.Connection, term: str, most: int, among: RowMask | None) -> int:
    """Return the number of passages with a term; counting stops above ``most``."""
    if among is None:
        return matches(db, f'"{term}"', most)
    query = "SELECT rowid FROM lexical WHERE lexical MATCH ? AND rowid BETWEEN ? AND ?"
    with closing(db.execute(query, (f'"{term}"', among.first, among.last))) as rows:
        return sum(1 for _ in islice((1 for (row,) in rows if among.holds(row)), most + 1))


def passages_with(db: sqlite3.Connection, term: str, most: int) -> int:
    """Return the number of passages with a term, ``most`` at most."""
    return min(_passages_with(db, term, most, None), most)


def occurs(db: sqlite3.Connection, word: str) -> bool:
    """Return whether a word, or another form of it, occurs in a passage."""
    return _passages_with(db, word, 1, None) > 0


def rows_of_similar(db: sqlite3.Connection, word: str, most: int) -> list[int]:
    """Return rows of passages that hold a word similar to one that occurs nowhere.

    These are passages with the most similar term, ``most`` at most, and passages with words that
    begin like a long word: the stem of "authentication" is too short to be similar to
    "authentification".
    """
    found: dict[int, None] = {}
    near = _corrected(db, word, None)
    starts = range(len(word) - 1, max(FEWEST_LETTERS, int(_BEGINNING * len(word))) - 1, -1)
    longer = (f'"{word[:end]}"*' for end in starts) if len(word) >= _LONG_WORD else ()
    for expression in (f'"{near}"' if near else None, *longer):
        if expression is not None and len(found) < most:
            query = "SELECT rowid FROM lexical WHERE lexical MATCH ? LIMIT ?"
            found.update((row, None) for (row,) in db.execute(query, (expression, most)))
    return list(found)


def _corrected(db: sqlite3.Connection, word: str, among: RowMask | None) -> str | None:
    """Return the word of the passages that is most similar to a mistyped one, or None.

    The index contains stems ("databas"), so this looks for a word form with the stem found.
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
            return next((f for f in forms if _passages_with(db, f, 1, among)), None)
    return None


def _with_compounds(db: sqlite3.Connection, asked: AskedQuestion) -> list[str]:
    """Return the phrases to match, with compounds where a language writes them in one word."""
    phrases = phrases_of(asked)
    if not phrases or _language(db, asked) not in compounds.LANGUAGES:
        return phrases
    found: dict[str, None] = {}
    for word in asked.terms:
        if word not in SMALL_WORDS["de"] and word not in SMALL_WORDS["nl"]:
            found.update(dict.fromkeys(compounds.wider_terms(db, word)))
            if not _passages_with(db, word, 1, None):
                found.update(dict.fromkeys(compounds.parts_of_compound(db, word)))
    return [*phrases, *_quoted(found)]


def search(
    db: sqlite3.Connection, asked: AskedQuestion, k: int, among: RowMask | None = None
) -> list[tuple[int, float]]:
    """Return the k best passages as (passage row, BM25 score), best first; ties by row.

    ``among``: the passages that may be found (None: all); all passages count for the scores.
    """
    return ranked(db, list(dict.fromkeys(_with_compounds(db, asked))), k, among)


def with_phrase(
    db: sqlite3.Connection, phrase: str, k: int, among: RowMask | None = None
) -> list[tuple[int, float]]:
    """Return the k best passages with the words of a phrase side by side, as ``search`` does."""
    words = SEARCH_WORDS.split(spaced(phrase))
    return ranked(db, _quoted([" ".join(words)]), k, among) if words else []
