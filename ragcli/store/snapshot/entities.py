"""Entities and relations of a snapshot, by their row numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragcli.store import relations
from ragcli.store.queries import Queries, marks, parts

SHOWN_LABEL = """CASE WHEN e.label <> '' AND e.mentions < 2 * (
    SELECT coalesce(sum(s.count), 0) FROM surfaces s
    WHERE s.entity = e.id AND s.text GLOB '[a-z]*' AND s.text NOT GLOB '*[A-Z]*'
) THEN 'MISC' ELSE e.label END"""
"""The label of the entity ``e`` for people. The English pipeline sometimes takes a common noun with
a capital for a person or a place, and a name wins over nouns (graph/resolve.py). So the kind of a
name that is mostly written in small letters is not shown."""


class RelationCounts(NamedTuple):
    """A relation's weight (in units of ``graph.cooccurrence.SCALE``), and its sentences."""

    weight: int
    sentences: int


class EntityInPlace(NamedTuple):
    """An entity with its place in the hierarchy, if it has one: parent node, and description."""

    row: int
    name: str
    label: str
    mentions: int
    parent: int | None
    text: str


class Entities(Queries):
    """Queries about entities and the relations between them."""

    def known_as(self, keys: Iterable[str]) -> tuple[dict[str, int], dict[str, list[int]]]:
        """Normalised names -> the entity with that key; -> other entities known by that name.

        An entity is listed under its key only; of the others the most frequent comes first.
        """
        wanted = list(dict.fromkeys(keys))
        own: dict[str, int] = {}
        known: dict[str, list[int]] = {}
        for part in parts(wanted):
            query = f"SELECT key, id FROM entities WHERE key IN ({marks(part)})"
            own |= dict(self._all(query, part))
            aliases = self._db.execute(
                f"SELECT alias, entity FROM aliases WHERE alias IN ({marks(part)})"
                " ORDER BY alias, count DESC, entity",
                part,
            )
            for alias, row in aliases:
                if row != own.get(alias):
                    known.setdefault(alias, []).append(row)
        return own, known

    def beginning_with(self, text: str, limit: int) -> list[str]:
        """Names that begin with a text in any case, the most frequent first."""
        return self._column(
            "SELECT name FROM entities WHERE kind = 'name' AND lower(substr(name, 1, :n)) ="
            " lower(:t) ORDER BY mentions DESC, key LIMIT :k",
            {"t": text, "n": len(text), "k": limit},
        )

    def names(self, rows: Iterable[int]) -> dict[int, str]:
        """Row -> name, for existing rows."""
        rows = list(rows)
        return dict(self._all(f"SELECT id, name FROM entities WHERE id IN ({marks(rows)})", rows))

    def key(self, row: int) -> str:
        """The normalised name of an entity."""
        return str(self._value("SELECT key FROM entities WHERE id = ?", (row,)))

    def spellings(self, row: int) -> list[str]:
        """The spellings of an entity."""
        return self._column("SELECT text FROM surfaces WHERE entity = ?", (row,))

    def nouns(self) -> set[int]:
        """Rows of all common nouns."""
        return set(self._column("SELECT id FROM entities WHERE kind = 'noun'"))

    def name_count(self) -> int:
        """How many entities are names."""
        return int(self._value("SELECT count(*) FROM entities WHERE kind = 'name'"))

    def relation(self, a: int, b: int) -> RelationCounts | None:
        """The relation of two entities, in any order; None if they have none."""
        there, found = relations.find(self._db, np.array([relations.key_of(a, b)]))
        if not there[0]:
            return None
        return RelationCounts(int(found.weights[0]), int(found.counts[0]))

    def relations(self) -> Iterator[tuple[int, int, int]]:
        """(a, b, sentences) of all relations, strongest first."""
        found = relations.everything(self._db)
        order = np.lexsort((found.keys, -found.weights, -found.counts))
        a, b = found.ends
        yield from zip(*(x[order].tolist() for x in (a, b, found.counts)), strict=True)

    def recurring(self) -> list[tuple[int, str]]:
        """(row, name) of the names mentioned more than once and of what has a profile, by key."""
        return self._all(
            "SELECT id, name FROM entities WHERE (kind = 'name' AND mentions > 1)"
            " OR id IN (SELECT entity FROM entity_profiles) ORDER BY key"
        )

    def relations_among(self, rows: Sequence[int]) -> NDArray[np.int64]:
        """The relations of some entities with each other, (m, 3): a < b, sentences (0: none)."""
        found = relations.among(self._db, np.array(rows, dtype=np.int64))
        return np.column_stack([*found.ends, found.counts])

    def in_place(self, wanted: Sequence[int], limit: int) -> list[EntityInPlace]:
        """The wanted entities, then names mentioned more than once, by descending mentions."""
        names, among = "e.kind = 'name' AND e.mentions > 1", f"e.id IN ({marks(wanted)})"
        return self._records(
            EntityInPlace,
            f"SELECT e.id, e.name, {SHOWN_LABEL}, e.mentions, m.parent, coalesce(m.text, '')"
            " FROM entities e LEFT JOIN hierarchy_members m ON m.entity = e.id"
            f" WHERE ({names}) OR {among} ORDER BY {among} DESC, e.mentions DESC, e.key LIMIT ?",
            (*wanted, *wanted, limit),
        )
