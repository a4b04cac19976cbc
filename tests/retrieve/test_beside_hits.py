"""What a question needs beside the hits is one of them."""

from pathlib import Path

from searching import searching

from ragcli.asking.ask import ask_in
from ragcli.config import Settings
from ragcli.retrieve.beside_hits import with_beside
from ragcli.text.asked_question import AskedQuestion

ASKED = AskedQuestion("Who signed the resin letter?")
LETTER = "letters/vautrin-to-wierzba-2019-03-04.txt"


def test_of_several_stores_each_gives_its_own(sample_store: Path) -> None:
    """What is added stands below all hits, with the number of its store."""
    with searching(sample_store, Settings()) as opened:
        index = opened.index
        rows = index.snapshot.chunks.passage_starts(index.snapshot.chunks.passages_of([LETTER]))
        row = min(rows, key=lambda row: rows[row][1])
        first, second = (index.passage_hit(row, 0.5, rank, ()) for rank in (1, 2))
        hits = [(0, first), (1, second)]
        found = with_beside([index, index], ASKED, hits)
    assert found[:2] == hits
    assert [(at, hit.rank) for at, hit in found[2:]] == [(0, 3), (1, 4)]
    assert all(hit.end > first.end for _, hit in found[2:])


def test_what_is_read_is_what_the_hits_say(sample_store: Path) -> None:
    """Every passage of the context is one of the hits, or some of them joined."""
    settings = Settings(answer="extractive", top_k=2)
    with searching(sample_store, settings) as opened:
        result = ask_in(opened.index, ASKED, settings, opened.helpers)
    hits = result.answer.hits
    for part in result.context.parts:
        spans = [hit for hit in hits if hit.doc == part.doc and part.start <= hit.start]
        assert min(hit.start for hit in spans) == part.start
        assert max(hit.end for hit in spans if hit.end <= part.end) == part.end


def test_a_search_finds_passages_as_they_are(sample_store: Path) -> None:
    """Nothing is read for it, so nothing stands beside them."""
    settings = Settings(answer="none", top_k=2)
    with searching(sample_store, settings) as opened:
        result = ask_in(opened.index, ASKED, settings, opened.helpers)
    assert result.answer.hits == result.retrieval.hits
