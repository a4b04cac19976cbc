"""What is told while a language model reads: replies, speed, time left, and once what it costs."""

from __future__ import annotations

import time

import pytest

from ragcli.enriching import reading_progress
from ragcli.enriching.reading_cost import (
    ChunkCost,
    ModelSpeed,
    measured_cost,
    measured_speed,
    prompt_cost,
)
from ragcli.enriching.reading_progress import ReadingProgress
from ragcli.extract.llm.job import Job, Method
from ragcli.models.completion import Prompt, Watch
from ragcli.types import Event, Findings


def worked(**more: float) -> Watch:
    """A model that reads 100 and writes 20 tokens a second."""
    return Watch(replies=3, read=1000, written=200, reading=10.0, writing=10.0, **more)  # type: ignore[arg-type]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """The events of a test, in which half a second passes at once."""
    monkeypatch.setattr(reading_progress, "TELL_EVERY", 0.0)
    return []


def test_the_cost_is_told_once_and_before_a_chunk_is_done(told: list[Event]) -> None:
    """43 chunks of 2000 tokens read and 1000 written: 70 s each, 50 min in all."""
    progress = ReadingProgress(told.append, 43, 0, lambda: ChunkCost(2, 2000, 1000))
    progress.tell(worked(deadline=time.monotonic() + 600))
    progress.tell(worked())
    notices = [event.note for event in told if event.notice]
    assert notices == [
        "43 chunks for the language model: about 50 min"
        " (it reads 100 and writes 20 tokens/s); this run ends after about 10 min"
    ]
    assert [e.note for e in told if not e.notice] == [
        "3 replies, 60 tokens/s, about 50 min left"
    ] * 2


def test_what_an_earlier_run_took_is_told_at_once(told: list[Event]) -> None:
    """Before a token is read; and nothing when there is nothing to read."""
    progress = ReadingProgress(told.append, 43, 3, lambda: ChunkCost(2, 2000, 1000))
    progress.begin(ModelSpeed(100, 20), None)
    progress.tell(worked())
    assert [event.note for event in told if event.notice] == [
        "40 chunks for the language model: about 47 min (it reads 100 and writes 20 tokens/s)"
    ]
    told.clear()
    ReadingProgress(told.append, 3, 3, lambda: ChunkCost(2, 2000, 1000)).begin(None, None)
    ReadingProgress(told.append, 4, 3, lambda: ChunkCost(2, 2000, 1000)).begin(None, None)
    assert [event.note for event in told] == ["1 chunks for the language model"]


def test_before_anything_is_written_no_time_is_promised(told: list[Event]) -> None:
    """Only the replies are counted."""
    progress = ReadingProgress(told.append, 5, 0, lambda: ChunkCost(1, 1, 1))
    progress.tell(Watch())
    assert [event.note for event in told] == ["0 replies"]


def test_what_chunks_took_outweighs_the_estimate(told: list[Event]) -> None:
    """Estimated at 70 s each; 57 of 60 were read at once: the rest takes a few seconds."""
    progress = ReadingProgress(told.append, 60, 0, lambda: ChunkCost(2, 2000, 1000))
    progress.has_read(57, worked())
    assert told[-1].note == "3 replies, 60 tokens/s, about 11 s left"
    cost = progress.measured(worked())
    assert cost == ChunkCost(3 / 57, 1000 / 57, 200 / 57)


def test_costs_are_counted_from_prompts() -> None:
    """Big models are asked a second time about a text; hybrid replies are short."""

    def job() -> Job:
        yield [Prompt("s", "a b c", 9), Prompt("s", "d", 9)]
        return Findings((), (), "")

    def nothing() -> Job:
        return Findings((), (), "")
        yield []

    def method(mode: str, parameters: int) -> Method:
        return Method(mode, ("person",), parameters, 4096, "", lambda text: len(text.split()))

    small, big = method("hybrid", 10**8), method("light", 10**9)
    found = prompt_cost([job(), nothing()], small)
    assert (found.calls, found.read) == (1.0, (4 + 24) / 2) and found.written == 8.0
    assert prompt_cost([job()], big).read == 2 * (4 + 24)
    assert prompt_cost([], big).seconds(ModelSpeed(1, 1)) == 0
    assert measured_speed(Watch()) is None
    assert measured_cost(worked(), 6, 2) == ChunkCost(3, 500, 100)
