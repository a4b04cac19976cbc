"""Writes the files of a generation: vectors by row, and the edges of the graphs.

Edges are derived from the database. Vectors are only in these files; a commit takes those of new
rows from the fresh ones (store/fresh_vectors.py) or from the files of the generation before. The
store's journal records which rows change.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged
from ragcli.search import arrays, edge_layers, vector_set
from ragcli.search.arrays import Arrays, room
from ragcli.search.edge_layers import GONE, EdgeLayer
from ragcli.search.kept_vectors import (
    TOGETHER,
    KeptVectors,
    layers_of,
    sound_layers,
)
from ragcli.search.packed_edges import PackedEdges
from ragcli.search.passage_graph import edge_weight
from ragcli.search.relation_edges import THERE, relation_layer
from ragcli.search.vector_set import ARRAYS, VectorLayer
from ragcli.store import derived, relations
from ragcli.store.journal import Journal, Watched
from ragcli.store.live_views import show_generation
from ragcli.store.vector_sets import VECTOR_SETS, VectorSet

if TYPE_CHECKING:
    from ragcli.store.writer import StoreWriter

# Increase this when the files of a set of edges change their meaning.
_VERSION = 6
# Segments are merged until each weighs more than all younger ones together. So data is rewritten
# only as often as the store doubles in size.
# Segments that together weigh at most this are always merged: small segments cost readers most.
YOUNG = 128 << 10
# Every search opens all segments.
MAX_SEGMENTS = 8
_HINT = "run: ragcli inspect check"


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
        return vectors + sum(x.weight for x in self.edges.values())

    def write(self, folder: Path) -> int:
        """Write a segment's files into a folder; return its weight."""
        found: Arrays = {}
        for name, vectors in self.vectors.items():
            found |= vectors.write(folder, name)
        for name, layer in self.edges.items():
            found |= layer.arrays(name)
        arrays.save(folder / ARRAYS, found)
        return self.weight


@dataclass(frozen=True, slots=True)
class KeptParts:
    """The same for a segment that is read."""

    vectors: dict[str, VectorLayer]
    edges: dict[str, PackedEdges]


# Files with other sets of edges, or with sets of another version, cannot be used.
FORMAT = f"{_VERSION} {' '.join(s.table for s in EDGE_SETS)}"
VECTOR_FORMAT = "2"
"""Vectors are kept, so a later release must read what has this format."""

Restore = Callable[[str, Sequence[int], Sequence[bytes]], list[bytes]]
"""Embeds the texts of rows of a set again, given their hashes, too; raises StoreDamaged."""


def not_restored(name: str, rows: Sequence[int], _hashes: Sequence[bytes]) -> list[bytes]:
    """Raise StoreDamaged; for callers without a model."""
    raise StoreDamaged(f"{len(rows)} vectors of {name} are missing", _HINT)


def problem(store: Path, generation: int, *, thorough: bool = False) -> str:
    """Return the problem of a generation's derived files, "" if none; ``thorough`` reads every
    byte."""
    return derived.problem(store, generation, FORMAT, thorough=thorough)


def vector_problem(store: Path, generation: int, *, thorough: bool = False) -> str:
    """The same for the files of vectors."""
    return derived.problem(store, generation, VECTOR_FORMAT, derived.VECTORS, thorough=thorough)


def mend_edges(store: StoreWriter) -> None:
    """Derive all edges of the current generation again."""
    build(store.folder, store.connection, store.generation)


def lost_vectors(store: StoreWriter) -> int:
    """Return how many rows of the current generation do not fit its files: rows without a vector,
    and vectors without a row."""
    db, generation = store.connection, store.generation
    show_generation(db, generation)
    folders = derived.folders(store.folder, generation, derived.VECTORS)
    lost = 0
    for s in VECTOR_SETS:
        rows = _table(db, f"SELECT {s.key} FROM ({s.query()})", 1)[:, 0]
        lost += len(np.setxor1d(rows, vector_set.Vectors(folders, s.name).ids))
    return lost


def journal(store: StoreWriter) -> Journal:
    """Start to record the changes that ``derive_current`` needs."""
    rows = [Watched(s.table, (s.key,), ("vector",), former="vector") for s in VECTOR_SETS]
    edges = [Watched(s.table, s.ends, s.values, by_writer=s.packed) for s in EDGE_SETS]
    return Journal(store.connection, [*rows, *edges])


def kept_vectors(store: StoreWriter, generation: int, notes: Journal | None = None) -> KeptVectors:
    """All vectors of a store: those in the sound files of a generation, and fresh ones.

    ``notes``: what has changed since that generation.
    """
    sound = not vector_problem(store.folder, generation)
    folders = derived.folders(store.folder, generation, derived.VECTORS) if sound else []
    return KeptVectors(store.connection, layers_of(folders), store.vectors, notes)


def build(store: Path, db: sqlite3.Connection, generation: int) -> None:
    """Derive all edges again, as one segment."""
    show_generation(db, generation)
    edges = {name: layer for s in EDGE_SETS for name, layer in _edges(db, s).items()}
    derived.publish(store, generation, FORMAT, [], Parts({}, edges).write)


def build_vectors(
    store: Path,
    db: sqlite3.Connection,
    generation: int,
    kept: KeptVectors,
    restore: Restore = not_restored,
) -> None:
    """Write all vectors of a generation, as one segment."""
    show_generation(db, generation)
    parts = Parts({s.name: _vectors(db, s, s.query(), kept, restore) for s in VECTOR_SETS}, {})
    derived.publish(store, generation, VECTOR_FORMAT, [], parts.write, derived.VECTORS)


def mend_vectors(store: StoreWriter, restore: Restore) -> None:
    """Write the vectors of the current generation again: what is damaged is embedded again."""
    layers = sound_layers(store.folder, store.generation)
    kept = KeptVectors(store.connection, layers, store.vectors)
    build_vectors(store.folder, store.connection, store.generation, kept, restore)


def derive_current(
    store: StoreWriter, notes: Journal | None, restore: Restore = not_restored
) -> None:
    """Write the files of the current generation; during a commit, of the one being committed.

    ``notes`` record the changes since the previous generation. Without notes, or where its files
    are damaged, everything is written again.
    """
    current = store.generation
    if notes is None or vector_problem(store.folder, current - 1):
        kept = KeptVectors(store.connection, {}, store.vectors)
        build_vectors(store.folder, store.connection, current, kept, restore)
    else:
        _update_vectors(store, notes, restore)
    if notes is None or problem(store.folder, current - 1):
        build(store.folder, store.connection, current)
    else:
        _update_edges(store, notes)
    if notes is not None:
        notes.close()


def _update_vectors(store: StoreWriter, notes: Journal, restore: Restore) -> None:
    db, current = store.connection, store.generation
    show_generation(db, current)
    for s in VECTOR_SETS:
        if s.owner:
            # Rows of new documents were written before the commit, so its journal does not have
            # them.
            db.execute(
                f"INSERT OR IGNORE INTO {notes.name(s.table)} SELECT x.{s.key}, 0, NULL"
                f" FROM documents d JOIN {s.table} x ON x.{s.owner} = d.id WHERE d.born = ?",
                (current,),
            )
    kept = kept_vectors(store, current - 1, notes)
    changed = Parts(
        {s.name: _changed_vectors(db, s, notes, kept, restore) for s in VECTOR_SETS}, {}
    )
    _add(store, changed, VECTOR_FORMAT, derived.VECTORS)


def _update_edges(store: StoreWriter, notes: Journal) -> None:
    show_generation(store.connection, store.generation)
    changed = Parts(
        {}, {n: x for s in EDGE_SETS for n, x in _changed_edges(store.connection, s, notes).items()}
    )
    _add(store, changed, FORMAT, derived.DERIVED)


def _add(store: StoreWriter, changed: Parts, format_: str, place: str) -> None:
    """Publish the current generation: the segments of the one before, with a new one."""
    folder, current = store.folder, store.generation
    segments = derived.segments(folder, current - 1, format_, place)
    if not changed.weight:
        derived.publish(folder, current, format_, segments, None, place)
        return
    stay = staying([segment.weight for segment in segments], changed.weight)
    older = [read(derived.folder(folder, segment, place)) for segment in segments[stay:]]
    made = merge([*older, changed], whole=stay == 0)
    derived.publish(folder, current, format_, segments[:stay], made.write, place)


def staying(weights: Sequence[int], new: int) -> int:
    """Return how many of the oldest segments stay unmerged when one of weight ``new`` is added."""
    stay, young = len(weights), new
    for i in reversed(range(len(weights))):
        if weights[i] <= young or weights[i] + young <= YOUNG:
            stay = i
        young += weights[i]
    return min(stay, MAX_SEGMENTS - 1)


def read(folder: Path) -> KeptParts:
    """Return the layers of a segment of vectors or edges, memory-mapped. Raises StoreDamaged."""
    found = arrays.load(folder / ARRAYS)
    return KeptParts(
        {
            s.name: VectorLayer.read(folder, s.name, found)
            for s in VECTOR_SETS
            if f"{s.name}.rows" in found
        },
        {
            name: edge_layers.from_arrays(name, found)
            for s in EDGE_SETS
            for name in s.ways
            if f"{name}.sources" in found
        },
    )


def merge(parts: Sequence[Parts | KeptParts], whole: bool) -> Parts:
    """Merge segments, oldest first; ``whole``: they include the oldest segment of all."""
    vectors = dict.fromkeys(name for p in parts for name in p.vectors)
    edges = dict.fromkeys(name for p in parts for name in p.edges)
    return Parts(
        {
            name: vector_set.merge([p.vectors[name] for p in parts if name in p.vectors], whole)
            for name in vectors
        },
        {name: edge_layers.merge([p.edges[name] for p in parts], whole) for name in edges},
    )


def _vectors(
    db: sqlite3.Connection, s: VectorSet, query: str, kept: KeptVectors, restore: Restore
) -> VectorLayer:
    """The vectors of the rows (row, hash) that a query returns."""
    rows = db.execute(query)
    part = rows.fetchmany(TOGETHER)
    none = np.empty(0, dtype=np.int64)
    if not part:
        return VectorLayer(none, np.empty((0, 1), np.float16), none)
    (count,) = db.execute(f"SELECT count(*) FROM ({query})").fetchone()
    ids = np.empty(count, np.int64)
    kind = np.dtype(np.uint8 if s.coded else np.float16)
    vectors = np.empty((0, 1), kind)
    at = 0
    while part:
        blobs = _blobs(s.name, part, kept, restore)
        if not at:
            vectors = room((count, len(blobs[0]) // kind.itemsize), kind.type)
        here = slice(at, at + len(part))
        ids[here] = [row for row, _ in part]
        vectors[here] = np.frombuffer(b"".join(blobs), kind).reshape(len(part), -1)
        at += len(part)
        part = rows.fetchmany(TOGETHER)
    return VectorLayer(ids, vectors, none)


def _blobs(
    name: str, part: Sequence[tuple[int, bytes]], kept: KeptVectors, restore: Restore
) -> list[bytes]:
    found = kept.of(key for _, key in part)
    if missing := {key: row for row, key in part if key not in found}:
        again = restore(name, list(missing.values()), list(missing))
        found |= zip(missing, again, strict=True)
    return [found[key] for _, key in part]


def _changed_vectors(
    db: sqlite3.Connection, s: VectorSet, notes: Journal, kept: KeptVectors, restore: Restore
) -> VectorLayer:
    """Return the vectors of new or changed rows, and the rows that no longer have a vector."""
    changed = notes.name(s.table)
    now = _vectors(db, s, s.query(changed), kept, restore)
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
        there, _ = relations.find(db, noted[:, 0] << 32 | noted[:, 1])
        weights = np.where(there, THERE, GONE)
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
    while part := rows.fetchmany(TOGETHER):
        parts.append(np.array(part, dtype=np.int64))
    return np.concatenate(parts)
