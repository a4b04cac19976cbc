"""Sums over documents: what is added can be taken away without a trace."""

import sqlite3
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.store import relations
from ragcli.store.digest import PARTS
from ragcli.store.documents import StoredDocument
from ragcli.store.entity_sums import EntitySums
from ragcli.store.snapshot.entities import SHOWN_LABEL
from ragcli.types import Contribution

# Contributions of documents whose chunks do not matter here.
NOWHERE = StoredDocument(0, "", ())
KEYS = ("ann", "bob", "rome", "acme")


@pytest.fixture
def db() -> sqlite3.Connection:
    """An empty store in memory."""
    return empty()


def empty() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(files("ragcli.store").joinpath("schema.sql").read_text())
    return db


def rows(db: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Everything the aggregates say, in the order of names."""
    relations.unfold(db)
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


def written(changes: list[tuple[int, Contribution]]) -> dict[str, list[tuple[Any, ...]]]:
    """The store's rows after additions (1) and subtractions (-1), flushed one by one."""
    db = empty()
    for sign, contribution in changes:
        sums = EntitySums(db)
        sums.add(contribution, NOWHERE) if sign > 0 else sums.subtract(contribution)
        sums.flush()
    return rows(db)


@settings(deadline=None)
@given(contributions, contributions)
def test_subtracting_leaves_what_was_there(first: Contribution, second: Contribution) -> None:
    """One document added and removed beside another leaves that other alone."""
    assert written([(1, first), (1, second), (-1, second)]) == written([(1, first)])


@settings(deadline=None)
@given(contributions, contributions)
def test_order_does_not_matter(first: Contribution, second: Contribution) -> None:
    """Documents give the same sums in any order, in one flush or two."""
    assert written([(1, first), (1, second)]) == written([(1, second), (1, first)])


def test_the_last_document_takes_everything_with_it(db: sqlite3.Connection) -> None:
    """No entity, spelling, alias or relation outlives the documents that spoke of it."""
    said = Contribution(
        {("ann", "Ann", "PERSON", True): 2, ("bob", "Bob", "", True): 1},
        frozenset({("a", "ann")}),
        {("ann", "bob"): (5, 1)},
        (),
    )
    for sign in (1, -1):
        sums = EntitySums(db)
        sums.add(said, NOWHERE) if sign > 0 else sums.subtract(said)
        sums.flush()
    assert not any(rows(db).values())


def test_an_entity_is_called_by_its_own_most_frequent_name(db: sqlite3.Connection) -> None:
    """Borrowed spellings, however frequent, do not name it; its label is the majority's."""
    sums = EntitySums(db)
    names = {
        ("ann lee", "Lee", "PERSON", False): 9,
        ("ann lee", "Ann Lee", "PERSON", True): 2,
        ("ann lee", "ANN LEE", "ORG", True): 1,
    }
    sums.add(Contribution(names, frozenset(), {}, ()), NOWHERE)
    sums.flush()
    assert db.execute("SELECT name, label, mentions FROM entities").fetchall() == [
        ("Ann Lee", "PERSON", 12)
    ]


@pytest.mark.parametrize(
    ("spellings", "shown"),
    [
        ({("Bulletin", "PERSON"): 3, ("bulletin", "PERSON"): 2, ("bulletin", ""): 2}, "MISC"),
        ({("Bulletin", "PERSON"): 2, ("bulletin", ""): 2}, "PERSON"),
        ({("van Dorn", "PERSON"): 3}, "PERSON"),
        ({("Élan", "ORG"): 1}, "ORG"),
        ({("bulletin", ""): 5}, ""),
    ],
)
def test_a_name_that_is_mostly_a_common_noun_has_no_kind_of_name(
    db: sqlite3.Connection, spellings: dict[tuple[str, str], int], shown: str
) -> None:
    sums = EntitySums(db)
    names = {("key", text, label, True): n for (text, label), n in spellings.items()}
    sums.add(Contribution(names, frozenset(), {}, ()), NOWHERE)
    sums.flush()
    assert db.execute(f"SELECT {SHOWN_LABEL} FROM entities e").fetchall() == [(shown,)]


def said(*keys: str) -> Contribution:
    """What a document adds that mentions these, side by side."""
    edges = dict.fromkeys(pairwise(sorted(keys)), (1, 1))
    return Contribution({(k, k.title(), "PERSON", True): 1 for k in keys}, frozenset(), edges, ())


@pytest.mark.parametrize("most", [0, 400_000])
def test_no_id_is_given_twice_in_a_commit(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """However often a commit is written on its way: who goes, who comes and who only moves."""
    sums = EntitySums(db)
    sums.add(said("ann", "bob", "zoe"), NOWHERE)
    sums.flush()
    before = dict(db.execute("SELECT key, id FROM entities"))
    monkeypatch.setattr("ragcli.store.entity_sums._FLUSH_EDGES", most)
    sums = EntitySums(db)
    sums.subtract(said("ann", "bob", "zoe"))
    sums.add(said("ann", "yan"), NOWHERE)
    sums.add(said("bob", "xu"), NOWHERE)
    sums.flush()
    after = dict(db.execute("SELECT key, id FROM entities"))
    assert after.keys() == {"ann", "bob", "xu", "yan"}
    assert before["zoe"] == max(before.values()) and before["zoe"] not in after.values()
    assert (after["ann"], after["bob"]) == (before["ann"], before["bob"])


@settings(max_examples=40, deadline=None)
@given(st.lists(contributions, min_size=1, max_size=4))
def test_writing_on_the_way_changes_nothing(many: list[Contribution]) -> None:
    """A commit that writes after every document says what one says that writes at its end."""
    found = []
    for most in (0, 400_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("ragcli.store.entity_sums._FLUSH_EDGES", most)
            db = empty()
            for first, second in pairwise([[], many, many[1:]]):
                sums = EntitySums(db)
                for contribution in first:
                    sums.subtract(contribution)
                for contribution in second:
                    sums.add(contribution, NOWHERE)
                sums.flush()
            found.append(rows(db))
    assert found[0] == found[1] == written([(1, c) for c in many[1:]])
