"""The edges of the entity graph, placed one by one, are those that sorting all of them gives."""

from __future__ import annotations

import sqlite3
from importlib.resources import files
from random import Random

import numpy as np
import pytest

from ragcli.search import arrays, relation_edges
from ragcli.search.edge_layers import pack
from ragcli.search.relation_edges import relation_layer
from ragcli.store import relations
from ragcli.store.relations import key_of, summed


@pytest.fixture
def db() -> sqlite3.Connection:
    """An empty store in memory."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(files("ragcli.store").joinpath("schema.sql").read_text())
    return db


@pytest.mark.parametrize("large", [1, 1 << 30])
def test_edges_from_both_ends(
    db: sqlite3.Connection, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In memory and in a temporary file, over many parts."""
    monkeypatch.setattr(relation_edges, "_TOGETHER", 2)
    monkeypatch.setattr(arrays, "_LARGE", large)
    random = Random(3)
    pairs = sorted({tuple(sorted(random.sample(range(1, 400), 2))) for _ in range(6_000)})
    keys = np.array([key_of(*pair) for pair in pairs])
    weights = np.array([random.getrandbits(30) for _ in pairs])
    relations.add(db, summed(keys, weights, np.ones(len(keys), np.int64)))
    db.execute("INSERT INTO entities VALUES (500, 'k', 'K', '', 'noun', 1, 1, NULL)")
    found = relation_layer(db)
    a, b = keys >> 32, keys & 0xFFFFFFFF
    wanted = pack(
        np.concatenate([a, b]),
        np.concatenate([b, a]),
        np.ones(2 * len(keys), np.float32),
    )
    for name in ("sources", "starts", "ends", "weights", "degrees"):
        one, other = getattr(found, name), getattr(wanted, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_no_relations(db: sqlite3.Connection) -> None:
    """A layer without edges."""
    found = relation_layer(db)
    assert (len(found.sources), found.starts.tolist(), len(found.ends)) == (0, [0], 0)
