"""eval: open -> cases -> ask each (per mode) -> metrics -> judge -> report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.evaluate.baseline_writer import assistant, write_ahead
from ragcli.evaluate.cases import Case, Dataset, sample
from ragcli.evaluate.choice_picker import chooser
from ragcli.evaluate.datasets import load
from ragcli.evaluate.eval_runner import Asker
from ragcli.evaluate.judge import judge
from ragcli.evaluate.matching import absent
from ragcli.evaluate.measure import measure
from ragcli.evaluate.report_folder import write
from ragcli.evaluate.results import EvalSettings, Evaluation, Threshold
from ragcli.evaluate.verdicts import Judged
from ragcli.retrieve import ASSISTED, STRATEGIES
from ragcli.search.scoped_index import within
from ragcli.store.listings import counts
from ragcli.store.replies import Remembering
from ragcli.store.snapshot import Snapshot
from ragcli.types import Report, Scope, silent

# Length of the first appended ranking, as a multiple of the user's number of hits. It does not
# depend on the cut-offs; otherwise recall@5 would depend on the other cut-offs.
LISTS = 3
CHECKPOINT = "checkpoint.jsonl"


@dataclass(frozen=True, slots=True)
class EvalRequest:
    """What to evaluate: ``modes`` and ``ks`` as in reports, ``sample`` questions (0: all).

    ``judge`` is a GGUF file, ``auto`` (the installed model), a file of verdicts, or "" for none;
    ``out`` is the folder for reports and for the checkpoint of a killed run; ``scope`` are the
    documents to search.
    """

    store: Path
    questions: Path
    modes: tuple[str, ...]
    ks: tuple[int, ...] = (2, 5, 8, 10)
    answers: bool = False
    judge: str = ""
    out: Path | None = None
    thresholds: tuple[Threshold, ...] = ()
    sample: int = 0
    seed: int = 0
    scope: Scope = field(default_factory=Scope)


@dataclass(frozen=True, slots=True)
class EvalResult:
    """The result; ``kept`` counts answers from an earlier run, ``files`` are the written files.

    ``absent`` are relevant documents that the store does not contain; ``judge_note`` describes how
    reliable the judge is.
    """

    evaluation: Evaluation
    judged: Judged | None
    judge_note: str
    kept: int
    absent: tuple[str, ...]
    files: tuple[Path, ...]


def evaluate(request: EvalRequest, settings: Settings, report: Report = silent) -> EvalResult:
    """Evaluate a store. Raises InputError, ConfigError, StoreError, ModelError.

    A killed run continues where it stopped if nothing has changed.
    """
    _refuse_unknown(request.modes)
    data = load(request.questions)
    cases = sample(data.cases, request.sample, request.seed) if request.sample else data.cases
    with (
        open_index(request.store, settings, report) as (whole, helpers),
        assistant(request.store, request.modes, settings) as helper,
    ):
        whole.hold()
        index = within(whole, request.scope)
        asker = Asker(index, settings, replace(helpers, assistant=helper))
        how = _settings(request, data, index.snapshot, asker, LISTS * settings.top_k)
        questions = [case.question for case in cases]
        asker.prepare(questions, report)
        if helper:
            how = _with_cost(how, helper, write_ahead(helper, request.modes, questions, report))
        choose = chooser(asker, settings, helpers.encode)
        found = measure(cases, request.modes, asker, how, report, _checkpoint(request), choose)
        missing = _absent(asker, cases)
    judged, note = judge(found, request.judge, settings, request.out, report)
    files = write(found, judged, request.out) if request.out else ()
    _forget(request)
    return EvalResult(found, judged, note, len(found.outcomes) - asker.asked, missing, files)


def _refuse_unknown(modes: Sequence[str]) -> None:
    for mode in modes:
        if mode not in STRATEGIES and mode not in ASSISTED:
            known = ", ".join((*STRATEGIES, *ASSISTED))
            raise InputError(f"unknown retrieval mode {mode!r}", f"choose from: {known}")


def _with_cost(how: EvalSettings, helper: Remembering, seconds: float) -> EvalSettings:
    """The facts, with the model calls of the baselines in this run; cached replies cost nothing."""
    cost = {
        "written_calls": helper.calls,
        "written_tokens": helper.tokens,
        "written_seconds": round(seconds, 1),
    }
    return replace(how, facts={**how.facts, **cost})


def _settings(
    request: EvalRequest, data: Dataset, snapshot: Snapshot, asker: Asker, top_k: int
) -> EvalSettings:
    answers = request.answers or bool(request.judge)
    return EvalSettings(
        name=data.name,
        ks=request.ks,
        top_k=top_k,
        answers=answers,
        generation=snapshot.generation,
        digest=asker.digest(
            answers,
            assisted=not ASSISTED.keys().isdisjoint(request.modes),
            scope=str(request.scope),
        ),
        thresholds=request.thresholds,
        seed=request.seed,
        facts=_facts(snapshot) | ({"scope": str(request.scope)} if request.scope else {}),
    )


def _facts(snapshot: Snapshot) -> dict[str, str | int | float]:
    known = counts(snapshot)
    facts: dict[str, str | int | float] = {
        name: known[name] for name in ("documents", "chunks", "entities", "relations", "llm_calls")
    }
    if known["stages"]:
        facts["index_seconds"] = round(sum(known["stages"].values()), 1)
    return facts


def _absent(asker: Asker, cases: Sequence[Case]) -> tuple[str, ...]:
    evidence = [item for case in cases for item in case.evidence]
    return absent(evidence, ((doc, title) for doc, title, _ in asker.documents))


def _checkpoint(request: EvalRequest) -> Path | None:
    """In ``out``, where it is kept; otherwise in the store until the end, if that is writable."""
    if request.out:
        return request.out / CHECKPOINT
    return request.store / "eval.jsonl" if os.access(request.store, os.W_OK) else None


def _forget(request: EvalRequest) -> None:
    """Delete the checkpoint of a completed run without ``out``."""
    path = _checkpoint(request)
    if path and not request.out:
        path.unlink(missing_ok=True)
