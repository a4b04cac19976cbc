"""LightRAG's two levels, on a store with described relations and on one without."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from searching import Search, searching

from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.papers.background import (
    ENTITIES_SHARE,
    RELATIONS_SHARE,
    Background,
    background,
)
from ragcli.papers.facts import Described, Facts, Undescribed
from ragcli.papers.light import both, high, low
from ragcli.retrieve import Question

SETTINGS = Settings(workers=1)
NOTES = {
    "ferry.md": "The Sea Otter is a ferry. Captain Maud Pell commands the Sea Otter.",
    "pell.md": "Maud Pell grew up in Tarnby and learned to sail as a child.",
    "tarnby.md": "Tarnby is a village known for its red church and its smoked eel.",
    "bread.md": "Flour, water, salt and patience make bread. Bake it hot.",
    "lamp.md": "Edda Voss invented the storm lamp in Kiel after a shipwreck.",
}
RELATIONS = {
    "ferry.md": [("Maud Pell", "Sea Otter", "command", "Maud Pell commands the ferry Sea Otter.")],
    "pell.md": [("Maud Pell", "Tarnby", "origin", "Maud Pell grew up in Tarnby.")],
    "lamp.md": [("Edda Voss", "storm lamp", "inventions", "Edda Voss invented the storm lamp.")],
}
MODES = ("local", "global", "hybrid", "mix")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("light")
    (made / "docs").mkdir()
    for name, text in NOTES.items():
        (made / "docs" / name).write_text(text)
    lines = [
        orjson.dumps(
            {
                "text": NOTES[doc],
                "entities": [{"name": "Maud Pell", "type": "person", "description": "A captain."}]
                if doc == "pell.md"
                else [],
                "relations": [
                    {"source": a, "target": b, "keywords": [word], "description": text}
                    for a, b, word, text in relations
                ],
            }
        )
        for doc, relations in RELATIONS.items()
    ]
    (made / "found.jsonl").write_bytes(b"\n".join(lines))
    return made


@pytest.fixture(scope="module")
def fast(folder: Path) -> Path:
    index(IndexRequest(folder / "fast", (folder / "docs",)), SETTINGS)
    return folder / "fast"


@pytest.fixture(scope="module")
def described(folder: Path) -> Path:
    request = IndexRequest(
        folder / "described", (folder / "docs",), extractions=folder / "found.jsonl"
    )
    index(request, SETTINGS)
    return folder / "described"


def docs(search: Search, question: str, mode: str) -> list[str]:
    hits = search.hits(search.understand(question), mode, 5)
    assert all(hit.via[0].note for hit in hits)
    return [hit.doc for hit in hits]


def test_without_descriptions_the_text_is_all_there_is(fast: Path) -> None:
    """Both parts together give what names and passages give alone."""
    with searching(fast, SETTINGS) as search:
        question = search.understand("Where did the captain of the Sea Otter grow up?")
        key, of = question.vector, dict.fromkeys(question.entities, 1.0)
        both_, text = Facts(search.index, search.helpers), Undescribed(search.index, search.helpers)
        assert both_.entities_near(key, 5) == text.entities_near(key, 5) != []
        assert both_.relations_of(of, key, 5) == text.relations_of(of, key, 5) != []
        assert both_.relations_near(key, [key], 5) == text.relations_near(key, [key], 5) != []


def test_the_better_of_both_counts(described: Path) -> None:
    """An entity by its name or its profile, a pair with the passages of its statements and text."""
    with searching(described, SETTINGS) as search:
        key = search.understand("Who invented the storm lamp?").vector
        parts = Described(search.index), Undescribed(search.index, search.helpers)
        known = Facts(search.index, search.helpers)
        near = [dict(part.entities_near(key, 50)) for part in parts]
        for row, score in known.entities_near(key, 50):
            assert score == max(scores.get(row, 0.0) for scores in near)
        found = [{r.pair: r for r in part.relations_near(key, [], 50)} for part in parts]
        shared = found[0].keys() & found[1].keys()
        assert shared
        for related in known.relations_near(key, [], 50):
            of_each = [pairs[related.pair] for pairs in found if related.pair in pairs]
            assert related.score == max(r.score for r in of_each)
            assert set(related.passages) == {p for r in of_each for p in r.passages}


@pytest.mark.parametrize("mode", MODES)
def test_what_nobody_described_is_found(described: Path, mode: str) -> None:
    """Nothing is said of the village's own page: its names and its text still lead there."""
    with searching(described, SETTINGS) as search:
        assert (
            docs(search, "Which village has a red church and smoked eel?", mode)[0] == "tarnby.md"
        )


@pytest.mark.parametrize("mode", ["local", "hybrid", "mix"])
@pytest.mark.parametrize("store", ["fast", "described"])
def test_a_neighbour_is_reached(store: str, mode: str, request: pytest.FixtureRequest) -> None:
    """From the ferry over its captain to her village, which shares no word with the question."""
    with searching(request.getfixturevalue(store), SETTINGS) as search:
        found = docs(search, "Where did the captain of the Sea Otter grow up?", mode)
        assert set(found[:2]) == {"ferry.md", "pell.md"}
        assert "bread.md" not in found[:3]


def test_a_theme_leads_to_its_relations(described: Path) -> None:
    """A question that names nothing finds the relation by its theme."""
    with searching(described, SETTINGS) as search:
        question = search.understand("What inventions are there?")
        selection = high(search.index, question, search.helpers)
        names = search.snapshot.entities.names(selection.relations[0].pair)
        assert set(names.values()) == {"Edda Voss", "storm lamp"}
        assert docs(search, question.asked.text, "global")[0] == "lamp.md"


def test_both_levels_hold_what_each_found(described: Path) -> None:
    """Hybrid is their union, with the better score, best first."""
    with searching(described, SETTINGS) as search:
        question = search.understand("Which village does the captain of the Sea Otter come from?")
        one, other, union = (f(search.index, question, search.helpers) for f in (low, high, both))
        assert union.entities.keys() == one.entities.keys() | other.entities.keys()
        assert {r.pair for r in union.relations} == {
            r.pair for r in (*one.relations, *other.relations)
        }
        scores = [r.score for r in union.relations]
        assert scores == sorted(scores, reverse=True)
        for row, score in union.entities.items():
            assert score == max(one.entities.get(row, 0), other.entities.get(row, 0))


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_store_has_no_hits(mode: str, tmp_path: Path) -> None:
    """Nothing to refer to, nothing found."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("")
    (tmp_path / "docs" / "b.md").write_text("it is so\n")
    index(IndexRequest(tmp_path / "s", (tmp_path / "docs",)), SETTINGS)
    with searching(tmp_path / "s", SETTINGS) as search:
        hits = search.hits(search.understand("Who sailed?"), mode, 5)
        assert len(hits) <= 1


def words(text: str) -> int:
    return len(text.split())


def known_of(search: Search, question: Question, mode: str, budget: int) -> Background:
    """The background of what a mode selects."""
    return background(search.index, search.retrieve(question, mode, 5).selection, budget, words)


@pytest.mark.parametrize("store", ["fast", "described"])
def test_the_background_says_what_is_known(store: str, request: pytest.FixtureRequest) -> None:
    """Profiles, or the sentences that name an entity or a pair, each part within its share."""
    with searching(request.getfixturevalue(store), SETTINGS) as search:
        question = search.understand("Where did Maud Pell grow up?")
        known = known_of(search, question, "local", 300)
        assert any("grew up in Tarnby" in line for line in known.entities + known.relations)
        assert any(": " in line and "Sea Otter" in line for line in known.relations)
        assert sum(map(words, known.entities)) <= 300 * ENTITIES_SHARE
        assert sum(map(words, known.relations)) <= 300 * RELATIONS_SHARE
        assert known.tokens == sum(map(words, known.entities + known.relations))
        assert known_of(search, question, "walk", 300) == Background()
        assert known_of(search, question, "mix", 4).tokens <= 4


def test_a_described_entity_has_its_profile_and_type(described: Path) -> None:
    """As a language model is told."""
    with searching(described, SETTINGS) as search:
        question = search.understand("Who is Maud Pell?")
        assert "Maud Pell (person): A captain." in known_of(search, question, "local", 300).entities
