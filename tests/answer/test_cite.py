"""Citations, marks and support."""

from __future__ import annotations

from typing import Any

import pytest

from ragcli.answer.cite import (
    citations,
    sources,
    take_marks,
)
from ragcli.answer.laid import Stretch
from ragcli.types.document_ids import path_of

from .makers import context_of, stands

BRIDGE = ("Ravoire Bridge", "It was built in 1931.\nAnna Weil drew it. It spans 120 m.")
PART = context_of(BRIDGE).parts[0]


def test_a_citation_has_offsets_lines_and_quote() -> None:
    """The second line's first sentence, character by character."""
    (citation,) = citations([Stretch(PART, 22, 40)])
    assert citation.quote == "Anna Weil drew it."
    assert (citation.n, citation.doc, citation.path) == (1, "1.txt", "1.txt")
    assert (citation.line_start, citation.line_end) == (2, 2)
    assert stands(citation, BRIDGE[1])


def test_the_path_of_a_record_is_its_file() -> None:
    """A JSON Lines record is cited by the file it stands in."""
    assert path_of("a/help.jsonl#T-1") == "a/help.jsonl"
    assert path_of("a/c#.md") == "a/c#.md"
    assert path_of("a/R.JSONL#x#1") == "a/R.JSONL"
    assert path_of("a/r.jsonl#b.jsonl#2") == "a/r.jsonl"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained [2].", ("It rained.", (2,))),
        ("It rained. [1, 3]", ("It rained.", (1, 3))),
        ("It rained [1][2] twice [4–6].", ("It rained twice.", (1, 2, 4, 5, 6))),
        ("In [sic] brackets.", ("In [sic] brackets.", ())),
        ("From 9 to [3-1].", ("From 9 to.", ())),
    ],
)
def test_marks_are_taken_out(text: str, expected: Any) -> None:
    """Single marks, lists and ranges; other brackets stay."""
    assert take_marks(text) == expected


def test_a_short_answer_is_cited_where_the_question_is_answered() -> None:
    """Of two sentences that hold the name, the one about the question is quoted."""
    parts = context_of(("", "Skive is old. She was born in the small town of Skive.")).parts
    (quote,) = sources("Skive.", parts, asked_words=["born"])
    assert quote.text == "She was born in the small town of Skive."


def test_sources_are_the_sentences_that_hold_it() -> None:
    """A sentence made of two is cited with both; neighbours as one stretch."""
    (one,) = sources("Anna Weil drew the Ravoire Bridge.", [PART])
    assert one.text == "Anna Weil drew it."
    (both,) = sources("Anna Weil drew it, and it was built in 1931.", [PART])
    assert both.text == "It was built in 1931.\nAnna Weil drew it."


def test_a_wrong_mark_is_mended_and_a_made_up_sentence_has_no_source() -> None:
    """Marks say where to look first, no more."""
    parts = context_of(("Milk", "Milk is white."), BRIDGE).parts
    (quote,) = sources("The Ravoire Bridge spans 120 m.", parts, marks=(1, 9))
    assert quote.part.n == 2
    assert sources("The Ravoire Bridge spans 130 m.", parts) == ()


def test_a_citation_carries_the_heading_above_it() -> None:
    """The date of a release may stand in the heading alone; text before any heading has none."""
    notes = ("Notes", "Read this first.\n\n## 2.1.0 (2024-03-02)\n\nThe pump no longer stalls.\n")
    (part,) = context_of(notes).parts
    at = notes[1].index("The pump")
    below, above = citations([Stretch(part, at, at + 26), Stretch(part, 0, 16)])
    assert below.heading == "2.1.0 (2024-03-02)" and "2024" not in below.quote
    assert above.heading == ""
