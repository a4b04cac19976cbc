"""Questions about the whole."""

from pathlib import Path

from searching import ask, searching

from ragcli.config import Settings
from ragcli.retrieve.overview import overview

SETTINGS = Settings(workers=1)


def test_every_folder_has_its_say(sample_store: Path) -> None:
    """The ten passages come from all six folders, each from a place of its own."""
    with searching(sample_store, SETTINGS) as search:
        question = search.understand("What are the main themes?")
        finds = overview(search.index, question, 10, search.helpers).finds
        hits = [search.index.passage_hit(f.passage, f.score, 1, ()) for f in finds if f.passage]
    assert len(hits) == len({hit.doc for hit in hits}) == 10
    assert len({hit.doc.partition("/")[0] for hit in hits}) == 6


def test_more_parts_than_there_are_is_all_of_them(sample_store: Path) -> None:
    """Asking for a thousand passages gives no more than one for each lowest part."""
    with searching(sample_store, SETTINGS) as search:
        question = search.understand("summarise everything")
        finds = overview(search.index, question, 1000, search.helpers).finds
    assert 30 <= len(finds) == len({f.passage for f in finds}) <= 60


def test_the_answer_is_a_map_with_true_quotes(sample_store: Path) -> None:
    """Several documents are quoted; the hits say that the question is about the whole."""
    found = ask(sample_store, "What are the main themes of these documents?", SETTINGS)
    assert not found.reply.abstained
    assert len({c.doc for c in found.reply.citations}) >= 3
    assert all("about all documents" in hit.via[0].note for hit in found.hits)
