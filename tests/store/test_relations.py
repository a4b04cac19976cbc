"""Packed relations are a sorted map from pairs to sums."""

from __future__ import annotations

import sqlite3
from importlib.resources import files
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.errors import StoreDamaged
from ragcli.store import relations, scratch
from ragcli.store.relations import MOST, Relations, add, find, key_of, listed, summed

Changes = dict[tuple[int, int], tuple[int, int]]
MANY = 3_000


def empty() -> sqlite3.Connection:
    """An empty store in memory."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(files("ragcli.store").joinpath("schema.sql").read_text())
    return db


def change(of: Changes) -> Relations:
    """Changes by pair, as they are written."""
    keys = np.array([key_of(*pair) for pair in of], dtype=np.int64)
    values = np.array(list(of.values()), dtype=np.int64).reshape(-1, 2)
    return summed(keys, values[:, 0], values[:, 1])


def content(db: sqlite3.Connection) -> Changes:
    """All relations of a store, in their order."""
    found = relations.everything(db)
    a, b = (ends.tolist() for ends in found.ends)
    values = zip(found.weights.tolist(), found.counts.tolist(), strict=True)
    return dict(zip(zip(a, b, strict=True), values, strict=True))


pairs = st.tuples(st.integers(1, 40), st.integers(41, 2**31 - 1))
values = st.tuples(st.integers(1, 1 << 40), st.integers(0, 1 << 20))
changes = st.dictionaries(pairs, values, max_size=30)


@settings(deadline=None)
@given(st.lists(changes, max_size=4))
def test_sums_are_those_of_a_dictionary(steps: list[Changes]) -> None:
    """Any changes in turn give their sums, in order; taken away again they leave nothing."""
    db = empty()
    expected: Changes = {}
    for step in steps:
        add(db, change(step))
        for pair, (weight, count) in step.items():
            had = expected.get(pair, (0, 0))
            expected[pair] = had[0] + weight, had[1] + count
    assert list(content(db).items()) == sorted(expected.items())
    for step in steps:
        add(db, change({pair: (-w, -n) for pair, (w, n) in step.items()}))
    assert db.execute("SELECT count(*) FROM relation_blocks").fetchone() == (0,)


@pytest.fixture(scope="module")
def many() -> tuple[sqlite3.Connection, Changes]:
    """Thousands of relations, written in four parts."""
    random, db = Random(1), empty()
    whole: Changes = {}
    for _ in range(4):
        part = {
            (random.randrange(1, 90), random.randrange(90, 5_000)): (
                random.randrange(1, 1 << 20),
                1,
            )
            for _ in range(MANY)
        }
        add(db, change(part))
        for pair, (weight, count) in part.items():
            had = whole.get(pair, (0, 0))
            whole[pair] = had[0] + weight, had[1] + count
    return db, whole


def test_many_relations_are_in_blocks(many: tuple[sqlite3.Connection, Changes]) -> None:
    """No block is larger than allowed, none empty, and a pair takes few bytes."""
    db, whole = many
    assert content(db) == whole
    assert relations.count(db) == len(whole)
    sizes = [len(block.keys) for block in listed(db)]
    assert min(sizes) > 0 and max(sizes) <= MOST
    (size,) = db.execute("SELECT sum(length(data)) FROM relation_blocks").fetchone()
    assert size < 6 * len(whole)


def test_a_change_rewrites_its_blocks_only(many: tuple[sqlite3.Connection, Changes]) -> None:
    """Other rows stay as they are."""
    db, whole = many
    pair = sorted(whole)[len(whole) // 2]
    before = set(db.execute("SELECT * FROM relation_blocks"))
    add(db, change({pair: (5, 1)}))
    after = set(db.execute("SELECT * FROM relation_blocks"))
    assert len(after - before) == 1
    add(db, change({pair: (-5, -1)}))
    assert content(db) == whole


@pytest.mark.parametrize("few", [0, 1 << 30])
def test_finding(
    many: tuple[sqlite3.Connection, Changes], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs are found one by one or all at once; those that are not there are told."""
    monkeypatch.setattr(relations, "_FEW", few)
    db, whole = many
    asked = sorted({*list(whole)[::7], (1, 89), (89, 2**31 - 1), (1, 6_000)})
    there, found = find(db, np.array([key_of(*pair) for pair in asked]))
    assert there.tolist() == [pair in whole for pair in asked]
    assert list(zip(found.weights.tolist(), found.counts.tolist(), strict=True)) == [
        whole.get(pair, (0, 0)) for pair in asked
    ]


def test_relations_of_an_entity(many: tuple[sqlite3.Connection, Changes]) -> None:
    """As the lower and as the higher end."""
    db, whole = many
    for entity in (1, 89, sorted(whole)[9][1]):
        found = relations.of_entity(db, entity)
        keys = [key_of(*pair) for pair in sorted(whole) if entity in pair]
        assert found.keys.tolist() == keys


def test_relations_among_entities(many: tuple[sqlite3.Connection, Changes]) -> None:
    """Both ends are among them, in whatever order they are asked for."""
    db, whole = many
    wanted = [4_000, 7, 88, *(b for a, b in whole if a == 7), 9_999]
    found = relations.among(db, np.array(wanted))
    some = set(wanted)
    assert found.keys.tolist() == [
        key_of(*pair) for pair in sorted(whole) if pair[0] in some and pair[1] in some
    ]


def test_nothing_is_found_in_an_empty_store() -> None:
    """Nor read."""
    db = empty()
    assert find(db, np.array([key_of(1, 2)]))[0].tolist() == [False]
    assert (content(db), relations.count(db)) == ({}, 0)
    assert not len(relations.of_entity(db, 1).keys)


def test_changes_are_noted() -> None:
    """With whether the pair existed; the first note stays."""
    db = empty()
    add(db, change({(1, 2): (7, 1)}))
    scratch.make_notes(db, relations.TABLE, ("a", "b"))
    add(db, change({(1, 2): (-7, -1), (1, 3): (4, 1)}))
    add(db, change({(1, 2): (9, 1)}))
    noted = db.execute(f"SELECT * FROM {scratch.notes_of(relations.TABLE)} ORDER BY 1, 2")
    assert noted.fetchall() == [(1, 2, 1), (1, 3, 0)]


@pytest.mark.parametrize("cut", [0, 3, 20, -1])
def test_damaged_blocks_are_told(cut: int) -> None:
    """A store from elsewhere may hold anything."""
    block = change({(1, b): (b, 1) for b in range(2, 99)})
    data = relations.pack(block)
    with pytest.raises(StoreDamaged, match="block of relations"):
        relations.unpack(int(block.keys[0]), data[:cut])
