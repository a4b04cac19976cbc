"""Which question goes which way."""

from pathlib import Path

import pytest
from searching import searching

from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.text.asked_question import AskedQuestion


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("What are the main themes of these letters?", True),
        ("Summarise the archive.", True),
        ("Give an overview of all documents.", True),
        ("When was the bridge closed?", False),
        ("Which theme park opened first?", False),
        ("What kind of texts are in this folder?", True),
        ("How do I show only the files that differ?", False),
        ("Which option filters the archive through xz?", False),
        ("When must the documents be submitted?", False),
    ],
)
def test_questions_about_the_whole(text: str, whole: bool) -> None:
    """Told by their wording."""
    assert AskedQuestion(text).about_whole is whole


def test_each_kind_goes_its_way(tmp_path: Path) -> None:
    """The whole is summed up, all else walked: from names if there are any, else from words."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# Tarnby\n\nTarnby is a village on the coast with a red church.")
    (docs / "b.md").write_text("# Bread\n\nflour, water and salt make bread in a hot oven.")
    index(IndexRequest(tmp_path / "store", (docs,)), Settings(workers=1))
    ways = {
        "What stands in Tarnby?": "names Tarnby",
        "what are the main topics?": "the question is about all documents",
        "how is bread baked?": "similarity rank 1; words rank 1",
    }
    with searching(tmp_path / "store", Settings()) as search:
        for text, note in ways.items():
            hits = search.hits(search.understand(text), "auto", 2)
            assert note in hits[0].via[0].note
