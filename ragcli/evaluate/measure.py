"""Asks each case in each mode, scores and saves the answer, and summarises the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from ragcli.errors import ConfigError
from ragcli.evaluate import checkpoint as kept
from ragcli.evaluate.cases import Case
from ragcli.evaluate.matching import (
    document_ranks,
    quote_ranks,
    run_names,
    wanted_documents,
    wanted_quotes,
)
from ragcli.evaluate.results import CaseOutcome, EvalSettings, Evaluation
from ragcli.evaluate.score import score
from ragcli.evaluate.summary import summarise
from ragcli.evaluate.thresholds import check, check_names
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer, Event, Report

Choose = Callable[[Case, Answer], int | None]


class Ask(Protocol):
    """A function that answers a question: retrieval in ``mode``, and a reply if ``answer``.

    It returns ``top_k`` hits, or more until they come from ``documents`` documents.
    """

    def __call__(
        self, asked: AskedQuestion, mode: str, *, top_k: int, documents: int, answer: bool
    ) -> Answer: ...


def measure(
    cases: Sequence[Case],
    modes: Sequence[str],
    ask: Ask,
    settings: EvalSettings,
    report: Report,
    checkpoint: Path | None,
    choose: Choose | None = None,
) -> Evaluation:
    """Ask every case in every mode and summarise; answers in ``checkpoint`` are reused.

    ``choose`` selects a choice (0-based) by other means than the reply's words, such as the
    choices' probabilities. Raises ConfigError for invalid thresholds, modes or k, and the errors of
    ``ask``; earlier answers stay in the checkpoint.
    """
    _refuse_unusable(cases, modes, settings)
    outcomes = {}
    with kept.KeptLines(checkpoint) as keeper:
        for done, (case, mode) in enumerate(_order(cases, modes)):
            report(Event("evaluate", done, len(cases) * len(modes), f"{mode}: {case.id}"))
            name = kept.key(case, mode, settings)
            if known := keeper.known.get(name):
                outcome = kept.outcome_of(known)
            else:
                outcome = _ask(case, mode, ask, settings, choose)
                keeper.add(name, outcome)
            outcomes[case.id, mode] = outcome
    report(Event("evaluate", len(outcomes), len(outcomes)))
    ordered = tuple(outcomes[case.id, mode] for case in cases for mode in modes)
    summaries = summarise(cases, modes, ordered, settings)
    results = check(settings.thresholds, summaries)
    return Evaluation(settings, tuple(modes), tuple(cases), ordered, summaries, results)


def _refuse_unusable(cases: Sequence[Case], modes: Sequence[str], settings: EvalSettings) -> None:
    if not cases or not modes:
        raise ConfigError("nothing to evaluate", "give at least one question and one mode")
    if len(set(modes)) < len(modes):
        raise ConfigError(f"a mode is named twice: {', '.join(modes)}", "name each mode once")
    if not settings.ks or min(settings.ks) < 1 or list(settings.ks) != sorted(set(settings.ks)):
        raise ConfigError(f"k must be ascending numbers from 1, found {list(settings.ks)}")
    check_names(settings.thresholds, modes, settings.ks)


def _order(cases: Sequence[Case], modes: Sequence[str]) -> list[tuple[Case, str]]:
    """Return cases in order, each in every mode, starting with a different mode each time.

    The first mode fills caches that the others use. Rotation spreads this cost evenly, so the
    latencies of modes are comparable.
    """
    turns = [[*modes[start:], *modes[:start]] for start in range(len(modes))]
    return [(case, mode) for place, case in enumerate(cases) for mode in turns[place % len(modes)]]


def _ask(
    case: Case, mode: str, ask: Ask, settings: EvalSettings, choose: Choose | None
) -> CaseOutcome:
    answer = ask(
        case.asked,
        mode,
        top_k=settings.depth,
        documents=max(settings.ks),
        answer=settings.answers,
    )
    pick = choose(case, answer) if choose and case.choices and settings.answers else None
    short = answer.reply.short
    wanted = wanted_documents(case.evidence)
    ranks = document_ranks(wanted, answer.hits)
    if not wanted:
        wanted = wanted_quotes(case.evidence)
        ranks = quote_ranks(wanted, answer.hits)
    return CaseOutcome(
        case=case.id,
        mode=mode,
        scores=score(case, answer, settings.ks, settings.answers, pick),
        wanted=tuple(item.name for item in wanted),
        ranks=ranks,
        documents=run_names(case, answer.hits),
        text=answer.reply.text if settings.answers else "",
        by=answer.reply.by,
        abstained=answer.reply.abstained,
        short=short.text if short else "",
        confidence=short.confidence if short else None,
    )
