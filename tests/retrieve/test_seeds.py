"""Where a walk begins: by hand, and on a store of notes."""

from pathlib import Path

import numpy as np
import pytest
from searching import Search, searching

from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.retrieve import seeds
from ragcli.retrieve.question import Match, Question
from ragcli.retrieve.seeds import (
    NEAR_TITLED,
    NEAR_UNTITLED,
    WORD_SHARPNESS,
    begin,
    name_seeds,
    pull,
    suits,
    worded,
)
from ragcli.search.edge_layers import Rows, pack
from ragcli.search.passage_graph import PassageGraph
from ragcli.text.asked_question import AskedQuestion

NOTES = {
    "pell.md": "# Maud Pell\n\nMaud Pell grew up in Tarnby and learned to sail as a child.",
    "tarnby.md": "# Tarnby\n\nTarnby is a village known for its red church and its smoked eel.",
    "bread.md": "# Bread\n\nFlour, water, salt and patience make bread. Bake it hot.",
    "log.txt": "The pump P-4417 was mended by Ottilie Rask in the spring, said Edwin Marsh.",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the notes above."""
    base = tmp_path_factory.mktemp("seeds")
    (base / "docs").mkdir()
    for name, text in NOTES.items():
        (base / "docs" / name).write_text(text)
    index(IndexRequest(base / "store", (base / "docs",)), Settings(workers=1))
    return base / "store"


def row_of(search: Search, doc: str) -> int:
    """The passage row of a note."""
    rows: list[int] = search.index.passage_graph.passages.tolist()
    (row,) = [row for row in rows if search.index.passage_hit(row, 0, 1, ()).doc == doc]
    return row


def weighed(edges: list[tuple[int, int, float]], passages: int) -> PassageGraph:
    """A graph with edges (passage, entity, weight)."""
    p, e = (np.array([edge[side] for edge in edges], dtype=np.int64) for side in (0, 1))
    w = np.array([edge[2] for edge in edges], dtype=np.float32)
    return PassageGraph(np.arange(passages), Rows([pack(p, e, w)]), Rows([pack(e, p, w)]))


def test_what_names_take_up_is_left_out() -> None:
    """The words that remain tell which of a name's passages is meant."""
    text = "Which county borders Tarnby and Pell?"
    at = (Match("tarnby", (1,), 21, 27, True), Match("county", (2,), 6, 12, False))
    question = Question(
        AskedQuestion(text), np.zeros(1, np.float32), (*at, Match("pell", (3,), 32, 36, True))
    )
    assert question.without_names.text.split() == "Which county borders and ?".split()


def test_a_name_seeds_by_rarity_sureness_and_its_best_passage() -> None:
    """Name 0: two passages, the better suits 0.8; name 1: one, suits 0.1, meant by half."""
    graph = weighed([(0, 0, 1), (1, 0, 1), (2, 1, 1), (3, 2, 1)], 4)
    suit = np.array([0.2, 0.8, 0.1, 1.0])
    names, named, titled = name_seeds(graph, {0: 1.0, 1: 0.5}, np.arange(4), suit)
    assert names.tolist() == [0, 1] and titled == 0
    assert named == pytest.approx([0.8 / 2, 0.5 * 0.1 / 1])


def test_names_that_lead_nowhere_seed_nothing() -> None:
    """Without edges, or with all their passages outside of what is walked."""
    graph = weighed([(0, 0, 1), (2, 1, 1)], 3)
    names, named, titled = name_seeds(graph, {1: 1.0, 7: 1.0}, np.array([0, 1]), np.ones(2))
    assert (names.tolist(), named.tolist(), titled) == ([], [], 0.0)
    names, _, _ = name_seeds(graph, {0: 1.0, 7: 1.0}, np.array([0, 1]), np.ones(2))
    assert names.tolist() == [0]


def test_a_name_is_titled_by_a_document_of_its_own() -> None:
    """One passage's title counts whole, a book of four passages a quarter, a mention nothing."""
    own = weighed([(0, 0, 5), (1, 0, 1)], 4)
    book = weighed([(n, 0, 5.5) for n in range(4)], 4)
    both = weighed([(0, 0, 5), (1, 1, 1)], 4)
    suit, around = np.full(4, 0.5), np.arange(4)
    assert name_seeds(own, {0: 1.0}, around, suit)[2] == 1
    assert name_seeds(book, {0: 1.0}, around, suit)[2] == 0.25
    assert name_seeds(both, {0: 1.0, 1: 1.0}, around, suit)[2] == 0.5


def test_words_that_are_no_names_make_a_passage_suit_better(store: Path) -> None:
    """Three times the pull where they all stand, at the same similarity; names give nothing."""
    with searching(store, Settings()) as search:
        named = search.understand("Maud Pell")
        asked = Question(AskedQuestion("Who baked with flour and salt?"), named.vector, ())
        rows, bread = search.index.passage_graph.passages, row_of(search, "bread.md")
        assert worded(search.index, named) == {} and worded(search.index, asked) == {bread: 1.0}
        drawn = pull(worded(search.index, asked), rows)
    assert drawn.tolist() == [3.0 if row == bread else 1.0 for row in rows.tolist()]
    suit = suits(np.array([0.25, 0.25, -0.5]), np.array([3.0, 1.0, 1.0]))
    assert suit == pytest.approx([1, 1 / 3, 1 / 15])


def test_nearness_counts_words_where_no_document_is_about_the_names(store: Path) -> None:
    """Edwin Marsh has no document, Maud Pell has: the same vector and words seed differently."""
    with searching(store, Settings()) as search:
        marsh, pell = (
            search.understand(f"Which pump was known to {name}?")
            for name in ("Edwin Marsh", "Maud Pell")
        )
        pell = Question(pell.asked, marsh.vector, pell.matches)
        log = row_of(search, "log.txt")
        found = [begin(search.index, question, 2000) for question in (marsh, pell)]
        drawn = pull(worded(search.index, marsh), np.array([log]))[0]
    assert drawn == 3
    near = [start.seeds.near[start.seeds.passages == log][0] for start in found]
    assert near[0] / near[1] == pytest.approx(drawn**WORD_SHARPNESS)
    assert [start.seeds.share for start in found] == [NEAR_UNTITLED, NEAR_TITLED]


def test_the_best_by_words_are_seeds_however_far(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one nearest passage taken, the pump is reached by its number alone."""
    monkeypatch.setattr(seeds, "NEAREST", 1)
    with searching(store, Settings()) as search:
        bread = search.understand("bread of flour, water and salt")
        question = Question(AskedQuestion("what became of 4417?"), bread.vector, ())
        start = begin(search.index, question, 1)
        hits = search.hits(question, "walk", 2)
        assert start.nearest == [row_of(search, "bread.md")]
        assert start.worded == [row_of(search, "log.txt")]
    assert {hit.doc: hit.via[0].note for hit in hits} == {
        "bread.md": "similarity rank 1",
        "log.txt": "words rank 1",
    }
