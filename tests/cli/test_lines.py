"""Progress lines under a clock that stands still unless it is moved."""

from __future__ import annotations

import sys
import time as clock

import pytest

from ragcli.cli import render
from ragcli.cli.lines import EVERY, ProgressLines
from ragcli.extract.pool import ExtractorPool
from ragcli.types import Event


class Time:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


def test_short_runs_say_nothing_and_long_ones_little(time: Time) -> None:
    """A thousand events in 95 seconds: nine lines, the first after ten."""
    written: list[str] = []
    report = ProgressLines(written.append, time)
    for n in range(1000):
        time.now = 1000.0 + n * 0.095
        report(Event("index", n, 1000, f"{n} words"))
    assert len(written) == 9
    assert written[0] == "index: 11%, 106 words, 10 s so far"
    assert written[-1].endswith("1 min 31 s so far")


def test_a_new_stage_waits_like_any_event(time: Time) -> None:
    """Many short stages after each other are no reason for many lines."""
    written: list[str] = []
    report = ProgressLines(written.append, time)
    time.now += EVERY
    for stage in ("names", "profiles", "derive"):
        report(Event(stage, 0, 1))
    time.now += EVERY - 0.1
    report(Event("derive", 1, 1))
    time.now += 0.2
    report(Event("read", 1234, 0))
    assert written == ["names: 0%, 10 s so far", "read: 1,234, 20 s so far"]


def test_a_part_never_looks_like_the_whole(time: Time) -> None:
    """While documents are left, what is done of their vectors stands beside how many are."""
    written: list[str] = []
    report = ProgressLines(written.append, time)
    report(Event("index", 30, 100, "900 words"))
    for done in (70, 10):
        time.now += EVERY
        report(Event("embed", done, 100))
    for stage in ("names", "embed"):
        time.now += EVERY
        report(Event(stage, 1, 2))
    assert written == [
        "index: 30%, 900 words, embed of a part 70%, 10 s so far",
        "index: 30%, 900 words, embed of a part 10%, 20 s so far",
        "names: 50%, 30 s so far",
        "embed: 50%, 40 s so far",
    ]


def test_a_bar_or_lines_or_nothing(
    time: Time, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Off a terminal lines on stderr, never on stdout, and none at all when told to be quiet."""
    monkeypatch.setattr(clock, "monotonic", time)
    for quiet in (True, False):
        with render.ProgressBar(quiet) as report:
            time.now += EVERY
            report(Event("index", 1, 4))
    assert not sys.stderr.isatty()
    assert capsys.readouterr() == ("", "index: 25%, 10 s so far\n")


def test_a_huge_document_tells_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """One document is one batch: its extraction and embedding report on the way."""
    monkeypatch.setattr("ragcli.extract.pool._MANY", 10)
    events: list[Event] = []
    with ExtractorPool("default", 1, events.append) as pool:
        pool._here = lambda texts: [text.encode() for text in texts]
        texts = [str(n) for n in range(20)]
        assert pool.submit(texts)() == [text.encode() for text in texts]
        assert pool.submit(texts[:10])() == [text.encode() for text in texts[:10]]
    assert [(e.stage, e.done, e.total) for e in events] == [("extract", n, 20) for n in (8, 16, 20)]
