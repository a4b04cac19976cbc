"""eval: open -> cases -> ask each (per mode) -> metrics -> judge -> report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.asking.opening import open_index
from ragcli.config import EVAL_MODES, MODES, Settings
from ragcli.errors import InputError
from ragcli.evaluate.baseline_writer import assistant, graphrag, write_ahead
from ragcli.evaluate.cases import Case, Dataset, sample
from ragcli.evaluate.choice_picker import chooser
from ragcli.evaluate.datasets import load
from ragcli.evaluate.eval_runner import Asker
from ragcli.evaluate.from_reports import GRAPHRAG, ReportsAsker
from ragcli.evaluate.judge import judge
from ragcli.evaluate.matching import absent
from ragcli.evaluate.measure import measure
from ragcli.evaluate.report_folder import write
from ragcli.evaluate.results import EvalSettings, Evaluation, Threshold
from ragcli.evaluate.verdicts import Judged
from ragcli.search.scoped_index import within
from ragcli.store.listings import counts
from ragcli.store.replies import Remembering, replies_in
from ragcli.store.snapshot import Snapshot
from ragcli.types import Report, Scope, silent

if TYPE_CHECKING:
    from ragcli.papers.graphrag import GraphRag

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
    _refuse(request.modes, request.scope)
    data = load(request.questions)
    cases = sample(data.cases, request.sample, request.seed) if request.sample else data.cases
    with (
        open_index(request.store, settings, report) as (whole, helpers),
        assistant(request.store, request.modes, settings) as helper,
        replies_in(None) as replies,
    ):
        whole.hold()
        index = within(whole, request.scope)
        asker = Asker(index, settings, replace(helpers, assistant=helper), replies)
        how = _settings(request, data, index.snapshot, asker, LISTS * settings.top_k)
        questions = [case.asked for case in cases]
        asker.prepare(questions, report)
        if helper:
            how = _with_cost(how, helper, write_ahead(helper, request.modes, questions, report))
        choose = chooser(asker, settings, helpers.encode)
        with graphrag(request.store, request.modes, index, settings, asker.helpers) as baseline:
            if baseline:
                baseline.prepare(report)
                asker.others[GRAPHRAG] = ReportsAsker(baseline, settings)
            found = measure(cases, request.modes, asker, how, report, _checkpoint(request), choose)
            if baseline:
                found = replace(found, settings=_with_reports(found.settings, baseline))
        missing = _absent(asker, cases)
    judged, note = judge(found, request.judge, settings, request.out, report)
    files = write(found, judged, request.out) if request.out else ()
    _forget(request)
    return EvalResult(found, judged, note, len(found.outcomes) - asker.asked, missing, files)


def _refuse(modes: Sequence[str], scope: Scope) -> None:
    for mode in modes:
        if mode not in (*MODES, *EVAL_MODES):
            known = ", ".join((*MODES, *EVAL_MODES))
            raise InputError(f"unknown retrieval mode {mode!r}", f"choose from: {known}")
    if scope and GRAPHRAG in modes:
        raise InputError(
            f"the mode {GRAPHRAG} reads reports made from all documents",
            "leave out --in, --type, --since and --where, or choose another mode",
        )


def _with_cost(how: EvalSettings, helper: Remembering, seconds: float) -> EvalSettings:
    """The facts, with the model calls of the baselines in this run; cached replies cost nothing."""
    cost = {
        "written_calls": helper.calls,
        "written_tokens": helper.tokens,
        "written_seconds": round(seconds, 1),
    }
    return replace(how, facts={**how.facts, **cost})


def _with_reports(how: EvalSettings, baseline: GraphRag) -> EvalSettings:
    """The facts, with the reports of the GraphRAG baseline and the model's work in this run."""
    facts: dict[str, str | int | float] = {"reports": len(baseline.reports)}
    for step, cost in baseline.cost.items():
        facts |= {f"{step}_calls": cost.calls, f"{step}_tokens": cost.tokens}
    return replace(how, facts={**how.facts, **facts})


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
            assisted=not set(EVAL_MODES).isdisjoint(request.modes),
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
