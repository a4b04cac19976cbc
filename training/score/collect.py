"""Asks the questions, and keeps what their candidates are judged by.

``python -m training.score.collect STORE OUT.jsonl [--part dev ...] [--most N] [--weights FOLDER]
[--pairs FOLDER] [--cases FILE ...]``

A line of OUT is a question with the features of its candidates, whether each is right, and whether
the passages that were found hold the answer at all; and what orders its hits and its sentences.
What retrieval finds is kept beside STORE, by question, and so is what the reader makes of it, by
its weights: with both at hand, features are made anew in seconds. Delete ``STORE.found`` after a
change of retrieval.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from math import log
from pathlib import Path
from typing import Any

from ragcli.answer.candidates import Sentence
from ragcli.answer.choose import TUNING, choose
from ragcli.answer.ordering import answers, held_by, sentence_rows
from ragcli.answer.short import found
from ragcli.answer.view import View, look
from ragcli.asking.ask import context_of
from ragcli.asking.opening import open_index
from ragcli.asking.several import NamedIndex, found_in
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import exact_match, token_f1
from ragcli.models.reader import WEIGHTS
from ragcli.retrieve import Helpers
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context, Hit
from training.score.folder import PARTS, Row, rows
from training.score.pairs import in_given_passages, pairs
from training.score.remembered import RememberingReader

RIGHT = 0.6
"""Token F1 with an accepted answer from which a candidate counts as right."""


def main() -> int:
    """Write a line for each question."""
    parser = argparse.ArgumentParser(prog="python -m training.score.collect")
    parser.add_argument("store", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=["dev", "test"])
    parser.add_argument("--most", type=int, default=1650, help="questions, drawn by chance")
    parser.add_argument("--share", default="0/1", help="ask the I-th of N shares")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--pairs", type=Path, help="qa-training: its comparisons, with passages")
    parser.add_argument("--cases", type=Path, nargs="+", help="ask these of the store instead")
    given = parser.parse_args()
    share, shares = map(int, given.share.split("/"))
    if given.cases:
        asked = [row for file in given.cases for row in cases(file, given.store.name)]
    else:
        asked = drawn([row for part in given.part for row in rows(part)], given.most)
    asked += pairs(given.pairs) if given.pairs else []
    reader = RememberingReader(given.weights, given.store)
    with (
        open_index(given.store, settings := Settings()) as (index, helpers),
        given.out.open("w", encoding="utf-8") as file,
    ):
        for number, row in enumerate(asked[share::shares]):
            file.write(json.dumps(judged(row, index, helpers, settings, reader)) + "\n")
            if number % 100 == 0:
                print(number, len(asked) // shares, file=sys.stderr, flush=True)
    return 0


def drawn(asked: Sequence[Row], most: int) -> list[Row]:
    """Some of the questions, the same ones each time."""
    return sorted(asked, key=lambda row: zlib.crc32(row["id"].encode()))[:most]


def cases(file: Path, name: str) -> Iterator[Row]:
    """Questions as ``ragcli eval`` reads them, of a set that no score is fitted on."""
    for case in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        answer = case.get("answer")
        texts = [answer] if isinstance(answer, str) else answer or []
        polar = texts[0] if texts in (["yes"], ["no"]) else None
        yield {
            "id": str(case["id"]),
            "source": name,
            "field": "cases",
            "kind": "yesno" if polar else "span" if texts else "none",
            "qkind": str(case.get("type", "")),
            "question": case["question"],
            "yesno": polar,
            "answers": [{"text": text} for text in texts],
            "documents": [
                one["doc"] if isinstance(one, dict) else one for one in case.get("evidence", ())
            ],
        }


Found = tuple[str, list[Hit], Context, View]
"""A question as it is read, its hits, its passages, and their sentences compared with it."""


def retrieved(
    kept: Path, row: Row, index: SearchIndex, helpers: Helpers, settings: Settings
) -> Found:
    """What ``ask`` finds for a question, from the file where it is kept."""
    if not kept.exists():
        asked, stores = AskedQuestion(row["question"]), [NamedIndex("", index)]
        names: tuple[str, ...] = ()
        hits: list[Hit] = []
        if row["field"] == "pairs":
            context = in_given_passages(row, helpers.encode)
        else:
            (one,), hits = found_in(stores, asked, settings, helpers)
            context, names = context_of(stores, [one], hits, settings, None), one.names
        view = look(asked, context, encode=helpers.encode, entities=names, pool=TUNING.pool)
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(pickle.dumps((asked.text, hits, context, view)))
    found: Found = pickle.loads(kept.read_bytes())
    return found


def judged(
    row: Row, index: SearchIndex, helpers: Helpers, settings: Settings, reader: RememberingReader
) -> dict[str, Any]:
    """One question with its candidates."""
    kept = reader.beside("found", row["id"])
    question, hits, context, view = retrieved(kept, row, index, helpers, settings)
    with reader.remembering(row["id"]):
        read, candidates = found(AskedQuestion(question), context, view, reader)
    return {
        "id": row["id"],
        "source": row["source"],
        "field": row["field"],
        "kind": row["kind"],
        "qkind": row["qkind"],
        "question": row["question"],
        "rank": rank(row, context),
        "hits": [
            {
                "doc": hit.doc,
                "row": [log(hit.score), answers(hit.doc, hit.start, hit.end, read.places)],
                "right": holds(row, hit.doc, hit.text),
            }
            for hit in hits
        ],
        "first": choose(view)[0] if view.sentences else -1,
        "sentences": [
            {"row": known, "right": told_in(row, one)}
            for known, one in zip(sentence_rows(read).tolist(), view.sentences, strict=True)
        ],
        "candidates": [
            {
                "row": [round(float(x), 5) for x in (*astuple(one.asked), *astuple(one.own))],
                "text": one.text,
                "f1": round(token_f1(one.text, accepted(row)), 3),
                "right": right(row, one.text),
                "held": held_by(one, read),
            }
            for one in candidates
        ],
    }


def accepted(row: Row) -> list[str]:
    """The answers that count as right; of a list all items together, of "no answer" none."""
    if row["kind"] == "yesno":
        return [str(row["yesno"])]
    texts = [answer["text"] for answer in row["answers"]]
    return [", ".join(texts)] if row["kind"] == "multi" else texts * (row["kind"] != "none")


def right(row: Row, text: str) -> bool:
    """Whether a candidate answers a question. Of a list, one of its items does not."""
    if row["kind"] == "yesno":
        return text == str(row["yesno"])
    wanted = accepted(row)
    return bool(wanted) and (bool(exact_match(text, wanted)) or token_f1(text, wanted) >= RIGHT)


def rank(row: Row, context: Context) -> int:
    """How many passages come before one that holds the answer's evidence; -1 if none does."""
    for at, part in enumerate([*context.parts, *context.behind]):
        if holds(row, part.doc, part.text):
            return at
    return -1


def holds(row: Row, doc: str, text: str) -> bool:
    """Whether a text of a document holds the answer's evidence."""
    if row.get("documents"):
        return doc in row["documents"]
    return any(_plain(one) in _plain(text) for one in evidence(row))


def told_in(row: Row, sentence: Sentence) -> bool:
    """Whether a sentence holds the middle of the answer's evidence."""
    part = sentence.part
    start = len(_plain(part.text[: sentence.start - part.start]))
    end = start + len(_plain(part.text[sentence.start - part.start : sentence.end - part.start]))
    wanted, whole = list(map(_plain, evidence(row))), _plain(part.text)
    return any(start <= whole.find(one) + len(one) // 2 < end for one in wanted if one in whole)


def evidence(row: Row) -> Iterator[str]:
    """The answers with what stands around them: in a folder a number stands in many places."""
    for answer in row["answers"]:
        if "context" not in answer:
            yield answer["text"]
            continue
        text: str = row["contexts"][answer["context"]]["text"]
        start, end = answer["start"], answer["start"] + len(answer["text"])
        yield text[max(0, start - 30) : end + 30]


def _plain(text: str) -> str:
    return "".join(text.split())


__all__: Sequence[str] = ["judged", "right"]

if __name__ == "__main__":
    raise SystemExit(main())
