"""Writes the files of an evaluation into one folder, for people, CI servers and other tools."""

from __future__ import annotations

from pathlib import Path

from ragcli.evaluate.html_report import to_html
from ragcli.evaluate.judge_prompts import pairs, tasks
from ragcli.evaluate.junit import to_junit
from ragcli.evaluate.report import is_report, to_json
from ragcli.evaluate.results import Evaluation
from ragcli.evaluate.trec import relevance_file, run_file
from ragcli.evaluate.verdicts import Judged, to_lines
from ragcli.overwriting import refuse_to_lose


def refuse_to_lose_others(folder: Path) -> None:
    """Raise InputError if a report would replace a file that ``eval`` did not write."""
    report = folder / "report.json"
    if report.is_file() and is_report(report):
        return
    for name in ("report.json", "report.html", "junit.xml", "qrels.trec", "pairs.jsonl"):
        refuse_to_lose(folder / name, lambda _: False, "part of an evaluation")


def write(evaluation: Evaluation, judged: Judged | None, folder: Path) -> tuple[Path, ...]:
    """Write report.json, report.html, junit.xml, qrels.trec and a run-MODE.trec for each mode.

    With answers in several modes, also write pairs.jsonl for an external judge. Each file is
    replaced atomically. OSError goes to the caller.
    """
    files = {
        "report.json": to_json(evaluation, judged),
        "report.html": to_html(evaluation, judged).encode(),
        "junit.xml": to_junit(evaluation),
        "qrels.trec": relevance_file(evaluation.cases).encode(),
        **{f"run-{mode}.trec": run_file(evaluation, mode).encode() for mode in evaluation.modes},
    }
    if todo := tasks(pairs(evaluation)):
        files["pairs.jsonl"] = to_lines(todo)
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_replace(folder / name, data) for name, data in files.items())


def _replace(path: Path, data: bytes) -> Path:
    """Write a temporary file and rename it, so that no reader sees a partial report."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(data)
    beside.replace(path)
    return path
