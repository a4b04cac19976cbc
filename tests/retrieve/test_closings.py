"""Who signed a letter stands at its end, which no ranking finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from searching import searching

from ragcli.config import Settings
from ragcli.retrieve.closings import with_closings
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion

LETTER = "letters/vautrin-to-wierzba-2019-03-04.txt"
ASKED = "Who signed the resin letter?"


def rows_of(index: SearchIndex, doc: str) -> list[int]:
    """The passages of a document, first to last."""
    starts = index.snapshot.chunks.passage_starts(index.snapshot.chunks.passages_of([doc]))
    return sorted(starts, key=lambda row: starts[row][1])


def test_the_end_of_a_letter_is_read_too(sample_store: Path) -> None:
    with searching(sample_store, Settings()) as opened:
        index = opened.index
        rows = rows_of(index, LETTER)
        middle = index.passage_hit(rows[0], 0.5, 1, ())
        found = with_closings(index, AskedQuestion(ASKED), [middle])
        text = index.snapshot.documents.text(LETTER, found[1].start, found[1].end)
    assert found[0] == middle and len(found) == 2
    assert found[1].text == text and "Hélène Vautrin" in text and found[1].rank == 2


@pytest.mark.parametrize(
    ("question", "row"),
    [("Who wrote the novel?", 0), ("What is the letter about?", 0), (ASKED, -1)],
)
def test_other_questions_and_letters_read_to_their_end_stay(
    sample_store: Path, question: str, row: int
) -> None:
    with searching(sample_store, Settings()) as opened:
        index = opened.index
        hit = index.passage_hit(rows_of(index, LETTER)[row], 0.5, 1, ())
        assert with_closings(index, AskedQuestion(question), [hit]) == [hit]
