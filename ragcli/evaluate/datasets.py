"""Reads a file or folder of questions as cases; detects the format from the content."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from ragcli.errors import InputError
from ragcli.evaluate import dataset_formats
from ragcli.evaluate.cases import Case, Dataset
from ragcli.evaluate.record_fields import Record, Row, json_lines, parse, refuse

__all__ = ["load"]

Parser = Callable[[str, Record], Case]


def load(path: Path) -> Dataset:
    """Read questions from ``path``; the set gets the name of the file or folder.

    A folder is in BEIR format (queries.jsonl and qrels/*.tsv; to select a split, name one qrels
    file instead) or contains questions.jsonl. A file is JSON (one list), JSON Lines or CSV. Raises
    InputError, with file:line for a bad line, and for a file without questions.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder", "name a file of questions")
    try:
        rows, parser = _open(path)
        cases = _named((where, parser(where, record)) for where, record in rows)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: expected UTF-8 text ({error.reason})") from error
    except OSError as error:
        raise InputError(f"{error.filename or path}: cannot be read ({error.strerror})") from error
    if not cases:
        raise refuse(str(path), "at least one question")
    return Dataset(_name(path), cases)


def _open(path: Path) -> tuple[list[Row], Parser]:
    if path.is_dir():
        return _folder(path)
    if path.suffix == ".tsv" and (path.parent.parent / "queries.jsonl").is_file():
        return _beir(path.parent.parent, [path])
    if path.suffix.lower() == ".csv":
        return _csv_rows(path), dataset_formats.table
    rows = _json_rows(path)
    return rows, _parser_for(rows[0][1]) if rows else dataset_formats.own


def _folder(path: Path) -> tuple[list[Row], Parser]:
    if (path / "queries.jsonl").is_file():
        qrels = sorted((path / "qrels").glob("*.tsv"))
        # "test" is the split that BEIR's published figures are for.
        chosen = [file for file in qrels if file.stem == "test"] or qrels
        return _beir(path, chosen)
    if (path / "questions.jsonl").is_file():
        return _open(path / "questions.jsonl")
    raise refuse(str(path), "queries.jsonl with qrels/*.tsv, or questions.jsonl, in the folder")


def _beir(folder: Path, qrels: list[Path]) -> tuple[list[Row], Parser]:
    if not qrels:
        raise refuse(str(folder), "qrels/*.tsv beside queries.jsonl")
    judged: dict[str, dict[str, int]] = {}
    for file in qrels:
        lines = file.read_text(encoding="utf-8").splitlines()
        judged |= dataset_formats.beir_judgements(
            (f"{file}:{n}", line) for n, line in enumerate(lines, 1)
        )
    # Queries without judgements belong to another split.
    rows = [row for row in json_lines(folder / "queries.jsonl") if row[1].get("_id") in judged]
    return rows, partial(dataset_formats.beir, judged=judged)


def _json_rows(path: Path) -> list[Row]:
    """Read a JSON list, or JSON Lines; errors name the items of a list by number ("file[3]")."""
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    if not data.lstrip().startswith(b"["):
        return json_lines(path)
    rows: list[Row] = []
    for number, item in enumerate(parse(data, str(path))):
        where = f"{path}[{number}]"
        if not isinstance(item, dict):
            raise refuse(where, "a JSON object", item)
        rows.append((where, item))
    return rows


def _parser_for(record: Record) -> Parser:
    if "supporting_facts" in record:
        return dataset_formats.hotpot
    if "paragraphs" in record:
        return dataset_formats.musique
    return dataset_formats.own


def _csv_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines)
        if "question" not in (reader.fieldnames or ()):
            raise refuse(f"{path}:1", 'a column "question"', reader.fieldnames)
        rows: list[Row] = []
        for record in reader:
            where = f"{path}:{reader.line_num}"
            if None in record or None in record.values():
                raise refuse(where, f"{len(reader.fieldnames or ())} columns", record)
            rows.append((where, record))
        return rows


def _named(placed: Iterator[tuple[str, Case]]) -> tuple[Case, ...]:
    """Derive missing ids from the questions; reject duplicate ids.

    Ids depend on content only, so inserting a line changes no id, no sample and no checkpoint.
    """
    cases: dict[str, Case] = {}
    for where, case in placed:
        name = case.id or _fresh(case.question, cases)
        if name in cases:
            raise refuse(where, "an id of its own for each question", name)
        cases[name] = replace(case, id=name)
    return tuple(cases.values())


def _fresh(question: str, taken: dict[str, Case]) -> str:
    name = "q-" + hashlib.sha256(question.encode()).hexdigest()[:8]
    twins = sum(known == name or known.startswith(f"{name}-") for known in taken)
    return f"{name}-{twins + 1}" if twins else name


def _name(path: Path) -> str:
    generic = {"questions", "queries", "test", "dev", "train", "qrels"}
    parts = [
        path.resolve().name if path.is_dir() else path.stem,
        *(p.name for p in path.resolve().parents),
    ]
    return next((part for part in parts if part and part not in generic), "questions")
