"""The vectors of a store by the hash of their text: in the files of a generation, or fresh.

A row of the database names the vector of its text by a hash. The files have vectors by row, so a
hash is looked up among the rows that were there when the files were written.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from ragcli.errors import StoreDamaged
from ragcli.search import arrays
from ragcli.search.vector_set import ARRAYS, VectorLayer, stored
from ragcli.store import derived
from ragcli.store.connection import FILE, connect
from ragcli.store.fresh_vectors import FILE as FRESH
from ragcli.store.fresh_vectors import FreshVectors
from ragcli.store.journal import Journal
from ragcli.store.meta import generation
from ragcli.store.vector_sets import VECTOR_SETS, VectorSet

_log = logging.getLogger(__name__)

# Vectors that are read together.
TOGETHER = 4096
# Placeholders in one statement.
_AT_ONCE = 500


Layers = Mapping[str, Sequence[VectorLayer]]


def layers_of(
    folders: Sequence[Path], without: Collection[str] = ()
) -> dict[str, list[VectorLayer]]:
    """The layers of each set in the folders of segments, oldest first. Raises StoreDamaged.

    ``without``: sets to leave out.
    """
    found: dict[str, list[VectorLayer]] = {s.name: [] for s in VECTOR_SETS if s.name not in without}
    for folder in folders:
        has = arrays.load(folder / ARRAYS)
        for name, layers in found.items():
            layers.append(VectorLayer.read(folder, name, has))
    return found


def sound_layers(
    store: Path, current: int, *, thorough: bool = True
) -> dict[str, list[VectorLayer]]:
    """The layers of the sets none of whose files is damaged; ``thorough`` reads every byte."""
    try:
        segments = derived.segments(store, current, "", derived.VECTORS)
    except StoreDamaged:
        return {}
    broken = {
        name.partition(".")[0]
        for segment in segments
        for name in derived.broken(store, segment, derived.VECTORS, thorough=thorough)
    }
    if ARRAYS in broken:
        return {}
    return layers_of([derived.folder(store, s, derived.VECTORS) for s in segments], broken)


class KeptVectors:
    """Finds vectors by hash.

    ``layers``: those of a generation. ``notes``: what has changed in the database since then.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        layers: Layers,
        fresh: FreshVectors | None = None,
        notes: Journal | None = None,
    ) -> None:
        self._db = db
        self._layers = layers
        self._fresh = fresh
        self._notes = notes

    def of(self, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The vectors of those hashes that have one, float16."""
        wanted = list(dict.fromkeys(hashes))
        found = self._fresh.of(wanted) if self._fresh else {}
        left = {key for key in wanted if key not in found}
        for s in VECTOR_SETS:
            if left and any(len(layer.rows) for layer in self._layers.get(s.name, ())):
                here = self._in_files(s, left)
                found |= here
                left -= here.keys()
        return found

    def _in_files(self, s: VectorSet, wanted: Collection[bytes]) -> dict[bytes, bytes]:
        """Those in the files of one set."""
        places = list(self._places(s, wanted))
        rows = np.array([row for _, row in places], dtype=np.int64)
        there, vectors = stored(self._layers[s.name], rows)
        return {key: vectors[at].tobytes() for at, (key, _) in enumerate(places) if there[at]}

    def _places(self, s: VectorSet, wanted: Collection[bytes]) -> Iterator[tuple[bytes, int]]:
        """(hash, row) of the rows that had the wanted vectors when the files were written."""
        unchanged = ""
        if self._notes is not None:
            notes = self._notes.name(s.table)
            unchanged = f" AND NOT EXISTS (SELECT 1 FROM {notes} c WHERE c.{s.key} = x.{s.key})"
            for key, row in self._db.execute(
                f"SELECT vector, {s.key} FROM {notes} WHERE vector IS NOT NULL"
            ):
                if key in wanted:
                    yield key, row
        listed = list(wanted)
        for at in range(0, len(listed), _AT_ONCE):
            part = listed[at : at + _AT_ONCE]
            marks = ",".join("?" * len(part))
            yield from self._db.execute(
                f"SELECT x.vector, x.{s.key} FROM main.{s.table} x"
                f" WHERE x.vector IN ({marks}){unchanged}",
                part,
            )


def carry_vectors(to: FreshVectors, folder: Path) -> None:
    """Copy all vectors of the store in a folder, of this format or an earlier one.

    What is damaged, missing or not a number is left out: its text is embedded again.
    """
    for path in (folder / FILE, folder / FRESH):
        try:
            with closing(connect(path, readonly=True)) as db:
                if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'vectors'").fetchone():
                    to.take(_numbers(db.execute("SELECT hash, vector FROM vectors")))
                elif path.name == FILE:
                    _carry_files(to, db, folder)
        except (sqlite3.DatabaseError, StoreDamaged) as error:
            _log.debug("%s: its vectors cannot be copied: %s", path, error)


def _carry_files(to: FreshVectors, db: sqlite3.Connection, folder: Path) -> None:
    """Copy the vectors in the files of a store."""
    db.execute("BEGIN")
    layers = sound_layers(folder, generation(db), thorough=False)
    for s in VECTOR_SETS:
        if any(len(layer.rows) for layer in layers.get(s.name, ())):
            to.take(_numbers(_of_rows(db, s, layers[s.name])))


def _numbers(rows: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Leave out vectors that are not numbers: products that became too large made a few of them."""
    for key, vector in rows:
        if not np.isnan(np.frombuffer(vector, np.float16)).all():
            yield key, vector


def _of_rows(
    db: sqlite3.Connection, s: VectorSet, layers: Sequence[VectorLayer]
) -> Iterator[tuple[bytes, bytes]]:
    """(hash, vector) of each row of a table whose vector is in layers."""
    rows = db.execute(f"SELECT {s.key}, vector FROM {s.table} WHERE vector IS NOT NULL")
    while part := rows.fetchmany(TOGETHER):
        there, vectors = stored(layers, np.array([row for row, _ in part], dtype=np.int64))
        for at in np.flatnonzero(there).tolist():
            yield part[at][1], vectors[at].tobytes()
