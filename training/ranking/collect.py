"""Asks the questions, and keeps the features of the passages that are compared.

``python -m training.ranking.collect STORE OUT.jsonl --part dev test [--most N]``
``python -m training.ranking.collect STORE OUT.jsonl --questions FILE``

STORE has the passages of ``training.score.folder``, or the documents of FILE, a file of questions
as ``ragcli eval`` reads it. A line of OUT is a question with a row of features and what is right
for each passage.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.retrieve import Helpers, understand
from ragcli.retrieve.compare import walked_passages
from ragcli.retrieve.compared_passages import ComparedPassages
from ragcli.retrieve.passage_features import by_walk, features
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from training.score.collect import evidence
from training.score.folder import PARTS, Row, rows

MOST = 25
"""Questions of one source, at most."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question, its source, and what finds it: documents, or texts that stand in a passage."""

    name: str
    source: str
    question: str
    documents: frozenset[str]
    texts: frozenset[str]

    def right(self, found: ComparedPassages) -> list[bool]:
        """Whether each passage holds what was asked for."""
        return [
            text.doc in self.documents or any(one in plain(text.text) for one in self.texts)
            for text in found.texts
        ]


def main() -> int:
    """Write a line for each question."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking.collect")
    parser.add_argument("store", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=[])
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--most", type=int, default=10_000, help="questions, at most")
    given = parser.parse_args()
    asked = list(of_documents(given.questions) if given.questions else of_folders(given.part))
    with (
        open_index(given.store, Settings()) as (index, helpers),
        given.out.open("w", encoding="utf-8") as file,
    ):
        for number, one in enumerate(asked[: given.most]):
            file.write(json.dumps(collected(index, helpers, one)) + "\n")
            if number % 100 == 0:
                print(number, len(asked), file=sys.stderr, flush=True)
    return 0


def of_folders(parts: list[str]) -> Iterator[Wanted]:
    """The answerable questions of some parts, a few of each source, mixed by a hash of their id."""
    answerable = [row for part in parts for row in rows(part) if row["kind"] != "none"]
    taken: Counter[str] = Counter()
    for row in sorted(answerable, key=_hash):
        taken[row["source"]] += 1
        if taken[row["source"]] <= MOST:
            texts = frozenset(map(plain, evidence(row)))
            yield Wanted(row["id"], row["source"], row["question"], frozenset(), texts)


def of_documents(file: Path) -> Iterator[Wanted]:
    """The questions of a file that name the documents with their evidence."""
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found = (one["doc"] if isinstance(one, dict) else one for one in row["evidence"])
        # Each is a source of its own.
        yield Wanted(row["id"], row["id"], row["question"], frozenset(found), frozenset())


def collected(index: SearchIndex, helpers: Helpers, wanted: Wanted) -> dict[str, Any]:
    """One question with its passages."""
    question = understand(index.snapshot, AskedQuestion(wanted.question), helpers.encode)
    reached = walked_passages(index, question, 0, helpers)
    assert reached, "the store has passages"
    found = reached[0]
    return {
        "id": wanted.name,
        "source": wanted.source,
        "several": bool(wanted.documents),
        "documents": [text.doc for text in found.texts],
        "rows": features(found, by_walk(found)).tolist(),
        "right": wanted.right(found),
    }


def plain(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


def _hash(row: Row) -> int:
    return zlib.crc32(row["id"].encode())


__all__ = ["collected", "of_documents", "of_folders"]

if __name__ == "__main__":
    raise SystemExit(main())
