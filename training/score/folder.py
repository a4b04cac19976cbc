"""One folder of all passages that questions were written over, with the questions for ``eval``.

``python -m training.score.folder OUT [--part dev ...]``

The questions are those of ``training/questions``: each has the passages that answer it, or that are
near and do not. Put back into documents they are a folder of many sources, in which every other
passage is beside the point. OUT gets ``documents/`` with all parts' passages, and
``questions.jsonl`` and ``unanswerable.jsonl`` of the parts named, as ``ragcli eval`` reads them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

QUESTIONS = Path(__file__).parent.parent / "questions"
PARTS = ("train", "dev", "test")

Row = dict[str, Any]
"""A line of the questions' files."""


def main() -> int:
    """Write the folder."""
    parser = argparse.ArgumentParser(prog="python -m training.score.folder")
    parser.add_argument("out", type=Path)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=["dev"])
    given = parser.parse_args()
    write([row for part in PARTS for row in rows(part)], given.out / "documents")
    asked = [row for part in given.part for row in rows(part)]
    for name, some in (
        ("questions", [row for row in asked if row["kind"] != "none"]),
        ("unanswerable", [row for row in asked if row["kind"] == "none"]),
    ):
        lines = (json.dumps(case(row), ensure_ascii=False) for row in some)
        (given.out / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def rows(part: str) -> list[Row]:
    """The questions of a part."""
    with gzip.open(QUESTIONS / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def case(row: Row) -> Row:
    """A question as ``ragcli eval`` reads it."""
    texts = [answer["text"] for answer in row["answers"]]
    answer = {"yesno": row.get("yesno"), "multi": ", ".join(texts), "none": None}
    return {
        "id": row["id"],
        "question": row["question"],
        "type": row["qkind"],
        "answer": answer.get(row["kind"], texts),
        "evidence": [
            {"doc": f"{_name(row, context)}.md"}
            for at, context in enumerate(row["contexts"])
            if any(answer["context"] == at for answer in row["answers"])
        ],
    }


def documents(asked: Iterable[Row]) -> dict[str, str]:
    """The documents by name, each its passages in the order in which questions name them."""
    passages: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    titles: dict[str, str] = {}
    for row in asked:
        for context in row["contexts"]:
            name = _name(row, context)
            titles.setdefault(name, context["title"])
            key = re.sub(r"\W+", "", context["text"])
            passages[name].setdefault(key, (context["heading"], context["text"]))
    return {name: _document(titles[name], found.values()) for name, found in passages.items()}


def _name(row: Row, context: dict[str, str]) -> str:
    doc = context["doc"].partition("/")[2] or context["doc"]
    return f"{row['source']}/{doc}".replace(" ", "_")


def _document(title: str, passages: Iterable[tuple[str, str]]) -> str:
    lines = [f"# {title}"] if title else []
    above = title
    for heading, text in passages:
        last = heading.rpartition(" > ")[2]
        if last and last != above and last not in text[: len(last) + 8]:
            lines.append(f"## {last}")
        above = last
        lines.append(text.strip())
    return "\n\n".join(lines) + "\n"


def write(asked: Sequence[Row], folder: Path) -> None:
    """Write the documents below ``folder``."""
    for name, text in documents(asked).items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
