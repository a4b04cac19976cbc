"""Questions about the whole."""

from pathlib import Path

from searching import ask, searching

from ragcli.answer.extractive import overview as answer
from ragcli.config import Settings
from ragcli.retrieve.context import fit
from ragcli.retrieve.overview import overview
from ragcli.types import Context

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


def test_the_answer_sums_up_with_true_quotes(sample_store: Path) -> None:
    """Several documents are quoted; the hits say that the question is about the whole."""
    found = ask(sample_store, "What are the main themes of these documents?", SETTINGS)
    assert not found.reply.abstained
    assert len({c.doc for c in found.reply.citations}) >= 3
    assert all("about all documents" in hit.via[0].note for hit in found.hits)


def test_nothing_to_sum_up_abstains() -> None:
    """An empty context gives no answer and says so."""
    reply = answer(Context((), 0))
    assert reply.abstained and not reply.text and reply.note


def test_the_summary_is_bounded(sample_store: Path) -> None:
    """A large context still gives a handful of sentences."""
    with searching(sample_store, SETTINGS) as search:
        question = search.understand("overview")
        finds = overview(search.index, question, 40, search.helpers).finds
        hits = [search.index.passage_hit(f.passage, f.score, 1, ()) for f in finds if f.passage]
    reply = answer(fit(hits, 100_000, lambda text: len(text.split())))
    assert 2 <= len(reply.citations) <= 6 and len(reply.text) < 1600
