"""The relations of the entities: a sorted map from pairs to sums, packed in blocks of hundreds.

A row of ``relation_blocks`` holds a run of pairs in the order of their keys; ``first`` is the key
of its first pair, ``a << 32 | b`` with a < b. A pair takes 4 bytes; as a row of its own with an
index on b it took 30. A change rewrites only the blocks of its pairs.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged
from ragcli.store import scratch

Int = NDArray[np.int64]

MOST = 512
"""Pairs in a block. A larger block is cut into blocks of about three quarters of that."""

_CUT = 384
_TYPES = ("<u1", "<u2", "<u4", "<u8")
_HEAD = struct.Struct("<H4B")
_LEVEL = 6
# Below so many pairs, each is looked up by itself; reading all first keys takes longer.
_FEW = 5_000
_LOW = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class Relations:
    """Pairs by rising key, each (n,): ``keys`` are a << 32 | b, a < b; ``weights`` are in units of
    1 / cooccurrence.SCALE, ``counts`` are sentences."""

    keys: Int
    weights: Int
    counts: Int

    @property
    def ends(self) -> tuple[Int, Int]:
        """The entity rows a and b of each pair."""
        return self.keys >> 32, self.keys & _LOW

    def only(self, chosen: NDArray[np.bool_] | slice) -> Relations:
        """Some of the pairs."""
        return Relations(self.keys[chosen], self.weights[chosen], self.counts[chosen])


def key_of(a: int, b: int) -> int:
    """The key of two entity rows, in any order."""
    return min(a, b) << 32 | max(a, b)


def summed(keys: Int, weights: Int, counts: Int) -> Relations:
    """Add up the changes of equal keys, in any order, (n,) -> (m,)."""
    if not len(keys):
        return Relations(keys, weights, counts)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    return Relations(
        ordered[starts],
        np.add.reduceat(weights[order], starts),
        np.add.reduceat(counts[order], starts),
    )


def joined(parts: list[Relations]) -> Relations:
    """One after the other."""
    none = np.empty(0, np.int64)
    return Relations(
        np.concatenate([none, *(p.keys for p in parts)]),
        np.concatenate([none, *(p.weights for p in parts)]),
        np.concatenate([none, *(p.counts for p in parts)]),
    )


def pack(found: Relations) -> bytes:
    """Pack at most ``MOST`` pairs, rising; the key of the first is stored beside."""
    a, b = found.ends
    rise = np.diff(a, prepend=a[:1])
    # Within one a, the difference to the b before.
    step = np.where(rise == 0, np.diff(b, prepend=b[:1]), b)
    step[0] = 0
    columns = [rise, step, found.weights, found.counts]
    kinds = [int(np.searchsorted([1 << 8, 1 << 16, 1 << 32], c.max(), "right")) for c in columns]
    # Byte by byte, so that what hardly changes lies together.
    planes = [
        c.astype(_TYPES[kind]).view(np.uint8).reshape(len(c), -1).T.tobytes()
        for c, kind in zip(columns, kinds, strict=True)
    ]
    return _HEAD.pack(len(a), *kinds) + zlib.compress(b"".join(planes), _LEVEL)


def unpack(first: int, data: bytes) -> Relations:
    """Return the pairs of a block. Raises StoreDamaged."""
    try:
        size, *kinds = _HEAD.unpack_from(data)
        widths = [1 << kind for kind in kinds]
        stream = zlib.decompressobj()
        plain = stream.decompress(data[_HEAD.size :], 32 * MOST + 1)
        if not 0 < size <= MOST or len(plain) != size * sum(widths) or not stream.eof:
            raise ValueError(f"{len(plain)} bytes for {size} pairs")
        columns, at = [], 0
        for kind, width in zip(kinds, widths, strict=True):
            planes = np.frombuffer(plain, np.uint8, size * width, at).reshape(width, size)
            columns.append(np.ascontiguousarray(planes.T).view(_TYPES[kind])[:, 0].astype(np.int64))
            at += size * width
    except (ValueError, IndexError, struct.error, zlib.error) as error:
        raise StoreDamaged(f"a block of relations is damaged: {error}", _HINT) from error
    rise, step, weights, counts = columns
    a = (first >> 32) + np.cumsum(rise)
    step[0] = first & _LOW
    sums = np.cumsum(step)
    starts = np.flatnonzero(np.concatenate([[True], rise[1:] != 0]))
    before = (sums - step)[starts]
    b = sums - np.repeat(before, np.diff(np.append(starts, size)))
    return Relations(a << 32 | b, weights, counts)


_HINT = "rebuild the store with: ragcli index --rebuild"


def listed(db: sqlite3.Connection) -> Iterator[Relations]:
    """Yield all relations by rising key, a block at a time."""
    for first, data in db.execute("SELECT first, data FROM relation_blocks ORDER BY first"):
        yield unpack(first, data)


def everything(db: sqlite3.Connection) -> Relations:
    """Return all relations."""
    return joined(list(listed(db)))


def of_entity(db: sqlite3.Connection, entity: int) -> Relations:
    """Return the relations of one entity.

    Those with a higher row lie together; for those with a lower one, all blocks before are read.
    """
    rows = db.execute(
        "SELECT first, data FROM relation_blocks WHERE first < ? ORDER BY first",
        ((entity + 1) << 32,),
    )
    parts = []
    for first, data in rows:
        block = unpack(first, data)
        a, b = block.ends
        if (here := (a == entity) | (b == entity)).any():
            parts.append(block.only(here))
    return joined(parts)


def among(db: sqlite3.Connection, entities: Int) -> Relations:
    """Return the relations whose ends are both among some entities, in any order."""
    query = "SELECT first, data FROM relation_blocks WHERE first < ? AND first >="
    query += " coalesce((SELECT max(first) FROM relation_blocks WHERE first <= ?), 0)"
    blocks: dict[int, Relations] = {}
    for entity in entities.tolist():
        for first, data in db.execute(query, ((entity + 1) << 32, entity << 32)):
            if first not in blocks:
                block = unpack(first, data)
                a, b = block.ends
                blocks[first] = block.only(np.isin(a, entities) & np.isin(b, entities))
    return joined([blocks[first] for first in sorted(blocks)])


def count(db: sqlite3.Connection) -> int:
    """Return the number of relations; reads the first bytes of each block."""
    return sum(
        int.from_bytes(head[:2], "little")
        for (head,) in db.execute("SELECT substr(data, 1, 2) FROM relation_blocks")
    )


def find(db: sqlite3.Connection, keys: Int) -> tuple[NDArray[np.bool_], Relations]:
    """Return which of some keys, rising, exist, and their sums, 0 where they do not; all (n,)."""
    weights, counts = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    there = np.zeros(len(keys), dtype=bool)
    for first, part in _by_block(db, keys):
        if first is None:
            continue
        block = _block(db, first)
        place = np.minimum(np.searchsorted(block.keys, keys[part]), len(block.keys) - 1)
        here = block.keys[place] == keys[part]
        there[part] = here
        weights[part] = np.where(here, block.weights[place], 0)
        counts[part] = np.where(here, block.counts[place], 0)
    return there, Relations(keys, weights, counts)


def add(db: sqlite3.Connection, change: Relations) -> None:
    """Add changes, positive or negative, of different pairs, rising; inside a transaction.

    A pair without weight and sentences is removed. The changed pairs are noted for the journal, if
    there is one.
    """
    noting = scratch.exists(db, scratch.notes_of(TABLE))
    for first, part in _by_block(db, change.keys):
        former = _block(db, first) if first is not None else joined([])
        here = change.only(part)
        if noting:
            _note(db, here.keys, former.keys)
        now = summed(
            np.concatenate([former.keys, here.keys]),
            np.concatenate([former.weights, here.weights]),
            np.concatenate([former.counts, here.counts]),
        )
        now = now.only((now.weights != 0) | (now.counts != 0))
        if first is not None:
            db.execute("DELETE FROM relation_blocks WHERE first = ?", (first,))
        _insert(db, now)


TABLE = "relations"
"""The name of the temporary table that ``unfold`` makes, and of the notes on relations."""


def unfold(db: sqlite3.Connection) -> None:
    """Make the temporary table ``relations`` (a, b, weight, count), for queries that join it."""
    scratch.make(db, TABLE)
    for block in listed(db):
        a, b = (ends.tolist() for ends in block.ends)
        rows = zip(a, b, block.weights.tolist(), block.counts.tolist(), strict=True)
        db.executemany(f"INSERT INTO temp.{TABLE} VALUES (?, ?, ?, ?)", rows)


def _block(db: sqlite3.Connection, first: int) -> Relations:
    (data,) = db.execute("SELECT data FROM relation_blocks WHERE first = ?", (first,)).fetchone()
    return unpack(first, data)


def _insert(db: sqlite3.Connection, found: Relations) -> None:
    size = len(found.keys)
    step = size if size <= MOST else -(-size // -(-size // _CUT))
    db.executemany(
        "INSERT INTO relation_blocks VALUES (?, ?)",
        [
            (int(found.keys[at]), pack(found.only(slice(at, at + step))))
            for at in range(0, size, max(step, 1))
        ],
    )


def _by_block(db: sqlite3.Connection, keys: Int) -> Iterator[tuple[int | None, slice]]:
    """Yield the first key of each block that holds, or would hold, some of the rising keys.

    The keys are those of the slice. None: there is no block yet. Keys before the first block belong
    to it.
    """
    if not len(keys):
        return
    if len(keys) < _FEW:
        query = "SELECT coalesce((SELECT max(first) FROM relation_blocks WHERE first <= ?),"
        query += " (SELECT min(first) FROM relation_blocks))"
        homes = [db.execute(query, (key,)).fetchone()[0] for key in keys.tolist()]
        if homes[0] is None:
            yield None, slice(0, len(keys))
            return
        home = np.array(homes, dtype=np.int64)
    else:
        rows = db.execute("SELECT first FROM relation_blocks ORDER BY first").fetchall()
        if not rows:
            yield None, slice(0, len(keys))
            return
        firsts = np.array(rows, dtype=np.int64)[:, 0]
        home = firsts[np.maximum(np.searchsorted(firsts, keys, "right") - 1, 0)]
    edges = np.flatnonzero(np.diff(home)) + 1
    for start, end in zip([0, *edges.tolist()], [*edges.tolist(), len(keys)], strict=True):
        yield int(home[start]), slice(start, end)


def _note(db: sqlite3.Connection, keys: Int, former: Int) -> None:
    """Note changed pairs, and whether each existed; the first note of a pair stays."""
    was = np.isin(keys, former).astype(np.int64)
    rows = zip((keys >> 32).tolist(), (keys & _LOW).tolist(), was.tolist(), strict=True)
    db.executemany(f"INSERT OR IGNORE INTO temp.{scratch.notes_of(TABLE)} VALUES (?, ?, ?)", rows)
