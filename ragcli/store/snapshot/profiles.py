"""Profiles of entities and relations of a snapshot, and the statements behind them."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

Pair = tuple[int, int]


class ProfiledEntity(NamedTuple):
    """An entity's name with the type and text of its profile, both "" if it has none."""

    name: str
    type: str
    text: str


class Profiles:
    """Queries about profiles, themes and the statements behind them."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def entity(self, row: int) -> ProfiledEntity:
        """An entity and its profile."""
        found = self._db.execute(
            "SELECT e.name, coalesce(p.type, ''), coalesce(p.text, '') FROM entities e"
            " LEFT JOIN entity_profiles p ON p.entity = e.id WHERE e.id = ?",
            (row,),
        )
        return ProfiledEntity(*found.fetchone())

    def relation_text(self, a: int, b: int) -> str | None:
        """The profile of a pair, in any order; None if there is none."""
        row = self._db.execute(
            "SELECT text FROM relation_profiles WHERE a = ? AND b = ?", (min(a, b), max(a, b))
        ).fetchone()
        return None if row is None else str(row[0])

    def relations_of(self, entity: int, limit: int) -> list[int]:
        """Profile rows of an entity's relations, the strongest if there are many."""
        rows = self._db.execute(
            "SELECT id FROM (SELECT id, strength FROM relation_profiles WHERE a = :e"
            " UNION ALL SELECT id, strength FROM relation_profiles WHERE b = :e)"
            " ORDER BY strength DESC, id LIMIT :n",
            {"e": entity, "n": limit},
        )
        return [row for (row,) in rows]

    def relations_under(self, theme: int, limit: int) -> list[int]:
        """Profile rows of a theme's relations, the strongest if there are many."""
        rows = self._db.execute(
            "SELECT x.relation FROM relation_themes x JOIN relation_profiles p ON p.id = x.relation"
            " WHERE x.theme = ? ORDER BY p.strength DESC, p.id LIMIT ?",
            (theme, limit),
        )
        return [row for (row,) in rows]

    def pair(self, relation: int) -> Pair:
        """The two entity rows (a < b) of a relation's profile."""
        a, b = self._db.execute(
            "SELECT a, b FROM relation_profiles WHERE id = ?", (relation,)
        ).fetchone()
        return a, b

    def chunks_stating(self, pair: Pair) -> list[int]:
        """Rows of the chunks with statements about a pair."""
        rows = self._db.execute(
            "SELECT chunk FROM statements WHERE a = :a AND b = :b"
            " UNION SELECT chunk FROM statements WHERE a = :b AND b = :a ORDER BY chunk",
            {"a": pair[0], "b": pair[1]},
        )
        return [row for (row,) in rows]
