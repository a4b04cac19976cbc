"""How the best passages of a walk are compared with each other."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from searching import Search, searching

from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.retrieve import OWN, Helpers, retrieve
from ragcli.text.descriptions import steps_of

NOTES = {
    "otter.md": "# Sea Otter\n\nThe Sea Otter is a ferry. Captain Maud Pell commands her.",
    "pell.md": "# Maud Pell\n\nMaud Pell grew up in Tarnby and learned to sail as a child.",
    "tarnby.md": "# Tarnby\n\nTarnby is a village known for its red church and its smoked eel.",
    "fair.md": "# Fair\n\nAt the fair the Sea Otter was painted red. Everybody cheered.",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the notes above, and of a long document without names."""
    base = tmp_path_factory.mktemp("compare")
    (base / "docs").mkdir()
    for name, words in NOTES.items():
        (base / "docs" / name).write_text(words)
    log = " ".join(f"Day {n}: the pump was checked and the valve held." for n in range(120))
    (base / "docs" / "log.txt").write_text(f"{log} A heron nested on the crane. {log}")
    index(IndexRequest(base / "store", (base / "docs",)), Settings(workers=1))
    return base / "store"


def docs(search: Search, question: str, mode: str, k: int = 4) -> list[str]:
    return [hit.doc for hit in search.hits(search.understand(question), mode, k)]


def test_the_bridge_stands_before_what_only_names(store: Path) -> None:
    """The captain, whose note shares no name with the question, before the fair, which has one."""
    with searching(store, Settings()) as search:
        found = docs(search, "Where did the captain of the Sea Otter grow up?", "auto")
        assert set(found[:2]) == {"otter.md", "pell.md"} and found[2] == "fair.md"


def test_what_the_first_passage_leads_to_is_compared_outside_the_walk(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk covers the nearest passage and those by words; its captain has a note."""
    monkeypatch.setattr("ragcli.retrieve.compare.MAX_PASSAGES", 1)
    monkeypatch.setattr("ragcli.retrieve.seeds.NEAREST", 1)
    with searching(store, Settings()) as search:
        question = search.understand("What is the Sea Otter?")
        assert "pell.md" not in docs(search, "What is the Sea Otter?", "naive", 1)
        found = search.hits(question, "auto", 10)
        assert found[0].doc == "otter.md" and "pell.md" in [hit.doc for hit in found]
        assert len(found) < 10


def test_a_passage_near_to_a_step_counts_more(store: Path) -> None:
    """Each step has the vector of a note: that note scores higher than with another's vector."""
    asked = "What was painted in the village where the captain of the Sea Otter grew up?"
    steps: list[str] = []
    with searching(store, Settings()) as search:
        question = search.understand(asked)

        def scores(near: str) -> dict[str, float]:
            (vector,) = search.helpers.encode([NOTES[near]])

            def encode(texts: Sequence[str]) -> NDArray[np.float32]:
                steps[:] = texts
                return np.stack([vector] * len(texts))

            hits = retrieve(search.index, question, OWN["auto"], 4, Helpers(encode)).hits
            return {hit.doc: hit.score for hit in hits}

        fair, tarnby = scores("fair.md"), scores("tarnby.md")
        assert fair["fair.md"] > tarnby["fair.md"] and tarnby["tarnby.md"] > fair["tarnby.md"]
        assert steps == steps_of(asked) and len(steps) == 3


def test_words_find_the_passage_of_a_long_document(store: Path) -> None:
    """The one passage of the log with the words of the question is first, and says why."""
    with searching(store, Settings()) as search:
        (hit,) = search.hits(search.understand("which bird nested on the crane?"), "auto", 1)
        assert "heron" in hit.text and "words rank 1" in hit.via[0].note


def test_scores_fall_and_finds_are_distinct(store: Path) -> None:
    """For any number of hits; a shorter ranking is the beginning of a longer one."""
    with searching(store, Settings()) as search:
        question = search.understand("Where did the captain of the Sea Otter grow up?")
        hits = search.hits(question, "auto", 10)
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        places = [(hit.doc, hit.start) for hit in hits]
        assert len(set(places)) == len(places) > 5
        assert [(h.doc, h.start) for h in search.hits(question, "auto", 3)] == places[:3]


def test_texts_of_passages(store: Path) -> None:
    """Text as a hit shows it, the title, and the number of passages of the document."""
    with searching(store, Settings()) as search:
        rows: list[int] = search.index.passages.ids.tolist()
        found = search.snapshot.chunks.passage_texts(rows)
        assert sorted(found) == rows
        counts: dict[str, int] = {}
        for row in rows:
            hit = search.index.passage_hit(row, 0.0, 1, ())
            assert (found[row].title, found[row].text) == (hit.title, hit.text)
            counts[hit.doc] = counts.get(hit.doc, 0) + 1
        for row in rows:
            assert found[row].passages == counts[search.index.passage_hit(row, 0.0, 1, ()).doc]
        assert search.snapshot.chunks.passage_texts([]) == {}
