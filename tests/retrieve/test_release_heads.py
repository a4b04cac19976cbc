"""The heading of a release is read with a passage of its notes that begins below it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from searching import searching

from ragcli.config import Settings
from ragcli.retrieve.release_heads import with_release_heads
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Hit

STARTS = {1: ("NEWS", 0), 2: ("NEWS", 100), 3: ("NEWS", 200)}
HEADINGS = {"News > 2.1": 40, "News > 2.0": 150}


def hit(start: int, path: str) -> Hit:
    """A passage of 100 characters below a heading."""
    text = "x" * 100
    return Hit(
        "c", "NEWS", "News", start, start + 100, 1, 1, text, 1.0, 1, headings=((start, path),)
    )


def index() -> SearchIndex:
    """Three passages of one document, and where its headings stand."""

    def passage_hit(row: int, score: float, rank: int, via: tuple[object, ...]) -> Hit:
        return hit(STARTS[row][1], "News")

    chunks = SimpleNamespace(passages_of=lambda docs: list(STARTS), passage_starts=lambda r: STARTS)
    documents = SimpleNamespace(heading_start=lambda doc, before, path: HEADINGS.get(path))
    snapshot = SimpleNamespace(chunks=chunks, documents=documents)
    return cast(SearchIndex, cast(Any, SimpleNamespace(snapshot=snapshot, passage_hit=passage_hit)))


@pytest.mark.parametrize(
    ("question", "path", "starts"),
    [
        ("Which version added green glass?", "News > 2.1 > Fixes", [200, 0]),
        ("When was green glass added?", "News > 2.0", [200, 100]),
        ("Which version added green glass?", "News > Notes", [200]),
        ("Who added green glass?", "News > 2.1", [200]),
    ],
)
def test_the_passage_with_the_heading(question: str, path: str, starts: list[int]) -> None:
    """It comes after the others, where a release is asked for and the passage is about one."""
    found = with_release_heads(index(), AskedQuestion(question), [hit(200, path)])
    assert [one.start for one in found] == starts


def test_a_heading_that_is_read_anyway() -> None:
    """A passage that holds the heading is not taken twice."""
    hits = [hit(200, "News > 2.1"), hit(0, "News")]
    assert (
        with_release_heads(index(), AskedQuestion("Which version added green glass?"), hits) == hits
    )


def test_where_a_heading_begins(sample_store: Path) -> None:
    """The last one with that path before an offset; None without one."""
    with searching(sample_store, Settings()) as opened:
        documents = opened.index.snapshot.documents
        rows = range(1, 40)
        hits = [opened.index.passage_hit(row, 0.0, 1, ()) for row in rows]
        doc, at, path = next(
            (one.doc, at, path) for one in hits for at, path in one.headings if at > one.start
        )
        assert documents.heading_start(doc, at, path) == at
        assert documents.heading_start(doc, at + 5, path) == at
        assert documents.heading_start(doc, at, "No such heading") is None
