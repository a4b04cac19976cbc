"""Sums over documents: what is added can be taken away without a trace."""

import sqlite3
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.store.aggregate import Aggregates
from ragcli.store.digest import PARTS
from ragcli.types import Contribution

KEYS = ("ann", "bob", "rome", "acme")


@pytest.fixture
def db() -> sqlite3.Connection:
    """An empty store in memory."""
    return empty()


def empty() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(files("ragcli.store").joinpath("schema.sql").read_text())
    return db


def rows(db: sqlite3.Connection) -> dict[str, list[tuple]]:
    """Everything the aggregates say, in the order of names."""
    names = ("entities", "surfaces", "aliases", "relations")
    return {name: db.execute(PARTS[name]).fetchall() for name in names}


contributions = st.builds(
    lambda names, edges, alias: Contribution(
        {(k, k.title(), label, True): n for (k, label), n in names.items()},
        frozenset({("a", "ann")} if alias and ("ann", "PERSON") in names else ()),
        {tuple(sorted(e)): (w, 1) for e, w in edges.items() if len(e) == 2},
        (),
    ),
    st.dictionaries(
        st.tuples(st.sampled_from(KEYS), st.sampled_from(("PERSON", "ORG", ""))),
        st.integers(1, 9),
        min_size=4,
    ),
    st.dictionaries(
        st.frozensets(st.sampled_from(KEYS), min_size=2, max_size=2), st.integers(1, 1 << 20)
    ),
    st.booleans(),
).filter(lambda c: {k for e in c.edges for k in e} <= {name[0] for name in c.names})


def written(changes: list[tuple[int, Contribution]]) -> dict[str, list[tuple]]:
    """The store's rows after additions (1) and subtractions (-1), flushed one by one."""
    db = empty()
    for sign, contribution in changes:
        sums = Aggregates(db)
        sums.add(contribution, []) if sign > 0 else sums.subtract(contribution)
        sums.flush()
    return rows(db)


@given(contributions, contributions)
def test_subtracting_leaves_what_was_there(first, second) -> None:
    """One document added and removed beside another leaves that other alone."""
    assert written([(1, first), (1, second), (-1, second)]) == written([(1, first)])


@given(contributions, contributions)
def test_order_does_not_matter(first, second) -> None:
    """Documents give the same sums in any order, in one flush or two."""
    assert written([(1, first), (1, second)]) == written([(1, second), (1, first)])


def test_the_last_document_takes_everything_with_it(db) -> None:
    """No entity, spelling, alias or relation outlives the documents that spoke of it."""
    said = Contribution(
        {("ann", "Ann", "PERSON", True): 2, ("bob", "Bob", "", True): 1},
        frozenset({("a", "ann")}),
        {("ann", "bob"): (5, 1)},
        (),
    )
    for sign in (1, -1):
        sums = Aggregates(db)
        sums.add(said, []) if sign > 0 else sums.subtract(said)
        sums.flush()
    assert not any(rows(db).values())


def test_an_entity_is_called_by_its_own_most_frequent_name(db) -> None:
    """Borrowed spellings, however frequent, do not name it; its label is the majority's."""
    sums = Aggregates(db)
    names = {
        ("ann lee", "Lee", "PERSON", False): 9,
        ("ann lee", "Ann Lee", "PERSON", True): 2,
        ("ann lee", "ANN LEE", "ORG", True): 1,
    }
    sums.add(Contribution(names, frozenset(), {}, ()), [])
    sums.flush()
    assert db.execute("SELECT name, label, mentions FROM entities").fetchall() == [
        ("Ann Lee", "PERSON", 12)
    ]
