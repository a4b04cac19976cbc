"""Profiles of entities and pairs, and the fragments that they consist of.

Everything happens inside the caller's transaction, after removed documents are deleted. Only
entities and pairs in changed documents are considered.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson

from ragcli.store import scratch
from ragcli.store.queries import Queries

FRAGMENTS = "fragments"
"""The value of ``by`` of a profile that consists of its few fragments."""

_DESCRIBED = """
SELECT x.type, x.text, coalesce(
    (SELECT m.count FROM chunk_entities m WHERE m.chunk = x.chunk AND m.entity = x.entity), 1
)
FROM descriptions x JOIN chunks c ON c.id = x.chunk JOIN documents d ON d.id = c.doc
WHERE x.entity = ? ORDER BY d.doc, c.ordinal, x.text, x.type
"""

_STATED = """
SELECT x.text FROM statements x JOIN chunks c ON c.id = x.chunk JOIN documents d ON d.id = c.doc
WHERE x.rowid IN (SELECT rowid FROM statements WHERE a = :e UNION
                  SELECT rowid FROM statements WHERE b = :e)
ORDER BY d.doc, c.ordinal, x.text
"""

_JOINED = """
SELECT x.keywords, x.strength, x.text
FROM statements x JOIN chunks c ON c.id = x.chunk JOIN documents d ON d.id = c.doc
WHERE x.rowid IN (SELECT rowid FROM statements WHERE a = :a AND b = :b UNION
                  SELECT rowid FROM statements WHERE a = :b AND b = :a)
ORDER BY d.doc, c.ordinal, x.text, x.keywords, x.strength
"""


@dataclass(frozen=True, slots=True)
class EntitySaid:
    """An entity with its descriptions in order, and its types with their weights."""

    row: int
    name: str
    texts: tuple[str, ...]
    types: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class PairSaid:
    """Two entities (a < b) with the statements about them, in order, and their keywords."""

    a: int
    b: int
    name: str
    texts: tuple[str, ...]
    keywords: tuple[tuple[str, ...], ...]
    strength: int


class TouchedProfiles(Queries):
    """Entities and pairs in changed documents whose profiles may change."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__(db)
        scratch.make(db, "touched_entities")
        scratch.make(db, "touched_pairs")

    def gather(self, docs: Sequence[int]) -> None:
        """Record the entities and pairs of these documents; before removal and after addition."""
        if not self._is_described():
            return
        for doc in docs:
            self._db.execute(
                "INSERT OR IGNORE INTO touched_entities SELECT x.entity FROM chunk_entities x"
                " JOIN chunks c ON c.id = x.chunk WHERE c.doc = ?"
                " AND (EXISTS (SELECT 1 FROM descriptions WHERE entity = x.entity)"
                " OR EXISTS (SELECT 1 FROM statements WHERE a = x.entity)"
                " OR EXISTS (SELECT 1 FROM statements WHERE b = x.entity)"
                " OR EXISTS (SELECT 1 FROM entity_profiles WHERE entity = x.entity))",
                (doc,),
            )
            self._db.execute(
                "INSERT OR IGNORE INTO touched_pairs SELECT min(x.a, x.b), max(x.a, x.b)"
                " FROM statements x JOIN chunks c ON c.id = x.chunk WHERE c.doc = ?",
                (doc,),
            )

    def gather_waiting(self, marks: Sequence[str]) -> None:
        """Record the profiles that wait for a language model (``ProfileWriter.waiting``)."""
        for table, columns in (("entities", "entity"), ("pairs", "a, b")):
            profiles = "entity_profiles" if table == "entities" else "relation_profiles"
            self._db.execute(
                f"INSERT OR IGNORE INTO touched_{table} SELECT {columns} FROM {profiles}"
                f" WHERE {_waits(marks)}",
                marks,
            )

    def _is_described(self) -> bool:
        found = self._db.execute(
            "SELECT EXISTS (SELECT 1 FROM descriptions) OR EXISTS (SELECT 1 FROM statements)"
        )
        return bool(found.fetchone()[0])

    def entities(self) -> Iterator[EntitySaid]:
        """The current descriptions of each entity; no texts and types if none are left."""
        rows = self._db.execute(
            "SELECT t.entity, e.name FROM touched_entities t LEFT JOIN entities e"
            " ON e.id = t.entity ORDER BY e.key, t.entity"
        ).fetchall()
        for row, name in rows:
            said = self._db.execute(_DESCRIBED, (row,)).fetchall()
            texts = tuple(text for _, text, _ in said if text)
            # Without descriptions of its own, its relations describe it.
            texts = texts or tuple(t for (t,) in self._db.execute(_STATED, {"e": row}))
            yield EntitySaid(row, name or "", texts, tuple((t, n) for t, _, n in said))

    def pairs(self) -> Iterator[PairSaid]:
        """The current statements about each pair; no texts if none are left."""
        rows = self._db.execute(
            "SELECT t.a, t.b, x.name, y.name FROM touched_pairs t LEFT JOIN entities x"
            " ON x.id = t.a LEFT JOIN entities y ON y.id = t.b"
            " ORDER BY min(x.key, y.key), max(x.key, y.key), t.a, t.b"
        ).fetchall()
        for a, b, *names in rows:
            said = self._db.execute(_JOINED, {"a": a, "b": b}).fetchall()
            yield PairSaid(
                a,
                b,
                " and ".join(sorted(name or "" for name in names)),
                tuple(text for _, _, text in said),
                tuple(tuple(orjson.loads(words)) for words, _, _ in said),
                sum(strength for _, strength, _ in said),
            )


def _waits(marks: Sequence[str]) -> str:
    return f"\"by\" NOT IN ('{FRAGMENTS}'{', ?' * len(marks)})"


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """A profile to write; ``vector`` is the hash of its vector."""

    entity: int
    type: str
    text: str
    by: str
    vector: bytes


@dataclass(frozen=True, slots=True)
class Theme:
    """A keyword of relations, with the hash of its vector."""

    text: str
    vector: bytes


@dataclass(frozen=True, slots=True)
class RelationProfile:
    """A pair's profile to write; ``themes`` are its keywords."""

    a: int
    b: int
    strength: int
    text: str
    by: str
    vector: bytes
    themes: tuple[Theme, ...]


class ProfileWriter(Queries):
    """Profiles as they are kept; everything happens inside the caller's transaction."""

    def touched(self) -> TouchedProfiles:
        """A new, empty collection of profiles to rebuild."""
        return TouchedProfiles(self._db)

    def waiting(self, marks: Sequence[str]) -> int:
        """The number of profiles of many fragments that none of ``marks`` has written."""
        counts = (
            self._db.execute(f"SELECT count(*) FROM {table} WHERE {_waits(marks)}", marks)
            for table in ("entity_profiles", "relation_profiles")
        )
        return sum(int(count.fetchone()[0]) for count in counts)

    def text_of_pair(self, a: int, b: int) -> str:
        """The profile of two entities, in either order; "" if there is none."""
        query = "SELECT text FROM relation_profiles WHERE a = ? AND b = ?"
        return str(self._value(query, (min(a, b), max(a, b))) or "")

    def drop(self, entities: Sequence[EntitySaid], pairs: Sequence[PairSaid]) -> None:
        """Delete these profiles."""
        for entity in entities:
            self._db.execute("DELETE FROM entity_profiles WHERE entity = ?", (entity.row,))
        for pair in pairs:
            self._db.execute(
                "DELETE FROM relation_profiles WHERE a = ? AND b = ?", (pair.a, pair.b)
            )

    def add(self, entities: Sequence[EntityProfile], pairs: Sequence[RelationProfile]) -> None:
        """Write profiles after the old ones were dropped, and delete unused themes."""
        self._db.executemany(
            "INSERT INTO entity_profiles VALUES (?, ?, ?, ?, ?)",
            [(p.entity, p.type, p.text, p.by, p.vector) for p in entities],
        )
        for pair in pairs:
            self._add_pair(pair)
        self._db.execute("DELETE FROM themes WHERE id NOT IN (SELECT theme FROM relation_themes)")

    def _add_pair(self, pair: RelationProfile) -> None:
        words = orjson.dumps([theme.text for theme in pair.themes]).decode()
        row = self._db.execute(
            'INSERT INTO relation_profiles (a, b, keywords, strength, text, "by", vector)'
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (pair.a, pair.b, words, pair.strength, pair.text, pair.by, pair.vector),
        ).lastrowid
        for theme in pair.themes:
            self._db.execute(
                "INSERT OR IGNORE INTO themes (text, vector) VALUES (?, ?)",
                (theme.text, theme.vector),
            )
            self._db.execute(
                "INSERT INTO relation_themes SELECT id, ? FROM themes WHERE text = ?",
                (row, theme.text),
            )
