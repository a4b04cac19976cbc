"""Reads the published passages and questions in RAGCLI_DATA that other sets are made from."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

HIDDEN = ("hotpotqa-100", "musique-100")
# Sources of passages: questions on several passages, and on single ones.
RELATED = ("hotpotqa_samples",)
OTHERS = ("derived_multi", "nq", "timeqa", "quoref_contrast", "qed", "squadshifts_newwiki")

Record = dict[str, Any]


def examples(folder: Path, source: str) -> Iterator[Record]:
    """The training examples of a source of qa-training, then its development examples."""
    for part in ("train", "dev"):
        path = folder / f"{source}-{part}.jsonl.gz"
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                yield from map(json.loads, lines)


def folded(text: str) -> str:
    """A title or text for comparison: words in lower case."""
    return " ".join(text.casefold().split())


def shuffled(items: Iterable[Any]) -> list[Any]:
    """The items in an order that depends on their text alone."""
    return sorted(items, key=lambda item: sha256(str(item).encode()).hexdigest())


def read(path: Path) -> list[Record]:
    """The records of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, records: Iterable[Record]) -> None:
    """Write records as JSON Lines."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    path.write_text("".join(lines), encoding="utf-8")
