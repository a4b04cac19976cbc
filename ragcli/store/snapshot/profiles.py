"""Profiles of entities and relations of a snapshot, and the statements behind them."""

from __future__ import annotations

from typing import NamedTuple

from ragcli.store.queries import Queries

Pair = tuple[int, int]


class ProfiledEntity(NamedTuple):
    """An entity's name with the type and text of its profile, both "" if it has none."""

    name: str
    type: str
    text: str


class Profiles(Queries):
    """Queries about profiles, themes and the statements behind them."""

    def entity(self, row: int) -> ProfiledEntity:
        """An entity and its profile."""
        return ProfiledEntity(
            *self._first(
                "SELECT e.name, coalesce(p.type, ''), coalesce(p.text, '') FROM entities e"
                " LEFT JOIN entity_profiles p ON p.entity = e.id WHERE e.id = ?",
                (row,),
            )
        )

    def relation_text(self, a: int, b: int) -> str | None:
        """The profile of a pair, in any order; None if there is none."""
        row = self._value(
            "SELECT text FROM relation_profiles WHERE a = ? AND b = ?", (min(a, b), max(a, b))
        )
        return None if row is None else str(row)

    def relations_of(self, entity: int, limit: int) -> list[int]:
        """Profile rows of an entity's relations, the strongest if there are many."""
        return self._column(
            "SELECT id FROM (SELECT id, strength FROM relation_profiles WHERE a = :e"
            " UNION ALL SELECT id, strength FROM relation_profiles WHERE b = :e)"
            " ORDER BY strength DESC, id LIMIT :n",
            {"e": entity, "n": limit},
        )

    def relations_under(self, theme: int, limit: int) -> list[int]:
        """Profile rows of a theme's relations, the strongest if there are many."""
        return self._column(
            "SELECT x.relation FROM relation_themes x JOIN relation_profiles p ON p.id = x.relation"
            " WHERE x.theme = ? ORDER BY p.strength DESC, p.id LIMIT ?",
            (theme, limit),
        )

    def pair(self, relation: int) -> Pair:
        """The two entity rows (a < b) of a relation's profile."""
        a, b = self._first("SELECT a, b FROM relation_profiles WHERE id = ?", (relation,))
        return a, b

    def chunks_stating(self, pair: Pair) -> list[int]:
        """Rows of the chunks with statements about a pair."""
        return self._column(
            "SELECT chunk FROM statements WHERE a = :a AND b = :b"
            " UNION SELECT chunk FROM statements WHERE a = :b AND b = :a ORDER BY chunk",
            {"a": pair[0], "b": pair[1]},
        )
