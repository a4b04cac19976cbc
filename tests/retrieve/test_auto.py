"""Which question goes which way."""

from pathlib import Path

import pytest

from ragcli.config import Settings
from ragcli.pipeline.index import Request, index
from ragcli.pipeline.opening import open_space
from ragcli.retrieve import retrieve
from ragcli.retrieve.auto import WITHIN, _with_direct, asks_for_whole
from ragcli.retrieve.base import Found


def finds(*passages: int) -> list[Found]:
    """Finds of these passages with falling scores."""
    return [Found(None, p, 1 / (1 + i)) for i, p in enumerate(passages)]


def rows(found: list[Found]) -> list[int | None]:
    return [f.passage for f in found]


@pytest.mark.parametrize("k", [5, 8])
def test_direct_finds_are_among_the_first(k: int) -> None:
    """Missing or too low, they close the first five; the others keep their order."""
    for walked in (finds(1, 2, 3, 4, 5, 6, 7, 8), finds(1, 2, 3, 4, 5, 6, 7, 9)):
        found = _with_direct(walked[:k], finds(9, 2), k)
        assert rows(found)[:WITHIN] == [1, 2, 3, 4, 9] and len(found) == k
        assert rows(_with_direct(walked[:k], finds(9, 10), k))[:WITHIN] == [1, 2, 3, 9, 10]
        scores = [f.score for f in found]
        assert scores == sorted(scores, reverse=True)


def test_a_direct_find_high_up_stays_where_it_is() -> None:
    """Nothing moves when the walk has it already."""
    walked = finds(1, 9, 3, 4, 5)
    assert _with_direct(walked, finds(9, 1), 5) == walked


def test_few_finds() -> None:
    """The walk's best stays first, however few are asked for; an empty walk leaves the direct."""
    assert rows(_with_direct(finds(1), finds(9, 8), 1)) == [1]
    assert rows(_with_direct(finds(1, 2), finds(9, 8), 2)) == [1, 9]
    assert rows(_with_direct([], finds(9), 5)) == [9]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("What are the main themes of these letters?", True),
        ("Summarise the archive.", True),
        ("Give an overview of all documents.", True),
        ("When was the bridge closed?", False),
        ("Which theme park opened first?", False),
    ],
)
def test_questions_about_the_whole(text: str, whole: bool) -> None:
    """Told by their wording."""
    assert asks_for_whole(text) is whole


def test_each_kind_goes_its_way(tmp_path: Path) -> None:
    """Names are walked, the whole is summed up, and the rest is looked up directly."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Tarnby\n\nTarnby is a village on the coast with a red church.")
    (docs / "b.md").write_text("# Bread\n\nflour, water and salt make bread in a hot oven.")
    index(Request(tmp_path / "store", (docs,)), Settings(workers=1))
    ways = {
        "What stands in Tarnby?": "names Tarnby",
        "what are the main topics?": "the question is about the whole",
        "how is dough baked?": "the question names nothing known",
    }
    with open_space(tmp_path / "store", Settings()) as space:
        for text, note in ways.items():
            hits = retrieve(space, space.understand(text), "auto", 2)
            assert note in hits[0].via[0].note
