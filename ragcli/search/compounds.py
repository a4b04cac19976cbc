"""Compounds: languages that write "Bahnhofsuhr" in one word, and questions that ask for "Uhr".

A word of the question also stands for the longer words of the index that begin or end with it, and
a compound that no passage has stands for its two parts.
"""

from __future__ import annotations

import sqlite3

from ragcli.text.words import fold

LANGUAGES = frozenset(("de", "nl"))

_ENDINGS = ("ern", "en", "er", "es", "em", "e", "n", "s")
_LINKS = ("", "s", "n", "en", "es", "er", "e")
_FEWEST = 3  # letters of a part that is looked for, and of what is added to it
_PART = 4  # letters of a part of a compound of the question
_MOST = 20


def wider_terms(db: sqlite3.Connection, word: str) -> list[str]:
    """Return the words of the index that begin or end with the stem of a word, shortest first."""
    stem = light_stem(fold(word))
    if len(stem) < _FEWEST or not stem.isalpha():
        return []
    db.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.lexical_stems"
        " USING fts5vocab('main', 'lexical', 'row')"
    )
    query = (
        "SELECT term FROM temp.lexical_stems WHERE (term GLOB ? OR term GLOB ?)"
        " AND length(term) >= ? ORDER BY length(term), term LIMIT ?"
    )
    least = len(stem) + _FEWEST
    return [term for (term,) in db.execute(query, (f"{stem}*", f"*{stem}", least, _MOST))]


def parts_of_compound(db: sqlite3.Connection, word: str) -> list[str]:
    """Return the two words of the index that a compound consists of, [] if there are none.

    The first part may have a letter that joins it to the second: "bahnhof-s-uhr".
    """
    for at in range(len(word) - _FEWEST, _PART - 1, -1):
        tail = word[at:]
        if not _occurs(db, tail):
            continue
        for link in _LINKS:
            head = word[:at].removesuffix(link) if link else word[:at]
            if len(head) >= _PART and _occurs(db, head):
                return [head, tail]
    return []


def light_stem(word: str) -> str:
    """Return a German or Dutch word without its ending: "bruecken" -> "brueck"."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _PART:
            return word.removesuffix(ending)
    return word


def _occurs(db: sqlite3.Connection, word: str) -> bool:
    query = "SELECT 1 FROM lexical WHERE lexical MATCH ? LIMIT 1"
    return word.isalnum() and db.execute(query, (f'"{word}"',)).fetchone() is not None
