"""How often are questions for yes or no, and for lists, answered, and how often rightly?

    RAGCLI_DATA=/path/to/data python bench/yes_no.py FOLDER [--technical DOCUMENTS] [--aside]
        [--passages]

``yes_no.jsonl``: 100 questions for yes or no (a quarter of them not told) and 40 for lists, over
the sample corpus and DOCUMENTS (what ``technical/collect.py`` gathered). Those marked *aside* were
asked only after all rules were written. Stores and readings are kept in FOLDER, as by
``short_answers.py``. A list counts as *whole* if all items are named and at most half as many words
besides. ``--passages`` asks the yes/no questions of boolq, bioasq and strategyqa over their own
passages instead: *decided* are those answered with yes or no.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from measure import data, table
from short_answers import SAMPLE, RememberingReader, retrieved, store_of

from ragcli.answer.candidates import all_candidates
from ragcli.answer.short import FoundAnswer, find
from ragcli.answer.view import Floats, look
from ragcli.answer.yes_no import yes_or_no
from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import squad_normalise
from ragcli.models.reader.model import WEIGHTS
from ragcli.text.yes_no import roots
from ragcli.types import Context, Part

QUESTIONS = Path(__file__).with_name("yes_no.jsonl")
PASSAGES = tuple(
    f"{name}-{part}" for name in ("boolq", "bioasq", "strategyqa") for part in ("dev", "train")
)
MOST_PASSAGES = 5
MOST_BESIDE = 0.5
"""Words besides the items of a list, for each of theirs, or three."""


def answered(
    folder: Path, name: str, source: Path, cases: Sequence[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], FoundAnswer | None]]:
    """The best short answer to each question over one set of documents."""
    reader = RememberingReader(WEIGHTS, folder)
    with open_index(store_of(folder, name, source), settings := Settings()) as (index, helpers):
        for case in cases:
            context, view = retrieved(index, helpers, case["question"], settings)
            yield case, find(case["question"], context, view, reader) if view.sentences else None
    reader.keep()


def whole(items: Sequence[str], text: str) -> bool:
    """Whether a text names all items, and not many other words."""
    said = squad_normalise(text)
    wanted = [squad_normalise(item) for item in items]
    words = sum(len(item.split()) for item in wanted)
    beside = len(said.split()) - words
    return all(f" {item} " in f" {said} " for item in wanted) and beside <= max(
        3, MOST_BESIDE * words
    )


def verdict(case: dict[str, Any], found: FoundAnswer | None) -> str:
    """What became of one question."""
    if case["kind"] == "list":
        return "whole" if found and whole(case["answer"], found.text) else "not whole"
    if found is None or not found.said:
        return "undecided"
    return "right" if found.said == case["answer"] else "wrong"


def over_passages(name: str) -> Counter[str]:
    """The verdicts on the questions of one data set, each with its own passages."""
    verdicts = Counter[str]()
    file = data("qa-training")[0] / f"{name}.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            if case.get("yesno"):
                said = _said(case)
                right = "right" if said == case["yesno"] else "wrong"
                verdicts[right if said else "undecided"] += 1
    return verdicts


def _said(case: dict[str, Any]) -> str:
    """Yes or no by the sentences that share most words with a question, or ""."""
    question = case["question"].strip().rstrip("?") + "?"
    question = question[:1].upper() + question[1:]
    parts = tuple(
        Part(n, f"{n}.txt", one.get("title") or "", 0, len(one["text"]), 1, 1, one["text"])
        for n, one in enumerate(case["contexts"][:MOST_PASSAGES], 1)
    )
    context = Context(parts, 0)
    view = look(question, context, encode=_nothing, entities=(), pool=len(all_candidates(context)))
    asked = roots(question)
    shared = [len(asked & roots(sentence.text)) for sentence in view.sentences]
    view = replace(view, similarity=np.array(shared, np.float32), covers=np.zeros_like(view.covers))
    found = yes_or_no(question, view, parts)
    return found.said if found else ""


def _nothing(texts: list[str]) -> Floats:
    """Vectors that say nothing: the words decide what is near."""
    return np.zeros((len(texts), 1), np.float32)


def main() -> int:
    """Print a table of verdicts by set and expected answer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--technical", type=Path)
    parser.add_argument("--aside", action="store_true")
    parser.add_argument("--passages", action="store_true")
    given = parser.parse_args()
    if given.passages:
        found = [(name, over_passages(name)) for name in PASSAGES]
        columns = ("right", "wrong", "undecided")
        table(["set", *columns], [[name, *(str(c[v]) for v in columns)] for name, c in found])
        return 0
    cases = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    rows = Counter[tuple[str, str, str]]()
    for name, source in (("sample_corpus", SAMPLE), ("technical", given.technical)):
        wanted = [c for c in cases if c["set"] == name and c.get("aside", False) == given.aside]
        for case, short in answered(given.folder, name, source, wanted) if source else ():
            result = verdict(case, short)
            expected = "list" if case["kind"] == "list" else case["answer"] or "not told"
            rows[name, expected, result] += 1
            print(result, case["id"], case["question"], short.text if short else "", sep=" | ")
    counted = [[*key, str(n)] for key, n in sorted(rows.items())]
    table(["set", "expected", "became", "questions"], counted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
