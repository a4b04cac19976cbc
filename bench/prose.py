"""Builds a development set of long prose for ``short_answers.py`` from the data in RAGCLI_DATA.

The passages of the development parts of ``qa-training`` are put together into the documents that
they come from: fairy tales, articles in sections, and articles of one passage. All of them are one
folder. The texts are never copied into the project.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from pool import Record, write

SOURCES = {"fairytaleqa": 8, "quoref_contrast": 2, "timeqa": 1, "squadshifts_newwiki": 8}
"""Sources, and one in how many of their questions is asked."""

SECTION = " — "
"""What stands between the title of an article and that of a section."""


def build(root: Path, folder: Path) -> None:
    """Write ``folder/documents`` and ``folder/questions.jsonl`` unless they are there."""
    if (folder / "questions.jsonl").exists():
        return
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    asked: list[Record] = []
    for source, every in SOURCES.items():
        with gzip.open(root / f"{source}-dev.jsonl.gz", "rt", encoding="utf-8") as lines:
            examples = [json.loads(line) for line in lines]
        for name, text in _documents(source, examples).items():
            (folder / "documents" / name).write_text(text, encoding="utf-8")
        spans = [example for example in examples if example["kind"] == "span"]
        asked += [_question(source, example) for example in spans[::every]]
    write(folder / "questions.jsonl", asked)


def _question(source: str, example: Record) -> Record:
    """A question with every accepted answer, as the annotators put it and as it stands there."""
    texts = [*example.get("gold", ()), *(answer["text"] for answer in example["answers"])]
    return {
        "id": example["id"],
        "question": example["question"],
        "answer": list(dict.fromkeys(texts)),
        "type": source,
    }


def _documents(source: str, examples: list[Record]) -> dict[str, str]:
    """The texts of a source by the names of their files: passages in the order they come in."""
    passages = dict.fromkeys(
        (context["title"], context["text"]) for one in examples for context in one["contexts"]
    )
    untitled = 0
    found: dict[str, dict[str, list[str]]] = {}
    for title, text in passages:
        article, _, section = title.partition(SECTION)
        untitled += not article
        name = article or f"{source} {untitled}"
        found.setdefault(name, {}).setdefault(section, []).append(text.strip())
    return {_file(name): _text(name, sections) for name, sections in found.items()}


def _file(name: str) -> str:
    plain = "".join(sign if sign.isalnum() else "-" for sign in name.lower())
    return f"{plain[:60]}.md"


def _text(name: str, sections: dict[str, list[str]]) -> str:
    """A document with its title and the titles of its sections as headings."""
    pieces: list[Any] = [f"# {name}"]
    for section, texts in sections.items():
        pieces += [*([f"## {section}"] if section else ()), *texts]
    return "\n\n".join(pieces) + "\n"
