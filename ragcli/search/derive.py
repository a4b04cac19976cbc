"""Derives a generation's segments from the store: vectors by row, and the edges of the graphs.

To add a set of vectors, add a line to VECTOR_SETS. The store's journal records changes to its rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragcli.search import arrays, edge_layers, vector_set
from ragcli.search.arrays import Arrays, room
from ragcli.search.edge_layers import GONE, EdgeLayer
from ragcli.search.passage_graph import edge_weight
from ragcli.search.relation_edges import relation_layer
from ragcli.search.vector_set import ARRAYS, VectorLayer
from ragcli.store import derived, relations
from ragcli.store.journal import Journal, Watched
from ragcli.store.live_views import show_generation

if TYPE_CHECKING:
    from ragcli.store.writer import StoreWriter

# Increase this when the files of a set change their meaning.
_VERSION = 4
# Segments are merged until each weighs more than all younger ones together. So data is rewritten
# only as often as the store doubles in size.
# Segments that together weigh at most this are always merged: small segments cost readers most.
YOUNG = 128 << 10
# Every search opens all segments.
MAX_SEGMENTS = 8
# Vectors that are read together.
_TOGETHER = 4096


@dataclass(frozen=True, slots=True)
class VectorSet:
    """A table whose rows have vectors. ``owner`` is the column with the row's document, if any."""

    name: str
    table: str
    key: str = "id"
    owner: str = ""

    def query(self, changed: str = "") -> str:
        """Return a query for (row, vector), by row, of the generation of the ``live_*`` views.

        With ``changed``, the query returns only the rows in that table.
        """
        source = f"live_{self.table} x" if self.owner else f"{self.table} x"
        if changed:
            source = f"{changed} c JOIN {source} ON x.{self.key} = c.{self.key}"
        return (
            f"SELECT x.{self.key}, v.vector FROM {source} JOIN vectors v ON v.hash = x.vector"
            f" ORDER BY x.{self.key}"
        )


VECTOR_SETS = (
    VectorSet("passages", "passages", owner="doc"),
    VectorSet("nodes", "nodes", key="rowid", owner="docrow"),
    VectorSet("names", "entities"),
    VectorSet("entity_profiles", "entity_profiles", key="entity"),
    VectorSet("relation_profiles", "relation_profiles"),
    VectorSet("themes", "themes"),
    VectorSet("members", "hierarchy_members", key="entity"),
)


@dataclass(frozen=True, slots=True)
class EdgeSet:
    """A table of edges: the columns of both ends, and the columns that determine the weight.

    ``ways`` are the names of the edges from the first end to the second, and from the second to
    the first. They are equal if both ends are rows of the same table. ``packed``: the relations,
    whose rows hold many edges (store/relations.py).
    """

    table: str
    ends: tuple[str, str]
    values: tuple[str, ...]
    ways: tuple[str, str]
    packed: bool = False

    def weights(self, columns: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the weights of edges from their values (edges, len(values))."""
        if len(self.values) == 1:
            return columns[:, 0].astype(np.float32)
        return edge_weight(columns[:, 0], columns[:, 1])


EDGE_SETS = (
    EdgeSet(relations.TABLE, ("a", "b"), ("weight",), ("relations", "relations"), packed=True),
    EdgeSet(
        "passage_entities",
        ("passage", "entity"),
        ("count", "title"),
        ("by_passage", "by_entity"),
    ),
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The contents of a segment: layers by the name of their set."""

    vectors: dict[str, VectorLayer]
    edges: dict[str, EdgeLayer]

    @property
    def weight(self) -> int:
        """The approximate number of bytes; 0 if the segment is empty."""
        vectors = sum(x.weight for x in self.vectors.values())
        return vectors + sum(8 * len(x.ends) + 20 * len(x.sources) for x in self.edges.values())

    def write(self, folder: Path) -> int:
        """Write a segment's files into a folder; return its weight."""
        found: Arrays = {}
        for name, vectors in self.vectors.items():
            found |= vectors.write(folder, name)
        for name, layer in self.edges.items():
            found |= layer.arrays(name)
        arrays.save(folder / ARRAYS, found)
        return self.weight


# Files with other sets, or with sets of another version, cannot be used.
FORMAT = f"{_VERSION} {' '.join([s.name for s in VECTOR_SETS] + [s.table for s in EDGE_SETS])}"


def problem(store: Path, generation: int, *, thorough: bool = False) -> str:
    """Return the problem of a generation's files, "" if none; ``thorough`` reads every byte."""
    return derived.problem(store, generation, FORMAT, thorough=thorough)


def journal(store: StoreWriter) -> Journal:
    """Start to record the changes that ``derive_current`` needs."""
    rows = [Watched(s.table, (s.key,), ("vector",)) for s in VECTOR_SETS]
    edges = [Watched(s.table, s.ends, s.values, told=s.packed) for s in EDGE_SETS]
    return Journal(store.connection, [*rows, *edges])


def build(store: Path, db: sqlite3.Connection, generation: int) -> None:
    """Derive everything again, as one segment."""
    show_generation(db, generation)
    parts = Parts(
        {s.name: _vectors(db, s.query()) for s in VECTOR_SETS},
        {name: layer for s in EDGE_SETS for name, layer in _edges(db, s).items()},
    )
    derived.publish(store, generation, FORMAT, [], parts.write)


def derive_current(store: StoreWriter, notes: Journal | None) -> None:
    """Derive the files of the current generation; during a commit, of the one being committed.

    ``notes`` record the changes since the previous generation, whose files must be intact. Without
    notes everything is derived again.
    """
    if notes is None:
        build(store.folder, store.connection, store.generation)
    else:
        _update(store.folder, store.connection, store.generation, notes)
        notes.close()


def _update(store: Path, db: sqlite3.Connection, generation: int, notes: Journal) -> None:
    show_generation(db, generation)
    segments = derived.segments(store, generation - 1)
    changed = Parts(
        {s.name: _changed_vectors(db, s, generation, notes) for s in VECTOR_SETS},
        {n: layer for s in EDGE_SETS for n, layer in _changed_edges(db, s, notes).items()},
    )
    if not changed.weight:
        derived.publish(store, generation, FORMAT, segments, None)
        return
    stay = staying([segment.weight for segment in segments], changed.weight)
    older = [read(derived.folder(store, segment)) for segment in segments[stay:]]
    made = merge([*older, changed], whole=stay == 0)
    derived.publish(store, generation, FORMAT, segments[:stay], made.write)


def staying(weights: Sequence[int], new: int) -> int:
    """Return how many of the oldest segments stay unmerged when one of weight ``new`` is added."""
    stay, young = len(weights), new
    for i in reversed(range(len(weights))):
        if weights[i] <= young or weights[i] + young <= YOUNG:
            stay = i
        young += weights[i]
    return min(stay, MAX_SEGMENTS - 1)


def read(folder: Path) -> Parts:
    """Return the layers of a segment, memory-mapped. Raises StoreDamaged."""
    found = arrays.load(folder / ARRAYS)
    return Parts(
        {s.name: VectorLayer.read(folder, s.name, found) for s in VECTOR_SETS},
        {name: EdgeLayer.from_arrays(name, found) for s in EDGE_SETS for name in s.ways},
    )


def merge(parts: Sequence[Parts], whole: bool) -> Parts:
    """Merge segments, oldest first; ``whole``: they include the oldest segment of all."""
    return Parts(
        {s.name: vector_set.merge([p.vectors[s.name] for p in parts], whole) for s in VECTOR_SETS},
        {
            n: edge_layers.merge([p.edges[n] for p in parts], whole)
            for s in EDGE_SETS
            for n in s.ways
        },
    )


def _vectors(db: sqlite3.Connection, query: str) -> VectorLayer:
    rows = db.execute(query)
    part = rows.fetchmany(_TOGETHER)
    if not part:
        none = np.empty(0, dtype=np.int64)
        return VectorLayer(none, np.empty((0, 1), np.float16), none)
    (count,) = db.execute(f"SELECT count(*) FROM ({query})").fetchone()
    width = len(part[0][1]) // 2
    ids, vectors = np.empty(count, np.int64), room((count, width), np.float16)
    at = 0
    while part:
        ids[at : at + len(part)] = [row for row, _ in part]
        blobs = b"".join(vector for _, vector in part)
        vectors[at : at + len(part)] = np.frombuffer(blobs, np.float16).reshape(-1, width)
        at += len(part)
        part = rows.fetchmany(_TOGETHER)
    return VectorLayer(ids, vectors, np.empty(0, dtype=np.int64))


def _changed_vectors(
    db: sqlite3.Connection, s: VectorSet, generation: int, notes: Journal
) -> VectorLayer:
    """Return the vectors of new or changed rows, and the rows that no longer have a vector."""
    changed = notes.name(s.table)
    if s.owner:
        # Rows of new documents were written before the commit, so its journal does not have them.
        db.execute(
            f"INSERT OR IGNORE INTO {changed} SELECT x.{s.key}, 0 FROM documents d"
            f" JOIN {s.table} x ON x.{s.owner} = d.id WHERE d.born = ?",
            (generation,),
        )
    now = _vectors(db, s.query(changed))
    touched = _table(db, f"SELECT {s.key} FROM {changed} ORDER BY {s.key}", 1)[:, 0]
    return VectorLayer(now.rows, now.vectors, touched[~np.isin(touched, now.rows)])


def _edges(db: sqlite3.Connection, s: EdgeSet) -> dict[str, EdgeLayer]:
    if s.packed:
        return {s.ways[0]: relation_layer(db)}
    rows = _table(db, f"SELECT {', '.join((*s.ends, *s.values))} FROM {s.table}", 2 + len(s.values))
    return _layers(s, rows[:, :2], s.weights(rows[:, 2:]), np.ones(len(rows), dtype=np.int64))


def _changed_edges(db: sqlite3.Connection, s: EdgeSet, notes: Journal) -> dict[str, EdgeLayer]:
    """Return new, changed and removed edges; the notes record which of them existed before."""
    a, b = s.ends
    if s.packed:
        noted = _table(db, f"SELECT {a}, {b}, was FROM {notes.name(s.table)} ORDER BY 1, 2", 3)
        there, found = relations.find(db, noted[:, 0] << 32 | noted[:, 1])
        weights = np.where(there, found.weights.astype(np.float32), GONE)
        return _layers(s, noted[:, :2], weights, there.astype(np.int64) - noted[:, 2])
    values = ", ".join(f"coalesce(x.{v}, 0)" for v in s.values)
    query = (
        f"SELECT c.{a}, c.{b}, c.was, x.{a} IS NOT NULL, {values} FROM {notes.name(s.table)} c"
        f" LEFT JOIN {s.table} x ON x.{a} = c.{a} AND x.{b} = c.{b}"
    )
    rows = _table(db, query, 4 + len(s.values))
    was, now = rows[:, 2], rows[:, 3]
    weights = np.where(now == 1, s.weights(rows[:, 4:]), GONE)
    return _layers(s, rows[:, :2], weights, now - was)


def _layers(
    s: EdgeSet, pairs: NDArray[np.int64], weights: NDArray[np.float32], change: NDArray[np.int64]
) -> dict[str, EdgeLayer]:
    a, b = pairs[:, 0], pairs[:, 1]
    there, back = s.ways
    if there != back:
        return {
            there: edge_layers.layer(a, b, weights, change),
            back: edge_layers.layer(b, a, weights, change),
        }
    both = np.concatenate([a, b]), np.concatenate([b, a])
    return {there: edge_layers.layer(*both, np.tile(weights, 2), np.tile(change, 2))}


def _table(db: sqlite3.Connection, query: str, columns: int) -> NDArray[np.int64]:
    """Return the result of a query as integers, shape (n, columns)."""
    rows = db.execute(query)
    parts = [np.empty((0, columns), np.int64)]
    while part := rows.fetchmany(_TOGETHER):
        parts.append(np.array(part, dtype=np.int64))
    return np.concatenate(parts)
