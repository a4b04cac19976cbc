"""ragcli index: create a store from folders and files, or update it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

import ragcli
from ragcli.api import IndexOptions, as_path, index_request
from ragcli.cli import inputs, options, render
from ragcli.text.durations import about
from ragcli.text.words import counted
from ragcli.types import IndexResult

UNMATCHED_SHOWN = 10
SKIPPED_SHOWN = 5
REASONS_SHOWN = 6
SAME = ("the same file", "the same folder")
"""Reasons that name the other one."""
NOTHING = "no documents in it"
"""The reason for an archive, before the reason for one of its members."""
# Extraction has failed if the language model found nothing in more than this share of the chunks.
POOR = 0.2

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        parser=as_path,
        metavar="PATH...",
        help="Folders and files (default: those of the store).",
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help="Index only files that match; may be repeated."),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="GLOB", help="Exclude files that match; may be repeated."),
]
Workers = Annotated[
    int | None, typer.Option(min=0, help="Processes for extraction; 0: one per usable CPU.")
]
Extractions = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Use recorded extractions (JSON Lines)."),
]
Mode = Annotated[
    str | None,
    typer.Option(
        help="How to extract: fast (no language model), hybrid (a model describes what the English"
        " pipeline finds), light (a model finds and describes), auto (hybrid or light, by the"
        " model's size) (default: the mode of the store; fast for a new store)."
    ),
]
Minutes = Annotated[
    float | None,
    typer.Option(
        "--max-minutes",
        min=0,
        help="Stop language model calls after this many minutes; the next update continues.",
    ),
]
Hierarchy = Annotated[
    bool | None,
    typer.Option(
        "--hierarchy/--no-hierarchy",
        help="Cluster the entities into levels, for ask --mode lean; updates keep the levels.",
    ),
]
HierarchyBy = Annotated[
    str | None,
    typer.Option(
        metavar="WHO",
        help="What names and describes the clusters: auto (the language model of --mode, if it is"
        " large enough), extractive (no model), llm (default: unchanged; auto for a new"
        " hierarchy).",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Also exit with code 1 if a file is skipped or still cannot be read."
    ),
]


def index(
    paths: Paths = None,
    store: options.StoreMade = None,
    mode: Mode = None,
    llm: options.Llm = None,
    minutes: Minutes = None,
    include: Include = None,
    exclude: Exclude = None,
    workers: Workers = None,
    embedder: options.Embedder = None,
    spacy: Annotated[
        str | None, typer.Option(metavar="PATH", help="English pipeline: default, path, package.")
    ] = None,
    extractions: Extractions = None,
    hierarchy: Hierarchy = None,
    hierarchy_by: HierarchyBy = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Index only the I-th of N parts of the documents, into a store of its own; ragcli"
            " merge makes one store of all parts.",
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE",
            help="What reads, analyses and embeds documents: local, or ray (Ray workers; needs the"
            " extra ray).",
        ),
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="The Ray cluster, of which this machine is a node (default: one that is started on"
            " this machine alone).",
        ),
    ] = None,
    strict: Strict = False,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild",
            help="Build the store from scratch; readers use the old store until the new one is"
            " complete, and output of language models is kept.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the work to do and an estimate of its time.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Build a store from folders, files and BEIR corpus.jsonl, or update an existing store.

    Exit code 1 if some documents cannot be read; these are listed, and the others are indexed.
    """
    settings = inputs.settings(workers=workers, embedder=embedder, spacy=spacy, llm=llm)
    where = inputs.store_to_index(store, bool(paths), quiet)
    wanted: IndexOptions = {
        "include": tuple(include or ()),
        "exclude": tuple(exclude or ()),
        "rebuild": rebuild,
        "extractions": extractions,
        "mode": chosen_mode(mode, llm, hierarchy_by),
        "minutes": minutes,
        "hierarchy": hierarchy,
        "hierarchy_by": hierarchy_by or "",
        "shard": shard or "",
        "engine": engine,
        "address": address or "",
    }
    with render.ProgressBar(quiet) as progress:
        if dry_run:
            from ragcli.indexing.estimate import estimate

            request = index_request(paths or (), where, **wanted)
            plan = asdict(estimate(request, settings, progress))
        else:
            result = ragcli.index(paths or (), where, settings=settings, report=progress, **wanted)
    if dry_run:
        _show_plan(plan, json)
        return 0
    return show(result, where, json, quiet, strict)


def chosen_mode(mode: str | None, llm: str | None, hierarchy_by: str | None) -> str:
    """The given mode; ``auto`` if a model is given that is not for the hierarchy only."""
    used = llm and llm != "none" and hierarchy_by != "llm"
    return mode or ("auto" if used else "")


def as_json(result: IndexResult) -> dict[str, Any]:
    """The result as ``--json`` prints it."""
    value = asdict(result)
    value["failed"] = [{"doc": doc, "error": error} for doc, error in result.failed]
    value["failed_before"] = [{"doc": doc, "error": error} for doc, error in result.failed_before]
    value["problems"] = dict(result.problems)
    value["unmatched"] = [{"line": n, "reason": reason} for n, reason in result.unmatched]
    value["skipped"] = [{"path": s.id, "reason": s.reason} for s in result.skipped]
    return value


def show(result: IndexResult, store: Path, json: bool, quiet: bool, strict: bool) -> int:
    """Print a result and return the exit code."""
    if json:
        render.print_json(as_json(result))
    else:
        _show_text(result, store, quiet)
    return verdict(result, strict)


def verdict(result: IndexResult, strict: bool = False) -> int:
    """The exit code of a run."""
    problems = sum(chunks for _, chunks in result.problems)
    poor = problems > POOR * result.described
    bad = bool(result.failed or result.missing_roots or poor)
    left_out = bool(result.skipped or result.failed_before)
    return inputs.NEGATIVE if bad or (strict and left_out) else 0


def _show_text(result: IndexResult, store: Path, quiet: bool) -> None:
    if not quiet:
        _show_left_out(result)
        _show_language_model(result)
    for doc, error in result.failed:
        render.note(f"failed {doc}: {error}")
    for root in result.missing_roots:
        render.note(missing(root))
    kinds = ("added", "changed", "renamed", "removed", "unchanged")
    counts = ", ".join(f"{getattr(result, k):,} {k}" for k in kinds if getattr(result, k))
    render.line(f"{counts or 'nothing to index'} in {result.seconds:.1f} s")
    if result.words and not quiet:
        stages = ", ".join(f"{k} {v:.1f} s" for k, v in result.stages.items() if v >= 0.05)
        render.note(f"{result.words / result.seconds:,.0f} words/s: {stages}")
    render.line(
        f"{store}: {counted(result.documents, 'document')}, {counted(result.chunks, 'chunk')},"
        f" {counted(result.entities, 'entity')}, {counted(result.relations, 'relation')}"
    )


def _show_left_out(result: IndexResult) -> None:
    for note in result.notes:
        render.note(note)
    show_skipped([(skip.id, skip.reason) for skip in result.skipped])
    for doc, error in result.failed_before:
        render.note(f"unchanged, still cannot be read: {doc}: {error}")
    for number, reason in result.unmatched[:UNMATCHED_SHOWN]:
        render.note(f"extractions, line {number}: {reason}")
    if (more := len(result.unmatched) - UNMATCHED_SHOWN) > 0:
        render.note(f"and {more:,} more lines that match no chunk (--json lists them)")


def show_skipped(skipped: Sequence[tuple[str, str]]) -> None:
    """Print the files that are not read, (id, reason): the first of each reason, and how many."""
    by_kind: dict[str, list[tuple[str, str]]] = {}
    for id_, reason in skipped:
        by_kind.setdefault(_kind(reason), []).append((id_, reason))
    for kind, alike in by_kind.items():
        for id_, reason in alike[:SKIPPED_SHOWN]:
            render.note(f"skipped {id_}: {reason}")
        if (more := len(alike) - SKIPPED_SHOWN) > 0:
            render.note(f"skipped {more:,} more: {kind}")
    if len(skipped) > 1:
        render.note(not_read([reason for _, reason in skipped]))


def not_read(reasons: Sequence[str]) -> str:
    """How many files are not read, and the most frequent reasons, given the reason of each."""
    counts = Counter(map(_kind, reasons)).most_common()
    parts = [f"{count:,} {reason}" for reason, count in counts[:REASONS_SHOWN]]
    if more := sum(count for _, count in counts[REASONS_SHOWN:]):
        parts.append(f"{more:,} for other reasons")
    are = "is" if len(reasons) == 1 else "are"
    return f"{counted(len(reasons), 'file')} {are} not read: {'; '.join(parts)}"


def _kind(reason: str) -> str:
    """A reason without the other file that it names, or what is in it."""
    what, cause, _ = reason.partition("; ")
    if cause and what == NOTHING:
        return what
    what, same, _ = reason.partition(" as ")
    return f"{what} as another" if same and what in SAME else reason


def _show_language_model(result: IndexResult) -> None:
    for reason, chunks in result.problems:
        render.note(f"nothing found in {counted(chunks, 'chunk')}: {reason}")
    show_waiting(result.waiting, result.waiting_profiles)
    if words := result.hierarchy_words:
        render.note(f"a language model described {words['written']:,} clusters and relations")
        for reason, replies in words["refused"].items():
            render.note(f"extractive text replaces {replies:,} replies: {reason}")
        if words["waiting"]:
            render.note(f"{words['waiting']:,} clusters and relations are left for the next run")


def missing(root: str) -> str:
    """The message for a root that cannot be opened."""
    return (
        f"cannot open {root}: its documents are unchanged; remove them with:"
        f" ragcli update --forget {shlex.quote(root)}"
    )


def show_waiting(chunks: int, profiles: int) -> None:
    """Print how many chunks and profiles the language model has not processed yet."""
    counts = ((chunks, "chunks to read"), (profiles, "profiles to summarise"))
    if found := " and ".join(f"{count:,} {what}" for count, what in counts if count):
        render.note(f"waiting for the language model: {found}; continue with: ragcli update")


def _show_plan(plan: dict[str, Any], json: bool) -> None:
    if json:
        render.print_json(plan)
        return
    render.line(
        f"{counted(plan['files'], 'file')} to read,"
        f" {counted(plan['documents'], 'document')} to index:"
        f" {counted(plan['chunks'], 'chunk')}, {counted(plan['tokens'], 'token')},"
        f" {counted(plan['llm_calls'], 'LLM call')},"
        f" {about(plan['seconds'])} ({plan['calibration']})"
    )
    if plan["llm_chunks"]:
        render.note(
            f"of that, {about(plan['llm_seconds'])} for a language model to read"
            f" {counted(plan['llm_chunks'], 'chunk')} ({counted(plan['llm_tokens'], 'token')};"
            f" {plan['llm_calibration']})"
        )
    show_skipped([(skip["id"], skip["reason"]) for skip in plan["skipped"]])
