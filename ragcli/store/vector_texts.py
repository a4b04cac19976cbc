"""What the texts of vectors were made of, to embed them again when a file is damaged."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import orjson


@dataclass(frozen=True, slots=True)
class TextParts:
    """The text of a row with the names above it: of its document, heading, entity or entities."""

    text: str
    title: str = ""
    heading: str = ""


def parts_of_row(db: sqlite3.Connection, name: str, row: int) -> TextParts:
    """The parts of the text of a row of a set of vectors (vector_sets.py).

    For a pair without a description, the text is that of its keywords, or its names.
    """
    if name == "passages":
        title, heading, text, start, end, begins = db.execute(
            'SELECT d.title, c.heading, plain_text(c.text), p.start, p."end", c.start'
            " FROM passages p JOIN chunks c ON c.id = p.chunk JOIN documents d ON d.id = p.doc"
            " WHERE p.id = ?",
            (row,),
        ).fetchone()
        return TextParts(text[start - begins : end - begins], title, heading.rpartition(" > ")[2])
    if name == "relation_profiles":
        text, words, one, other = db.execute(
            "SELECT r.text, r.keywords, a.name, b.name FROM relation_profiles r"
            " JOIN entities a ON a.id = r.a JOIN entities b ON b.id = r.b WHERE r.id = ?",
            (row,),
        ).fetchone()
        listed = ", ".join(orjson.loads(words))
        return TextParts(text or listed or " and ".join(sorted((one, other))))
    return TextParts(*db.execute(_TEXTS[name], (row,)).fetchone())


_TEXTS = {
    "nodes": "SELECT plain_text(n.text), coalesce(d.title, '') FROM nodes n"
    ' LEFT JOIN documents d ON d.id = n.docrow WHERE n."row" = ?',
    "names": "SELECT name FROM entities WHERE id = ?",
    "entity_profiles": "SELECT p.text, e.name FROM entity_profiles p"
    " JOIN entities e ON e.id = p.entity WHERE p.entity = ?",
    "themes": "SELECT text FROM themes WHERE id = ?",
    "members": "SELECT m.text, e.name FROM hierarchy_members m"
    " JOIN entities e ON e.id = m.entity WHERE m.entity = ?",
}
