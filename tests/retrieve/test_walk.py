"""The walk, from arrays made by hand up to a store on disk."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from searching import searching

from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.retrieve.seeds import Seeds
from ragcli.retrieve.walk import best_other, run
from ragcli.search.edge_layers import Rows, pack
from ragcli.search.passage_graph import PassageGraph

NOTES = {
    "ferry.md": "# Sea Otter\n\nThe Sea Otter is a ferry. Captain Maud Pell commands her.",
    "pell.md": "# Maud Pell\n\nMaud Pell grew up in Tarnby and learned to sail as a child.",
    "tarnby.md": "# Tarnby\n\nTarnby is a village known for its red church and its smoked eel.",
    "bread.md": "# Bread\n\nFlour, water, salt and patience make bread. Bake it hot.",
    "captains.md": "# Captains\n\nA captain commands a ferry and answers for its crew.",
}
QUESTION = "What is the home village of the captain of the Sea Otter known for?"


def by_hand(edges: list[tuple[int, int]], passages: int) -> PassageGraph:
    """A graph with edges (passage, entity) of weight 1."""
    p = np.array([a for a, _ in edges], dtype=np.int64)
    e = np.array([b for _, b in edges], dtype=np.int64)
    w = np.ones(len(edges), dtype=np.float32)
    return PassageGraph(np.arange(passages), Rows([pack(p, e, w)]), Rows([pack(e, p, w)]))


def seeds(passages: list[int], entities: list[int]) -> Seeds:
    at, names = np.array(passages, dtype=np.int64), np.array(entities, dtype=np.int64)
    return Seeds(at, np.ones(len(at)), names, np.ones(len(names)), 0.3)


def test_a_passage_two_names_away_is_reached() -> None:
    """0 -(a)- 1 -(b)- 2, apart from 3: from a, passage 2 is reached and 3 is not."""
    graph = by_hand([(0, 0), (1, 0), (1, 1), (2, 1), (3, 2)], 4)
    walked = run(graph, seeds([0], [0]), np.arange(4), np.full(4, 0.5))
    assert walked.scores[1] > walked.scores[2] > walked.scores[3] == 0


def test_shares_sum_to_one() -> None:
    """Passages and names together hold the whole walk."""
    graph = by_hand([(0, 0), (1, 0), (1, 1), (2, 1)], 3)
    walked = run(graph, seeds([0, 2], [1]), np.arange(3), np.array([0.9, 0.1, 0.01]))
    assert walked.scores.sum() + walked.reached.sum() == pytest.approx(1)


def test_nearness_steers() -> None:
    """Of two passages with the same name, the one nearer to the question is the better."""
    graph = by_hand([(0, 0), (1, 0), (2, 0)], 3)
    walked = run(graph, seeds([0], [0]), np.arange(3), np.array([0.2, 0.1, 0.4]))
    assert walked.scores[2] > walked.scores[1]


def test_a_name_that_leads_to_what_suits_is_followed() -> None:
    """Of two names in the seed, the walk prefers the one whose other passage suits better."""
    graph = by_hand([(0, 0), (0, 1), (0, 2), (1, 1), (2, 2)], 3)
    walked = run(graph, seeds([0], [0]), np.arange(3), np.array([1.0, 0.2, 0.8]))
    assert walked.reached[2] > 2 * walked.reached[1]
    assert walked.scores[2] > 2 * walked.scores[1] > 0


@given(
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=20),
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
)
def test_best_other_is_the_best_other(edges: set[tuple[int, int]], suit: list[float]) -> None:
    """Against looking at all passages of the name but this one."""
    made = sorted(edges)
    p, e = (np.array([edge[side] for edge in made], dtype=np.int64) for side in (0, 1))
    expected = [
        max((suit[q] for q, other in made if other == name and q != passage), default=0.0)
        for passage, name in made
    ]
    assert best_other(p, e, np.array(suit)).tolist() == expected


def test_without_names_the_nearest_passages_are_the_seeds() -> None:
    """A question that names nothing is walked from what is near it."""
    graph = by_hand([(0, 0), (1, 0), (2, 1)], 3)
    walked = run(graph, seeds([0], []), np.arange(3), np.array([0.6, 0.1, 0.1]))
    assert walked.scores.argmax() == 0 and walked.scores[1] > walked.scores[2] == 0


def test_part_of_the_graph_is_walked_as_if_it_were_all() -> None:
    """What lies outside the neighbourhood takes no part, and positions stay true."""
    edges = [(1, 0), (3, 0), (3, 1), (5, 1)]
    graph = by_hand([*edges, (0, 2), (2, 2)], 6)
    around = np.array([1, 3, 5])
    part = run(graph, seeds([1], [0]), around, np.full(3, 0.5))
    whole = run(graph, seeds([1], [0]), np.arange(6), np.full(6, 0.5))
    assert part.passages.tolist() == [1, 3, 5]
    assert part.scores == pytest.approx(whole.scores[around])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the notes above."""
    base = tmp_path_factory.mktemp("walk")
    (base / "docs").mkdir()
    for name, text in NOTES.items():
        (base / "docs" / name).write_text(text)
    index(IndexRequest(base / "store", (base / "docs",)), Settings(workers=1))
    return base / "store"


def test_a_question_of_three_hops(store: Path) -> None:
    """Ferry, captain, village: the captain, whose note has no word of it, is found, and why."""
    with searching(store, Settings()) as search:
        question = search.understand(QUESTION)
        hits = search.hits(question, "walk", 5)
        nearest = [h.doc for h in search.hits(question, "naive", 5)]
    walked = [h.doc for h in hits]
    assert walked.index("pell.md") < walked.index("captains.md")
    assert walked.index("pell.md") < nearest.index("pell.md")
    assert walked[-1] == "bread.md"
    notes = {h.doc: h.via[0].note for h in hits}
    assert notes["ferry.md"].startswith("names Sea Otter")
    assert notes["tarnby.md"].startswith("reached via Tarnby")


def test_scores_fall_and_hits_differ(store: Path) -> None:
    """A ranking: falling scores, no passage twice, no more than asked for."""
    with searching(store, Settings()) as search:
        hits = search.hits(search.understand("Who is Maud Pell?"), "walk", 3)
    scores = [h.score for h in hits]
    assert scores == sorted(scores, reverse=True)
    assert len({(h.doc, h.start) for h in hits}) == len(hits) <= 3


def test_same_under_every_hash_seed_and_without_heavy_libraries(store: Path) -> None:
    """No hash seed changes the order or the notes; heavy libraries and file readers stay out."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom ragcli.config import Settings\n"
        "from searching import searching\n"
        f"with searching(Path({str(store)!r}), Settings()) as search:\n"
        f"    hits = search.hits(search.understand({QUESTION!r}), 'auto', 5)\n"
        "print([(h.doc, h.start, h.score, h.via[0].note) for h in hits])\n"
        "heavy = {'torch', 'spacy', 'igraph', 'scipy', 'sklearn', 'ragcli.corpus.read'}\n"
        "heavy &= set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    tests = Path(__file__).parent.parent
    path = os.pathsep.join(map(str, (tests.parent, tests)))
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
