"""Recall, answers and abstentions per language, on the small corpora in tests/data/languages.

    python bench/languages.py [--embedder FOLDER] [--languages de,fr] [--wrong]

All languages are in one store, as in a folder of a person who reads them all. The rules were made
with German, French, Chinese and Japanese; Spanish and Russian came after (docs/adr/
other-languages.md). "answered": the quotes hold the answer; "short": the short answer holds it or
is part of it, and how many were given; "refused": questions without an answer that are refused;
"wrongly": questions with one that are refused though its document was retrieved.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import ragcli
from ragcli.config import Settings
from ragcli.text.words import fold

DATA = Path(__file__).parent.parent / "tests" / "data" / "languages"
LANGUAGES = ("de", "fr", "zh", "ja", "es", "ru")
MODES = ("bm25", "naive", "walk", "auto")
DEPTHS = (1, 5)


def main() -> None:
    """Print a table: a language per line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedder", default="default")
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--wrong", action="store_true", help="list what went wrong")
    given = parser.parse_args()
    settings = Settings(embedder=given.embedder)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / ".ragcli"
        ragcli.index([DATA], store, settings=settings)
        heads = [f"{mode}@{depth}" for mode in MODES for depth in DEPTHS]
        print("language  " + "  ".join(f"{head:>7}" for head in heads), end="")
        print("  answered  short  wrongly  refused")
        with ragcli.Store.open(store, settings) as opened:
            for language in given.languages.split(","):
                report(opened, language, given.wrong)


def report(store: ragcli.Store, language: str, wrong: bool) -> None:
    """The line of one language."""
    questions = load(f"{language}.questions.jsonl")
    shares = []
    for mode in MODES:
        ranks = [_rank(store, question, mode) for question in questions]
        shares += [sum(rank < depth for rank in ranks) / len(ranks) for depth in DEPTHS]
    found = answered = short = shorts = wrongly = 0
    for question in questions:
        said = store.ask(question["question"])
        wanted = fold(question["answer"])
        retrieved = question["evidence"][0] in [hit.doc for hit in said.hits]
        found += retrieved
        wrongly += said.reply.abstained and retrieved
        right = any(wanted in fold(c.quote) for c in said.reply.citations)
        answered += right
        if said.reply.short:
            shorts += 1
            words = fold(said.reply.short.text)
            short += wanted in words or words in wanted
        if wrong and not right:
            print("  ", question["question"], "|", said.reply.text or said.reply.note)
    others = load(f"{language}.unanswerable.jsonl")
    replies = [store.ask(question["question"]).reply for question in others]
    refused = sum(reply.abstained for reply in replies)
    if wrong:
        for question, reply in zip(others, replies, strict=True):
            if not reply.abstained:
                print("   without answer:", question["question"], "|", reply.text)
    row = "  ".join(f"{share:7.2f}" for share in shares)
    count = f"{answered}/{len(questions)}"
    short_count = f"{short}/{shorts}"
    print(f"{language:8}  {row}  {count:>8}  {short_count:>5}  {wrongly:>4}/{found}", end="")
    print(f"  {refused:>4}/{len(others)}", flush=True)


def load(name: str) -> list[dict[str, Any]]:
    """The questions of a file."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _rank(store: ragcli.Store, question: dict[str, Any], mode: str) -> int:
    """The rank of the document among the hits, from 0."""
    (document,) = question["evidence"]
    docs = [hit.doc for hit in store.search(question["question"], mode=mode, top_k=max(DEPTHS))]
    return docs.index(document) if document in docs else max(DEPTHS)


if __name__ == "__main__":
    main()
