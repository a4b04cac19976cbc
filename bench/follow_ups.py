"""How often is a follow-up question answered rightly, by what it is taken to lean on?

    RAGCLI_DATA=/path/to/data python bench/follow_ups.py FOLDER [--each]

``follow_ups.jsonl`` holds conversations of two questions over HotpotQA-100, MuSiQue-100 and the
sample corpus (stores of ``short_answers.py`` in FOLDER are used, or made). ``means`` says whether
the second question leans on the answer to the first or on its subject. The first is asked, then the
second with the names of the first (*names*), with its short answer (*answer*), and as ``ask`` does
in a conversation (*both*).

Shown: how many short answers are right (token F1 of at least a half with a known answer) and how
many are wrong; the rest is withheld. ``--each`` prints every conversation. Written up in
docs/adr/answers-by-reading.md.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import data, table
from short_answers import RIGHT, SAMPLE, store_of

from ragcli.asking.ask import ask_stores
from ragcli.asking.chat import Talk
from ragcli.asking.opening import open_index
from ragcli.asking.several import NamedIndex
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import token_f1
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer

CONVERSATIONS = Path(__file__).with_name("follow_ups.jsonl")
WAYS = ("names", "answer", "both")


def main() -> None:
    """Hold all conversations and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--each", action="store_true")
    given = parser.parse_args()
    if given.folder is None:
        print(__doc__)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    counts: Counter[tuple[str, str, str]] = Counter()
    for row, answers in held(given.folder):
        for way, answer in answers.items():
            verdict = judged(answer, row["answer"])
            counts[row["means"], way, verdict] += 1
            if given.each:
                short = answer.reply.short.text if answer.reply.short else ""
                print(f"{row['id']} {way}: {verdict}: {answer.question} -> {short}")
    rows = []
    for means in ("answer", "subject"):
        for way in WAYS:
            got = [counts[means, way, verdict] for verdict in ("right", "wrong", "withheld")]
            rows.append([f"the {means}", way, str(sum(got)), *map(str, got)])
    table(["it leans on", "asked with", "n", "right", "wrong", "withheld"], rows)


def held(folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Answer]]]:
    """Each conversation with the answers to its second question, by way."""
    lines = CONVERSATIONS.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    settings = Settings()
    for name in dict.fromkeys(row["set"] for row in rows):
        source = SAMPLE if name == SAMPLE.name else data(name)[0]
        with open_index(store_of(folder, name, source), settings) as (index, helpers):
            stores = [NamedIndex("", index)]
            for row in rows:
                if row["set"] != name:
                    continue
                talk = Talk(stores, settings, helpers)
                short = talk.ask(AskedQuestion(row["first"])).reply.short
                then = AskedQuestion(row["then"])
                asked = {
                    "names": talk.whole(then),
                    "answer": AskedQuestion(f"{then.text} ({short.text})") if short else then,
                }
                answers = {
                    way: ask_stores(stores, question, settings, helpers).answer
                    for way, question in asked.items()
                }
                yield row, answers | {"both": talk.ask(then)}


def judged(answer: Answer, known: list[str]) -> str:
    """Whether a short answer is right, wrong or withheld."""
    if not answer.reply.short:
        return "withheld"
    return "right" if token_f1(answer.reply.short.text, known) >= RIGHT else "wrong"


if __name__ == "__main__":
    main()
