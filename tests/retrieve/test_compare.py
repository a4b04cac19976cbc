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
from ragcli.retrieve import Helpers, retrieve
from ragcli.retrieve.compare import (
    NamesOf,
    adds,
    follows,
    holding,
    linked,
    long_documents,
    nearest,
)
from ragcli.store.snapshot.chunks import PassageText
from ragcli.text.descriptions import steps_of

NOTES = {
    "otter.md": "# Sea Otter\n\nThe Sea Otter is a ferry. Captain Maud Pell commands her.",
    "pell.md": "# Maud Pell\n\nMaud Pell grew up in Tarnby and learned to sail as a child.",
    "tarnby.md": "# Tarnby\n\nTarnby is a village known for its red church and its smoked eel.",
    "fair.md": "# Fair\n\nAt the fair the Sea Otter was painted red. Everybody cheered.",
}


def text(words: str, title: str = "", passages: int = 1) -> PassageText:
    return PassageText(title, words, passages)


def names(
    every: list[set[int]], titles: list[set[int]], asked: frozenset[int] = frozenset()
) -> NamesOf:
    return NamesOf(list(map(frozenset, every)), list(map(frozenset, titles)), asked)


def test_a_passage_follows_from_the_one_that_mentions_its_title() -> None:
    """Passage 0 mentions name 7, the title of 1 and one of four passages with it; 2 has no link."""
    found = follows(names([{7}, {7, 8}, {7}], [set(), {7}, {9}]), np.array([1.0, 0.5, 0.2]), {7: 4})
    assert found.tolist() == [0.0, 0.5, 0.0]


def test_a_passage_follows_by_the_share_of_the_first() -> None:
    """The first passage that mentions the title has a quarter of the best one's probability."""
    found = follows(names([set(), {7}, {7}], [set(), set(), {7}]), np.array([1, 0.25, 0.1]), {7: 1})
    assert found.tolist() == [0.0, 0.0, 0.25]


def test_a_passage_does_not_follow_from_itself() -> None:
    """Every passage mentions its own title."""
    assert follows(names([{7}], [{7}]), np.array([1.0]), {7: 1}).tolist() == [0.0]


def test_the_rarest_name_leads() -> None:
    """Of two names of a title that the first passage mentions."""
    found = follows(names([{7, 8}, {7, 8}], [set(), {7, 8}]), np.ones(2), {7: 100, 8: 4})
    assert found[1] == 0.5


def test_a_passage_adds_what_the_first_leaves() -> None:
    """The first has word 0 and leaves words 1 and 2, which the second has; the third has word 0
    like the first, which adds something to the second only, a passage of little share."""
    held = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 0]], dtype=bool)
    found = adds(held, np.array([1.0, 0.1, 0.1]))
    assert found == pytest.approx([0.1, 1.0, 0.1])


def test_rare_words_add_more() -> None:
    """Word 1 is in most passages, word 2 in one: the passage with word 2 adds more."""
    held = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0]], dtype=bool)
    found = adds(held, np.array([1.0, 0.01, 0.01, 0.01, 0.01]))
    assert found[2] > found[1] > 0


def test_nothing_is_added_to_a_passage_with_all_words() -> None:
    """Nor to a question without words."""
    assert adds(np.ones((2, 3), dtype=bool), np.ones(2)).tolist() == [0.0, 0.0]
    assert adds(np.ones((2, 0), dtype=bool), np.ones(2)).tolist() == [0.0, 0.0]


def test_a_passage_counts_by_the_nearest_step() -> None:
    """Passages 0 and 1 are the best for a step each; 2 is 0.1 less than the best for the second."""
    found = nearest([np.array([0.9, 0.2, 0.3]), np.array([0.1, 0.4, 0.3])])
    assert found == pytest.approx([0.0, 0.0, -0.1])


def test_passages_are_linked_by_a_rare_name_that_is_not_asked() -> None:
    """Of 100 passages, 10 have name 7, one has name 8, which the question says; 3 shares none."""
    found = linked(
        names([{7, 8}, {7}, {8}, set()], [set()] * 4, frozenset({8})),
        np.array([0.5, 0.1, 0.1, 0.1]),
        {7: 10, 8: 1},
        100,
    )
    assert found == pytest.approx([0.5, 0.25, 0.1, 0.1])


def test_a_name_in_all_passages_links_nothing() -> None:
    """Passages beyond the first five are linked with them only."""
    share = np.array([1.0, 0.1, 0.1, 0.1, 0.1, 0.1])
    found = linked(names([{7}] * 6, [set()] * 6), share, {7: 6}, 6)
    assert found == pytest.approx([1.0, 0.1, 0.1, 0.1, 0.1, 0.0])


def test_words_are_compared_by_stem_in_text_and_title() -> None:
    """Endings and case do not count; part of a word is not the word."""
    texts = [text("He painted BOATS.", "Regatta"), text("A boathouse.")]
    assert holding(["boat", "paint", "regatta"], texts).tolist() == [
        [True, True, True],
        [False, False, False],
    ]


def test_holding_nothing() -> None:
    """Without words, and without passages, the table is empty."""
    assert holding([], [text("a")]).shape == (1, 0)
    assert holding(["a"], []).shape == (0, 1)


def test_long_documents() -> None:
    """Whole documents count 0, one passage of ten 0.9."""
    assert long_documents([text("a"), text("b")]) == 0
    assert long_documents([text("a", passages=10), text("b")]) == pytest.approx(0.45)


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
    """The captain, whose note shares no name with the question, before the other note that has."""
    with searching(store, Settings()) as search:
        found = docs(search, "Where did the captain of the Sea Otter grow up?", "auto")
        assert found[0] == "otter.md" and found.index("pell.md") < found.index("fair.md")


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

            hits = retrieve(search.index, question, "auto", 4, Helpers(encode)).hits
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
