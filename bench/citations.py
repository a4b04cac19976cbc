"""Are hits and citations true to the character? 200 questions over novels, every retrieval mode.

The texts are read anew from the files, by Python alone. Needs RAGCLI_DATA; builds its own store
unless one is named: ``python bench/citations.py [STORE]``.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from ragcli.asking.ask import ask_in
from ragcli.asking.opening import open_index
from ragcli.config import MODES, Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.text.asked_question import AskedQuestion


def main() -> None:
    folder = os.environ.get("RAGCLI_DATA")
    if not folder:
        print("skipped: RAGCLI_DATA names no data")
        return
    novels = Path(folder) / "novels"
    lines = (novels / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    random.Random(0).shuffle(questions)
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch)
        if not (store / "store.sqlite").exists():
            index(IndexRequest(store, (novels,), include=("*.txt",)), Settings())
        check(store, novels, questions[:200])


def check(store: Path, novels: Path, questions: list[str]) -> None:
    """Print how many hits and citations were compared and how many were wrong."""
    texts = {p.name: original(p) for p in novels.glob("*.txt")}
    with open_index(store, Settings()) as (index, helpers):
        for mode in MODES:
            hits = cited = wrong = abstained = 0
            for question in questions:
                asked = ask_in(
                    index, AskedQuestion(question), replace(Settings(), mode=mode), helpers
                )
                answer = asked.answer
                hits += len(answer.hits)
                cited += len(answer.reply.citations)
                abstained += answer.reply.abstained
                wrong += sum(texts[h.doc][h.start : h.end] != h.text for h in answer.hits)
                wrong += sum(
                    texts[c.doc][c.start : c.end] != c.quote
                    or texts[c.doc].count("\n", 0, c.start) + 1 != c.line_start
                    for c in answer.reply.citations
                )
            print(f"{mode:12} {hits:6} hits {cited:5} citations {abstained:4} abstained", end=" ")
            print(f"{wrong} wrong")


def original(path: Path) -> str:
    """A file as an editor shows it."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252")
    return text.replace("\r\n", "\n").replace("\r", "\n")


if __name__ == "__main__":
    main()
