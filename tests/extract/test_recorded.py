"""Recorded extractions: lines in, findings out, and which part of a text they belong to."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.errors import InputError
from ragcli.extract.recorded import merge, parse, share_out, text_sha256, write
from ragcli.types import EntityDescription, Findings, Relation

WORDS = st.text("ab é", min_size=1, max_size=6).map(lambda t: " ".join(t.split())).filter(bool)
ENTITIES = st.builds(EntityDescription, WORDS, st.sampled_from(("person", "other")), WORDS)


@st.composite
def findings(draw: st.DrawFn) -> Findings:
    """Findings whose relations join their own entities, as every producer gives them."""
    entities = draw(st.lists(ENTITIES, max_size=4, unique_by=lambda e: e.name))
    names = st.sampled_from([e.name for e in entities] or ["a"])
    keywords = st.lists(WORDS, max_size=3, unique=True).map(tuple)
    one = st.builds(Relation, names, names, keywords, WORDS, st.integers(1, 10))
    relations = draw(st.lists(one, max_size=3)) if entities else []
    return Findings(tuple(entities), tuple(relations), draw(WORDS))


def one(**raw: object) -> Findings:
    """The findings of one line."""
    return next(iter(parse([json.dumps({"doc": "d", **raw}).encode()]))).findings


@given(findings())
def test_what_is_written_is_read_again(found: Findings) -> None:
    """write -> JSON -> parse gives the same findings, under the hash of the text."""
    (record,) = parse([orjson.dumps(write("some  text", "d.md", 3, 13, found))])
    assert record.findings == found
    assert (record.doc, record.start, record.end) == ("d.md", 3, 13)
    assert record.sha256 == text_sha256("some\ntext")


def test_a_line_of_another_tool() -> None:
    """Only names are needed; ends of relations that no entity names become entities."""
    found = one(
        entities=[{"name": "Ann  Lee"}],
        relations=[{"source": "Ann Lee", "target": "Rome", "keywords": "lives in, home ,"}],
    )
    assert found.entities == (
        EntityDescription("Ann Lee", "other", ""),
        EntityDescription("Rome", "other", ""),
    )
    assert found.relations == (Relation("Ann Lee", "Rome", ("lives in", "home"), "", 1),)
    assert found.by == "recorded"
    assert one(relations=[{"source": "a", "target": "b", "weight": 99.5}]).relations[0].weight == 10


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "line 1"),
        ("[]", "object"),
        ('{"entities": []}', "text_sha256"),
        ('{"doc": "d", "entities": [{"name": " "}]}', "name"),
        ('{"doc": "d", "entities": ["Ann"]}', "list of objects"),
        ('{"doc": "d", "relations": [{"source": "Ann"}]}', "target"),
        ('{"doc": "d", "relations": [{"source": "a", "target": "b", "weight": "x"}]}', "weight"),
        ('{"doc": "d", "start": -1}', "start"),
        ('{"doc": 3}', "doc"),
        ('{"doc": "d", "entities": [{"name": "' + "x" * 121 + '"}]}', "120"),
    ],
)
def test_a_bad_line_is_told_with_its_number(line: str, reason: str) -> None:
    """Nothing is guessed: the file is refused."""
    with pytest.raises(InputError, match="line 1") as caught:
        list(parse([line.encode()]))
    assert reason in caught.value.message


def test_share_out_by_hand() -> None:
    """Each part has the entities it names, the relations whose ends it names, and their ends."""
    ann, bob, moon = (EntityDescription(n, "other", "") for n in ("Ann", "Bob", "Moon"))
    met, apart = Relation("Ann", "Bob", (), "met"), Relation("Ann", "Moon", (), "saw")
    found = Findings((ann, bob, moon), (met, apart), "x")
    first, second, third = share_out(found, ["Ann alone.", "Ann met Bob.", "Nobody."])
    assert first == Findings((ann, moon), (apart,), "x")
    assert second == Findings((ann, bob, moon), (met, apart), "x")
    assert third == Findings((), (), "x")


@given(findings(), st.lists(WORDS, min_size=1, max_size=4))
def test_nothing_is_lost_or_left_without_its_ends(found: Findings, texts: list[str]) -> None:
    """All shares together say all, and nothing that was not said."""
    shares = share_out(found, texts)
    assert {e for s in shares for e in s.entities} == set(found.entities)
    assert {r for s in shares for r in s.relations} == set(found.relations)
    for share in shares:
        names = {e.name for e in share.entities}
        assert all({r.source, r.target} <= names for r in share.relations)


@given(findings(), findings())
def test_merging_twice_changes_nothing(a: Findings, b: Findings) -> None:
    """What is said in the same words is said once."""
    both = merge(a, b)
    assert merge(both, b) == both
