"""Recall@5 and abstentions per language, on the small corpora in tests/data/languages.

    python bench/languages.py

All four languages are in one store, as in a folder of a person who reads them all.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import ragcli

DATA = Path(__file__).parent.parent / "tests" / "data" / "languages"
LANGUAGES = ("de", "fr", "zh", "ja")
MODES = ("bm25", "auto")
DEPTHS = (1, 5)


def main() -> None:
    """Print a table: a language per line, recall@5 per mode, and questions without an answer."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / ".ragcli"
        ragcli.index([DATA], store=store)
        heads = [f"{mode}@{depth}" for mode in MODES for depth in DEPTHS]
        print("language  " + "  ".join(f"{head:>6}" for head in heads) + "  abstained")
        for language in LANGUAGES:
            lines = (DATA / f"{language}.questions.jsonl").read_text(encoding="utf-8").splitlines()
            questions = [json.loads(line) for line in lines]
            shares = []
            with ragcli.Store.open(store) as opened:
                for mode in MODES:
                    ranks = [_rank(opened, question, mode) for question in questions]
                    shares += [sum(rank < depth for rank in ranks) / len(ranks) for depth in DEPTHS]
                silent = sum(opened.ask(q["question"]).reply.abstained for q in questions)
            row = "  ".join(f"{share:6.2f}" for share in shares)
            print(f"{language:8}  {row}  {silent}/{len(questions)}")


def _rank(store: ragcli.Store, question: dict[str, Any], mode: str) -> int:
    """The rank of the document among the hits, from 0."""
    (document,) = question["evidence"]
    docs = [hit.doc for hit in store.search(question["question"], mode=mode, top_k=max(DEPTHS))]
    return docs.index(document) if document in docs else max(DEPTHS)


if __name__ == "__main__":
    main()
