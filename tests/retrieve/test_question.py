"""Entities of a question, found among the store's own names."""

import sqlite3
from pathlib import Path

import pytest

from ragcli.retrieve.question import find_entities
from ragcli.store.snapshot import open_snapshot
from ragcli.store.snapshot.entities import Entities


def found(store: Path, text: str) -> dict[str, str]:
    """Words of the question -> key of the entity they name."""
    with open_snapshot(store) as snapshot:
        matches = find_entities(snapshot.entities, text)
        keys = {m.rows[0]: snapshot.entities.key(m.rows[0]) for m in matches}
    return {text[m.start : m.end]: keys[m.rows[0]] for m in matches}


def test_the_longest_name_wins(sample_store: Path) -> None:
    """The name "Ravoire Bridge" is one entity, not Ravoire and a bridge."""
    names = found(sample_store, "Who inspected the Ravoire Bridge?")
    assert names["the Ravoire Bridge"] == "ravoire bridge"
    assert "ravoire" not in names.values() and "bridge" not in names.values()


@pytest.mark.parametrize("text", ["the ravoire bridge", "RAVOIRE BRIDGE", "the Ravoire Bridge's"])
def test_spelling_does_not_matter(sample_store: Path, text: str) -> None:
    """Case, article and possessive are folded."""
    assert "ravoire bridge" in found(sample_store, f"What of {text}?").values()


def test_plurals_find_their_nouns(sample_store: Path) -> None:
    """The plural of a noun names it."""
    assert found(sample_store, "Which railcars failed?")["railcars"] == "railcar"


def test_a_name_known_for_many_means_its_own() -> None:
    """An alias of five says nothing; with an entity of that very name it means that one."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE entities (id INTEGER PRIMARY KEY, key TEXT)")
    db.execute("CREATE TABLE aliases (alias TEXT, entity INTEGER, count INTEGER)")
    people = [(i, f"person {i} knott") for i in range(1, 6)]
    db.executemany("INSERT INTO entities VALUES (?, ?)", people)
    db.executemany("INSERT INTO aliases VALUES ('knott', ?, 1)", [(i,) for i, _ in people])
    assert find_entities(Entities(db), "Where is Knott?") == ()
    db.execute("INSERT INTO entities VALUES (9, 'knott')")
    assert [m.rows for m in find_entities(Entities(db), "Where is Knott?")] == [(9,)]
    db.execute("DELETE FROM aliases WHERE entity > 2")
    assert [m.rows for m in find_entities(Entities(db), "Where is Knott?")] == [(9, 1, 2)]


@pytest.mark.parametrize("text", ["", "???", "Who is it and why?", "zzyzx qwrtp"])
def test_questions_that_name_nothing(sample_store: Path, text: str) -> None:
    """Function words, unknown words and no words give no entity."""
    assert found(sample_store, text) == {}
