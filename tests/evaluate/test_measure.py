"""The line: order, checkpoints cut anywhere, stale checkpoints, thresholds."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from ragcli.errors import ConfigError
from ragcli.evaluate import checkpoint as kept
from ragcli.evaluate.measure import measure
from ragcli.evaluate.results import EvalSettings, Evaluation, Threshold
from ragcli.evaluate.thresholds import parse_threshold
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer, Event, silent

from .makers import Table, case

CASES = (case("1", "a", type="x"), case("2", "b", "c", type="y"), case("3"))
SETTINGS = EvalSettings(name="small", ks=(1, 3), resamples=50, generation=4)
FOUND = {(c.question, mode): ["a", "b", mode] for c in CASES for mode in ("naive", "walk")}


def evaluate(ask: Table, path: Path | None = None, settings: EvalSettings = SETTINGS) -> Evaluation:
    """Run the small set."""
    return measure(CASES, ("naive", "walk"), ask, settings, silent, path)


def test_every_case_in_every_mode() -> None:
    """Each is asked once; outcomes stand in the order of cases, then of modes."""
    ask = Table(FOUND)
    found = evaluate(ask)
    assert [(o.case, o.mode) for o in found.outcomes] == [
        (c.id, mode) for c in CASES for mode in ("naive", "walk")
    ]
    assert [o.ranks for o in found.outcomes[:4]] == [(1,), (1,), (2, None), (2, None)]
    assert found.summaries[0].stats["recall@3"].mean == pytest.approx(0.75)
    # The mode asked first changes from case to case, so that none always finds things warm.
    assert [mode for _, mode in ask.asked] == ["naive", "walk", "walk", "naive", "naive", "walk"]


def test_progress_is_told() -> None:
    """One event for each question and one at the end."""
    events: list[Event] = []
    measure(CASES, ("naive",), Table(FOUND), SETTINGS, events.append, None)
    assert [(e.done, e.total) for e in events] == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_checkpoint_cut_at_every_byte(tmp_path: Path) -> None:
    """Killed at any byte of the file: whole lines are kept, and the next line stands alone."""
    path = tmp_path / "c.jsonl"
    evaluate(Table(FOUND), path)
    data = path.read_bytes()
    known = list(kept.read(path).items())
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        lines = data[:size].count(b"\n")
        with kept.KeptLines(path) as checkpoint:
            assert list(checkpoint.known.items()) == known[:lines]
            checkpoint.add("next", 7)
        assert list(kept.read(path).items()) == [*known[:lines], ("next", 7)]


def test_resuming_asks_the_rest_and_ends_the_same(tmp_path: Path) -> None:
    """A run that goes on from a cut file gives what an unbroken one gives."""
    path = tmp_path / "c.jsonl"
    expected = evaluate(Table(FOUND), path)
    data = path.read_bytes()
    for size in range(0, len(data) + 1, 211):
        path.write_bytes(data[:size])
        ask = Table(FOUND)
        assert evaluate(ask, path) == expected
        assert len(ask.asked) == 6 - data[:size].count(b"\n")


def test_a_run_that_dies_keeps_what_it_had(tmp_path: Path) -> None:
    """An error from the pipeline goes through; the next run asks only the rest."""

    class Dying(Table):
        def __call__(
            self, asked: AskedQuestion, mode: str, *, top_k: int, documents: int, answer: bool
        ) -> Answer:
            if len(self.asked) == 4:
                raise RuntimeError("killed")
            return super().__call__(asked, mode, top_k=top_k, documents=documents, answer=answer)

    path = tmp_path / "c.jsonl"
    with pytest.raises(RuntimeError, match="killed"):
        evaluate(Dying(FOUND), path)
    rest = Table(FOUND)
    assert evaluate(rest, path) == evaluate(Table(FOUND))
    assert len(rest.asked) == 2


@pytest.mark.parametrize(
    "change",
    [{"generation": 5}, {"digest": "other"}, {"answers": True}, {"ks": (1, 2)}, {"top_k": 9}],
)
def test_a_stale_checkpoint_is_ignored(tmp_path: Path, change: dict[str, object]) -> None:
    """Another store or other settings: everything is asked again."""
    path = tmp_path / "c.jsonl"
    evaluate(Table(FOUND), path)
    ask = Table(FOUND)
    evaluate(ask, path, replace(SETTINGS, **change))  # type: ignore[arg-type]
    assert len(ask.asked) == 6
    again = Table(FOUND)
    evaluate(again, path)
    assert again.asked == []


def test_a_changed_question_is_asked_again(tmp_path: Path) -> None:
    """The key holds the case itself, not only its id."""
    path = tmp_path / "c.jsonl"
    evaluate(Table(FOUND), path)
    ask = Table(FOUND)
    changed = replace(CASES[0], answers=("new",))
    measure((changed, *CASES[1:]), ("naive", "walk"), ask, SETTINGS, silent, path)
    assert len(ask.asked) == 2


def test_damaged_lines_are_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A line that holds something else is as good as absent; the log names each."""
    path = tmp_path / "c.jsonl"
    evaluate(Table(FOUND), path)
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([b"{}", b"[1]", b"\xff", *lines[1:]]) + b"\n")
    with caplog.at_level("DEBUG", "ragcli"):
        assert len(kept.read(path)) == 5
    assert caplog.text.count("damaged line of the checkpoint") == 3


def test_synced_now_and_then_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is asked to hold the lines every so often, not for each."""
    synced: list[int] = []
    monkeypatch.setattr(kept, "_SYNC_EVERY", 4)
    monkeypatch.setattr(os, "fsync", synced.append)
    evaluate(Table(FOUND), tmp_path / "c.jsonl")
    assert len(synced) == 2


def test_choices_by_other_means() -> None:
    """``choose`` is asked for cases with choices, when answers are wanted."""
    asked = (case("1", choices=("p", "q"), answers=("q",)), case("2"))
    found = {(c.question, "naive"): ["a"] for c in asked}
    settings = replace(SETTINGS, answers=True)
    picked = measure(asked, ("naive",), Table(found), settings, silent, None, lambda _c, _a: 1)
    assert picked.summaries[0].stats["accuracy"].mean == 1.0


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"ks": ()}, "ascending numbers"),
        ({"ks": (0, 1)}, "ascending numbers"),
        ({"ks": (3, 1)}, "ascending numbers"),
        ({"thresholds": (Threshold("recall@7", 1),)}, "no metric 'recall@7'"),
        ({"thresholds": (Threshold("mrr", 1, "lean"),)}, "mode 'lean' is not evaluated"),
    ],
)
def test_refused_before_the_first_question(change: dict[str, object], expected: str) -> None:
    """A mistake in the settings costs no time."""
    ask = Table(FOUND)
    with pytest.raises(ConfigError, match=expected):
        evaluate(ask, None, replace(SETTINGS, **change))  # type: ignore[arg-type]
    assert ask.asked == []


def test_modes_and_cases_are_needed() -> None:
    """No case, no mode, or a mode twice: refused."""
    for cases, modes in (((), ("naive",)), (CASES, ()), (CASES, ("naive", "naive"))):
        with pytest.raises(ConfigError):
            measure(cases, modes, Table(FOUND), SETTINGS, silent, None)


def test_thresholds_pass_and_fail() -> None:
    """Quality must reach its value, costs must stay below theirs, in each mode they are for."""
    wanted = ["recall@3=0.75", "walk:mrr=0.9", "total_ms.p95=15", "context_tokens=10", "f1=0"]
    settings = replace(SETTINGS, thresholds=tuple(map(parse_threshold, wanted)))
    found = evaluate(Table(FOUND), None, settings)
    passed = [(r.threshold.text, r.mode, r.passed) for r in found.thresholds]
    assert passed == [
        ("recall@3=0.75", "naive", True),
        ("recall@3=0.75", "walk", True),
        ("walk:mrr=0.9", "walk", False),
        ("total_ms.p95=15", "naive", True),
        ("total_ms.p95=15", "walk", True),
        ("context_tokens=10", "naive", False),
        ("context_tokens=10", "walk", False),
        ("f1=0", "naive", False),
        ("f1=0", "walk", False),
    ]
    assert found.thresholds[-1].value is None and not found.passed


@pytest.mark.parametrize(
    "text", ["recall@5", "=1", "recall@5=", "recall@5=high", ":mrr=1", "mrr.p99=1", "mrr=nan", ""]
)
def test_thresholds_that_cannot_be_read(text: str) -> None:
    """The error shows what was given and the form."""
    with pytest.raises(ConfigError) as caught:
        parse_threshold(text)
    assert repr(text) in caught.value.message and "[MODE:]METRIC" in caught.value.hint


def test_thresholds_are_written_as_they_are_read() -> None:
    """Text and back."""
    for text in ("recall@5=0.8", "dense+bm25:total_ms.p95=800"):
        assert parse_threshold(text).text == text
