"""ragcli eval: compare how well several modes answer a set of questions from a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcli.api import as_path
from ragcli.cli import inputs, options, render
from ragcli.config import EVAL_MODES
from ragcli.errors import ConfigError
from ragcli.text.words import counted

if TYPE_CHECKING:
    from ragcli.config import Settings
    from ragcli.evaluate.evaluate import EvalResult
    from ragcli.evaluate.verdicts import Judged

BASELINES = ("naive", "bm25", "dense+bm25")
# Names shown of documents that the store does not contain; the rest is counted.
SHOWN = 3

Questions = Annotated[
    Path,
    typer.Argument(
        parser=as_path,
        metavar="FILE_OR_DIR",
        help='Questions: JSON Lines {"id", "question", "answer", "evidence", "choices"}, a BEIR'
        " folder, HotpotQA or MuSiQue JSON, or CSV with a question column.",
    ),
]
Modes = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Retrieval modes; the first is the baseline for differences"
        " (default: naive,bm25,dense+bm25 and the mode in the settings)."
        f" In addition to the modes of ask: {', '.join(EVAL_MODES)}; the first two need a language"
        " model.",
    ),
]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[MODE:]METRIC=VALUE",
        help="Exit with code 1 if a metric misses this value, for example recall@5=0.8 or"
        " auto:total_ms.p95=500; may be repeated.",
    ),
]
Judge = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL|FILE",
        help="Compare the answers with a language model as judge (a GGUF file, or auto), or with a"
        " file of verdicts on pairs.jsonl (.jsonl).",
    ),
]
MakeQuestions = Annotated[
    bool,
    typer.Option(
        "--make-questions",
        help="Write the question file with a language model: 125 questions about the whole store"
        " (5 readers, 5 tasks each, 5 questions each), for --judge.",
    ),
]


def evaluate(
    questions: Questions,
    modes: Modes = None,
    k: Annotated[
        str, typer.Option(metavar="K,...", help="Cut-offs of the metrics, in ascending order.")
    ] = "2,5,8,10",
    answers: Annotated[bool, typer.Option("--answers", help="Measure the answers, too.")] = False,
    judge: Judge = None,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=as_path,
            metavar="DIR",
            help="Write report.json, report.html, junit.xml and TREC files here.",
        ),
    ] = None,
    fail_under: FailUnder = None,
    make_questions: MakeQuestions = False,
    sample: Annotated[int, typer.Option(min=0, help="Number of questions to sample; 0: all.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the sample and of the resampling.")] = 0,
    answer: Annotated[
        str | None, typer.Option(help="How to answer: auto, extractive, llm.")
    ] = None,
    in_: options.In = None,
    type_: options.Type = None,
    since: options.Since = None,
    where: options.Where = None,
    llm: options.Llm = None,
    embedder: options.Embedder = None,
    store: options.Store = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Measure retrieval and answers on questions with known evidence or answers.

    A killed run continues where it stopped. Exit code 1 if a --fail-under is missed.
    """
    from ragcli.evaluate.evaluate import EvalRequest
    from ragcli.evaluate.evaluate import evaluate as run
    from ragcli.evaluate.report_folder import refuse_to_lose_others
    from ragcli.evaluate.thresholds import parse_threshold

    settings = inputs.settings(answer=answer, llm=llm, embedder=embedder)
    if make_questions:
        return _make(questions, inputs.existing_store(store), settings, quiet)
    if out is not None and not force:
        refuse_to_lose_others(out)
    request = EvalRequest(
        inputs.existing_store(store),
        questions,
        _modes(modes, settings.mode),
        _cut_offs(k),
        answers,
        judge or "",
        out,
        tuple(map(parse_threshold, fail_under or ())),
        sample,
        seed,
        inputs.scope(in_, type_, since, where),
    )
    with render.ProgressBar(quiet) as progress:
        result = run(request, settings, progress)
    if not quiet:
        _notes(result, out)
    _show(result, json)
    return 0 if result.evaluation.passed else inputs.NEGATIVE


def _make(file: Path, store: Path, settings: Settings, quiet: bool) -> int:
    from ragcli.evaluate.make_questions import write_questions

    with render.ProgressBar(quiet) as progress:
        made = write_questions(store, file, settings, progress)
    if not quiet:
        missing = f" (asked for: {len(made.cases) + made.missing:,})" if made.missing else ""
        render.note(f"questions written to {file}: {len(made.cases):,}{missing}")
    return 0


def _modes(given: str | None, usual: str) -> tuple[str, ...]:
    if given is None:
        return tuple(dict.fromkeys((*BASELINES, usual)))
    return tuple(mode.strip() for mode in given.split(",") if mode.strip())


def _cut_offs(given: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in given.split(","))
    except ValueError:
        raise ConfigError(
            f"--k {given!r} cannot be read", "write numbers with commas: 2,5,8,10"
        ) from None


def _notes(result: EvalResult, out: Path | None) -> None:
    """Print notes on the run, such as documents that the store does not contain."""
    if result.kept:
        total = len(result.evaluation.outcomes)
        render.note(f"{result.kept:,} of {total:,} answers come from an earlier run")
    facts = result.evaluation.settings.facts
    if facts.get("written_calls"):
        render.note(
            f"queries written by the language model: {facts['written_calls']:,} replies,"
            f" {facts['written_tokens']:,} tokens, {facts['written_seconds']} s"
        )
    if result.absent:
        names = ", ".join(result.absent[:SHOWN])
        more = ", ..." if len(result.absent) > SHOWN else ""
        render.note(
            f"{len(result.absent):,} relevant documents are not in the store: {names}{more}"
        )
    if result.judge_note:
        render.note(f"judge: {result.judge_note}")
    if out:
        render.note(f"wrote {', '.join(path.name for path in result.files)} to {out}")


def _show(result: EvalResult, json: bool) -> None:
    from ragcli.evaluate.report import coverage_rows, to_json

    if json:
        import orjson

        render.print_json(orjson.loads(to_json(result.evaluation, result.judged)))
        return
    evaluation = result.evaluation
    first, *others = evaluation.modes
    title = f"{evaluation.settings.name}: {counted(len(evaluation.cases), 'question')}"
    if others:
        title += f"; differences from {first}, * if the 95 % interval excludes 0"
    heads, *rows = _fitting(result)
    render.table(title, heads, rows)
    if curve := coverage_rows(evaluation):
        columns, *lines = curve
        render.table("right short answers among the surest (least confidence)", columns, lines)
    if result.judged:
        _show_judged(result.judged)
    for check in evaluation.thresholds:
        word = "met" if check.passed else "MISSED"
        value = "not measured" if check.value is None else f"found {check.value:.4g}"
        render.line(f"{word}: {check.mode}: {check.threshold.text}, {value}")


def _fitting(result: EvalResult) -> list[list[str]]:
    """The table with as much detail as fits the width of the terminal."""
    from ragcli.evaluate.report import table_rows

    for detail in (2, 1, 0):
        rows = table_rows(result.evaluation, detail)
        columns = zip(*rows, strict=True)
        if sum(max(map(len, column)) + 2 for column in columns) <= render.width():
            break
    return rows


def _show_judged(judged: Judged) -> None:
    rows: list[list[Any]] = [
        [
            f"{t.right_mode} : {t.left_mode}",
            t.criterion,
            t.right,
            t.left,
            t.ties,
            f"{t.flips} ({t.flip_rate:.0%})",
            t.invalid,
            "–" if t.right_rate is None else f"{t.right_rate:.0%}",
        ]
        for t in judged.tallies
    ]
    heads = ("judged", "criterion", "wins", "losses", "ties", "flips", "invalid", "win rate")
    if rows:
        render.table("", heads, rows)
    marks = [
        [mode, m.criterion, "–" if m.mean is None else f"{m.mean:.2f}", m.valid, m.invalid]
        for mode, summaries in judged.marks.items()
        for m in summaries
    ]
    if marks:
        render.table("", ("marked", "criterion", "mean of 1-10", "valid", "invalid"), marks)
