"""Questions that compare or describe things, which are rare in folders: those of HotpotQA.

The reader was taught on most of them, so they are for fitting; no figure is of them.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from ragcli.answer.view import Encode
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.two_things import two_things
from ragcli.types import Context, Part
from training.score.folder import Row


def pairs(folder: Path) -> list[Row]:
    """The questions below ``qa-training`` that compare two things or go by steps."""
    found = []
    for part in ("dev", "train"):
        with gzip.open(
            folder / f"hotpotqa_samples-{part}.jsonl.gz", "rt", encoding="utf-8"
        ) as file:
            for row in map(json.loads, file):
                steps = AskedQuestion(row["question"]).description is not None
                if steps or two_things(row["question"]):
                    found.append(row | {"field": "pairs", "qkind": "pairs"})
    return found


def in_given_passages(row: Row, encode: Encode) -> Context:
    """The passages that come with a question, those nearest to it first."""
    given = row["contexts"]
    rows = encode([row["question"], *(f"{one['title']}. {one['text']}" for one in given)])
    order = (-(rows[1:] @ rows[0])).argsort().tolist()
    return Context(tuple(_part(n, given[at]) for n, at in enumerate(order, 1)), 0)


def _part(n: int, passage: dict[str, str]) -> Part:
    title, text = passage["title"], passage["text"]
    return Part(n, f"{title}.md", title, 0, len(text), 1, 1, text, path=f"{title}.md")
