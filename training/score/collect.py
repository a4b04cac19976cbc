"""Asks the questions, and keeps what their candidates are judged by.

``python -m training.score.collect STORE OUT.jsonl [--part dev ...] [--weights FILE] [--share I/N]``

A line of OUT is a question with the features of its candidates, whether each is right, and whether
the passages that were found hold the answer at all. What retrieval finds is kept beside STORE, by
question, and used again: delete ``STORE.found`` after a change of retrieval.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from ragcli.answer.choose import TUNING
from ragcli.answer.score import row as row_of
from ragcli.answer.short import AnswerCandidate, found
from ragcli.answer.view import View, look
from ragcli.asking.ask import context_of
from ragcli.asking.opening import open_index
from ragcli.asking.several import NamedIndex, found_in
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import exact_match, token_f1
from ragcli.models.locate import embedder_folder
from ragcli.models.reader import WEIGHTS, Reader
from ragcli.retrieve import Helpers
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context
from training.score.folder import PARTS, Row, rows

RIGHT = 0.6
"""Token F1 with an accepted answer from which a candidate counts as right."""


def main() -> int:
    """Write a line for each question."""
    parser = argparse.ArgumentParser(prog="python -m training.score.collect")
    parser.add_argument("store", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=["dev"])
    parser.add_argument("--share", default="0/1", help="ask the I-th of N shares")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--find-only", action="store_true", help="keep what is found, read nothing")
    given = parser.parse_args()
    share, shares = map(int, given.share.split("/"))
    asked = [row for part in given.part for row in rows(part)][share::shares]
    kept = given.store.with_name(f"{given.store.name}.found")
    kept.mkdir(exist_ok=True)
    reader = None if given.find_only else Reader(embedder_folder(), given.weights)
    with (
        open_index(given.store, settings := Settings()) as (index, helpers),
        given.out.open("w", encoding="utf-8") as file,
    ):
        for number, row in enumerate(asked):
            found = retrieved(kept / f"{row['id']}.pickle", row, index, helpers, settings)
            if reader:
                file.write(json.dumps(judged(row, found, reader)) + "\n")
            if number % 100 == 0:
                print(number, len(asked), file=sys.stderr, flush=True)
    return 0


Found = tuple[str, Context, View]
"""A question as it is read, its passages, and their sentences compared with it."""


def retrieved(
    kept: Path, row: Row, index: SearchIndex, helpers: Helpers, settings: Settings
) -> Found:
    """What ``ask`` finds for a question, from the file where it is kept."""
    if not kept.exists():
        asked, stores = AskedQuestion(row["question"]), [NamedIndex("", index)]
        (one,), hits = found_in(stores, asked, settings, helpers)
        context = context_of(stores, [one], hits, settings, None)
        encode, names = helpers.encode, one.names
        view = look(asked, context, encode=encode, entities=names, pool=TUNING.pool)
        kept.write_bytes(pickle.dumps((asked.text, context, view)))
    found: Found = pickle.loads(kept.read_bytes())
    return found


def judged(row: Row, retrieved: Found, reader: Reader) -> dict[str, Any]:
    """One question with its candidates."""
    question, context, view = retrieved
    candidates = found(AskedQuestion(question), context, view, reader) if view.sentences else []
    return {
        "id": row["id"],
        "source": row["source"],
        "field": row["field"],
        "kind": row["kind"],
        "qkind": row["qkind"],
        "question": row["question"],
        "rank": rank(row, context),
        "candidates": [
            {
                "asked": astuple(one.asked),
                "row": row_of(one.asked, one.own),
                "text": one.scored().text,
                "right": right(row, one),
            }
            for one in candidates
        ],
    }


def right(row: Row, candidate: AnswerCandidate) -> bool:
    """Whether a candidate answers a question. Of a list, one of its items does not."""
    if row["kind"] == "none":
        return False
    if row["kind"] == "yesno":
        return candidate.said == str(row["yesno"])
    text = candidate.said or candidate.places[0].text
    accepted = [answer["text"] for answer in row["answers"]]
    if row["kind"] == "multi":
        accepted = [", ".join(accepted)]
    return bool(exact_match(text, accepted)) or token_f1(text, accepted) >= RIGHT


def rank(row: Row, context: Context) -> int:
    """How many passages come before one that holds the answer's evidence; -1 if none does."""
    wanted = list(evidence(row))
    for at, part in enumerate([*context.parts, *context.behind]):
        if any(_plain(text) in _plain(part.text) for text in wanted):
            return at
    return -1


def evidence(row: Row) -> Iterator[str]:
    """The answers with what stands around them: in a folder a number stands in many places."""
    for answer in row["answers"]:
        text: str = row["contexts"][answer["context"]]["text"]
        start, end = answer["start"], answer["start"] + len(answer["text"])
        yield text[max(0, start - 30) : end + 30]


def _plain(text: str) -> str:
    return "".join(text.split())


__all__: Sequence[str] = ["judged", "right"]

if __name__ == "__main__":
    raise SystemExit(main())
