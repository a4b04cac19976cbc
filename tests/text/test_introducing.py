"""Which sentences can introduce a text."""

import pytest
from laid_out import blocks_in

from ragcli.text.introducing import introducing, is_prose


def first(text: str) -> str:
    laid = [
        (block.start, block.end)
        for block in blocks_in(text)
        if block.kind in ("table", "list", "code", "drawn")
    ]
    return next((text[a:b] for a, b in introducing(text, laid)), "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"""The client sends requests to a server."""\nimport os\n', "The client sends"),
        ("# Copyright 2020 Ann.\n\nThe guide tells how to row.", "The guide tells how to row."),
        ("=head1 NAME\n\nFile::Find - Traverse a directory tree.\n", "File::Find - Traverse"),
        (
            "| a | b |\n| --- | --- |\n| The one | The other |\n\nThe table has two rows.",
            "The table",
        ),
        ("To: Ann Lee\nFrom: Tom Berg\n\nThe bridge is closed since Monday.", "The bridge is"),
        ("Who closes the bridge at night?\n\nThe guard closes it at ten.", "The guard closes"),
        (
            "Run this::\n\n    The code stands here, as it is.\n\nThe rest of it follows here.",
            "The rest",
        ),
        ("1. The first step is this one.\n2. The second is that.", ""),
        ("Wenger & Roth, Consulting Engineers, Marenz.", ""),
    ],
)
def test_the_first_real_sentence(text: str, said: str) -> None:
    """After titles, forms, tables, code, questions and notices."""
    assert first(text).startswith(said) if said else not first(text)


def test_code_and_fragments_are_no_prose() -> None:
    assert is_prose("See `a()` for how the boats are built in Skive.")
    for text in (
        "def boat(oak) -> Boat:",
        "of the boats that lie there.",
        "BOATS OF THE TOWN.",
    ):
        assert not is_prose(text)
