"""What is told while a language model reads: replies, speed, time left, and once what it costs."""

from __future__ import annotations

import time

import pytest

from ragcli.enriching import reading_progress
from ragcli.enriching.reading_cost import (
    ChunkCost,
    ModelSpeed,
    habit_of,
    measured_speed,
    prompt_cost,
    usual_share,
)
from ragcli.enriching.reading_progress import ReadingProgress, ReadingWork
from ragcli.extract.llm.job import Job, Method
from ragcli.models.completion import Prompt, Watch
from ragcli.models.reading_habits import ReadingHabit
from ragcli.types import Event, Findings


def worked(**more: float) -> Watch:
    """A model that reads 100 and writes 20 tokens a second."""
    return Watch(replies=3, read=1000, written=200, reading=10.0, writing=10.0, **more)  # type: ignore[arg-type]


def progress_of(told: list[Event], total: int, done: int, read: float) -> ReadingProgress:
    """Chunks of so many tokens, of which half as many are written."""
    work = ReadingWork(total, done, 0.5, lambda: ChunkCost(2, read, read / 2))
    return ReadingProgress(told.append, work)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """The events of a test, in which half a second passes at once."""
    monkeypatch.setattr(reading_progress, "TELL_EVERY", 0.0)
    return []


def test_the_cost_is_told_once_and_before_a_chunk_is_done(told: list[Event]) -> None:
    """43 chunks of 2000 tokens read and 1000 written: 70 s each, 50 min in all."""
    progress = progress_of(told, 43, 0, 2000)
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
    progress = progress_of(told, 43, 3, 2000)
    progress.begin(ModelSpeed(100, 20), None)
    progress.tell(worked())
    assert [event.note for event in told if event.notice] == [
        "40 chunks for the language model: about 47 min (it reads 100 and writes 20 tokens/s)"
    ]
    told.clear()
    progress_of(told, 3, 3, 2000).begin(None, None)
    progress_of(told, 4, 3, 2000).begin(None, None)
    assert [event.note for event in told] == ["1 chunk for the language model"]


def test_before_anything_is_written_no_time_is_promised(told: list[Event]) -> None:
    """Only the replies are counted."""
    progress = progress_of(told, 5, 0, 1)
    progress.tell(Watch())
    assert [event.note for event in told] == ["0 replies"]


def test_what_counts_is_tokens_left_not_chunks(told: list[Event]) -> None:
    """Ten chunks of 1,000 tokens on average; the two longest had 4,000 each: 2,000 are left."""
    progress = progress_of(told, 10, 0, 1000)
    progress.has_read(2, ChunkCost(1, 4000, 2000), worked())
    assert told[-1].note == "3 replies, 60 tokens/s, about 70 s left"  # 20 s of reading, 50 s
    progress.has_read(2, ChunkCost(1, 4000, 2000), worked())
    assert told[-1].note == "3 replies, 60 tokens/s, about 21 s left", "a tenth of six means"


def test_replies_correct_what_was_expected(told: list[Event]) -> None:
    """Half was expected, a tenth of 9,000 tokens was written: 14 % from now on."""
    progress = progress_of(told, 20, 0, 1000)
    progress.has_read(10, ChunkCost(1, 1000, 500), worked(answered=9000, replied=900))
    assert told[-1].note == "3 replies, 60 tokens/s, about 3 min left"  # 100 s + 1,400 / 20
    habit = habit_of(worked(answered=9000, replied=900), 0.5)
    assert habit == ReadingHabit(0.14, 100.0, 20.0)
    assert habit_of(Watch(read=9, reading=1.0, written=9, writing=1.0), 0.5) is None, "no reply"


def test_costs_are_counted_from_prompts() -> None:
    """Big models are asked a second time about a text, and write more."""

    def job() -> Job:
        yield [Prompt("s", "a b c", 9), Prompt("s", "d", 9)]
        return Findings((), (), "")

    def nothing() -> Job:
        return Findings((), (), "")
        yield []

    def method(mode: str, parameters: int) -> Method:
        return Method(mode, ("person",), parameters, 4096, "", lambda text: len(text.split()))

    small, big = method("hybrid", 10**8), method("light", 3 * 10**9)
    found = prompt_cost([job(), nothing()], small, 0.25)
    assert (found.calls, found.read, found.written) == (1.0, (4 + 24) / 2, 3.5)
    assert found.shared == 1.0 and found.times(2).tokens == 2 * (14 + 3.5 + 1), "the word s, twice"
    assert prompt_cost([job()], big, 0.5).read == 2 * (4 + 24)
    assert prompt_cost([job()], method("light", 10**9), 0.5).read == 4 + 24, "asked once"
    assert prompt_cost([], big, 0.5).seconds(ModelSpeed(1, 1)) == 0
    assert measured_speed(Watch()) is None
    assert usual_share(small) < usual_share(method("hybrid", 3 * 10**9))
