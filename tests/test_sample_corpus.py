"""Checks on the sample corpus and its question files (no network, no models)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).resolve().parent.parent / "sample_corpus"
QUESTION_FILES = ("questions.jsonl", "unanswerable.jsonl", "choices.jsonl")
TYPES = {"single", "bridge", "comparison", "global"}


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Parse a JSON Lines file, skipping blank lines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def corpus_files() -> list[Path]:
    """Every document file: all regular files but the question files and dotfiles."""
    return sorted(
        path
        for path in CORPUS.rglob("*")
        if path.is_file() and not path.name.startswith(".") and path.name not in QUESTION_FILES
    )


def texts_of(doc: str) -> list[str]:
    """The searchable texts of a document named `folder/file` or `folder/file.jsonl#_id`."""
    name, _, record_id = doc.partition("#")
    path = CORPUS / name
    assert path.is_file(), f"no such document: {doc}"
    if not record_id:
        return [path.read_text(encoding="utf-8")]
    records = [r for r in read_jsonl(path) if r["_id"] == record_id]
    assert len(records) == 1, f"no such record: {doc}"
    return [records[0]["title"], records[0]["text"]]


QUESTIONS = read_jsonl(CORPUS / "questions.jsonl")
UNANSWERABLE = read_jsonl(CORPUS / "unanswerable.jsonl")
CHOICES = read_jsonl(CORPUS / "choices.jsonl")


def test_document_count() -> None:
    """There are between 25 and 40 documents, in several folders and three formats."""
    files = corpus_files()
    assert 25 <= len(files) <= 40
    assert len({path.parent for path in files}) >= 4
    assert {path.suffix for path in files} == {".md", ".txt", ".jsonl"}


def test_documents_are_clean_utf8() -> None:
    """Documents are non-empty UTF-8 with neither NUL bytes nor carriage returns."""
    for path in corpus_files():
        text = path.read_bytes().decode("utf-8")
        assert text.strip(), path
        assert "\x00" not in text and "\r" not in text, path
        assert "\ufffd" not in text, path


def test_documents_are_distinct() -> None:
    """No two documents have the same content."""
    contents = Counter(path.read_bytes() for path in corpus_files())
    assert max(contents.values()) == 1


def test_beir_records() -> None:
    """The JSON Lines document holds records with a unique `_id`, a title and a text."""
    (path,) = [p for p in corpus_files() if p.suffix == ".jsonl"]
    records = read_jsonl(path)
    assert len(records) >= 6
    assert len({r["_id"] for r in records}) == len(records)
    for record in records:
        assert set(record) == {"_id", "title", "text"}
        assert all(isinstance(v, str) and v.strip() for v in record.values())


def test_question_counts() -> None:
    """There are at least 30 questions, with every type well represented."""
    assert len(QUESTIONS) >= 30
    counts = Counter(q["type"] for q in QUESTIONS)
    assert set(counts) == TYPES
    assert counts["single"] >= 12 and counts["bridge"] >= 12
    assert counts["comparison"] >= 4 and counts["global"] >= 3


def test_ids_unique() -> None:
    """Ids and question texts are unique over both files."""
    everything = QUESTIONS + UNANSWERABLE
    assert len({q["id"] for q in everything}) == len(everything)
    assert len({q["question"] for q in everything}) == len(everything)


@pytest.mark.parametrize("item", QUESTIONS, ids=lambda q: q["id"])
def test_question_fields(item: dict[str, Any]) -> None:
    """A question has exactly the agreed fields and at least one non-empty answer."""
    assert set(item) == {"id", "question", "answer", "evidence", "type"}
    answers = item["answer"] if isinstance(item["answer"], list) else [item["answer"]]
    assert answers and all(isinstance(a, str) and a.strip() for a in answers)
    assert item["question"].strip() and item["evidence"]


@pytest.mark.parametrize("item", QUESTIONS, ids=lambda q: q["id"])
def test_evidence_is_exact(item: dict[str, Any]) -> None:
    """Each evidence quote is a one-line exact substring of the document it names."""
    for evidence in item["evidence"]:
        assert set(evidence) == {"doc", "quote"}
        assert evidence["quote"].strip() and "\n" not in evidence["quote"]
        assert any(evidence["quote"] in text for text in texts_of(evidence["doc"])), evidence


@pytest.mark.parametrize(
    "item", [q for q in QUESTIONS if q["type"] in ("bridge", "global")], ids=lambda q: q["id"]
)
def test_evidence_spans_documents(item: dict[str, Any]) -> None:
    """The evidence of a bridge or global question comes from two documents or more."""
    assert len({evidence["doc"] for evidence in item["evidence"]}) >= 2


def test_evidence_covers_the_corpus() -> None:
    """Questions draw on most of the documents, so that no corner goes unmeasured."""
    used = {e["doc"].partition("#")[0] for q in QUESTIONS for e in q["evidence"]}
    names = {path.relative_to(CORPUS).as_posix() for path in corpus_files()}
    assert used <= names
    assert len(used) >= 0.75 * len(names)


def test_unanswerable() -> None:
    """Unanswerable questions have neither answer nor evidence."""
    assert len(UNANSWERABLE) >= 10
    for item in UNANSWERABLE:
        assert set(item) == {"id", "question", "answer", "evidence", "type"}
        assert item["type"] == "unanswerable"
        assert item["answer"] is None and item["evidence"] == []


def test_ignore_file_lists_question_files() -> None:
    """The question files are kept out of the index by `.ragcliignore`."""
    lines = (CORPUS / ".ragcliignore").read_text(encoding="utf-8").splitlines()
    assert set(QUESTION_FILES) <= {line.strip() for line in lines}


def test_choices_are_questions_of_the_other_file() -> None:
    """Each asks what a question of questions.jsonl does; one of four choices, in turn, is right."""
    known = {q["question"]: q for q in QUESTIONS}
    for place, choice in enumerate(CHOICES):
        asked = known[choice["question"]]
        assert choice["evidence"] == asked["evidence"]
        assert len(set(choice["choices"])) == 4
        assert choice["choices"].index(choice["answer"]) == place % 4
        golds = [asked["answer"]] if isinstance(asked["answer"], str) else asked["answer"]
        assert any(choice["answer"].removeprefix("the ") in gold for gold in golds)
