"""How many questions about technical documents are answered, and what is behind each miss?

    python bench/technical/measure.py FOLDER [STORE] [--json FILE]

``FOLDER`` is what ``collect.py`` filled; it is indexed once, into ``STORE`` (or a folder that is
deleted afterwards). Every question is asked with the default settings and no language model.

Printed for each kind of question: *right*, an accepted answer stands in the printed sentences
(or the heading a citation carries) and a citation comes from a document that holds the evidence;
*held*, the same whatever is cited; *top 5*, such a document is among the first five; *silent*, no
answer was given. Then a line for each miss:

- ``retrieval``: no document with the evidence among the first five;
- ``passage``: the document, but no passage that holds the quote;
- ``choice``: the passage, but other sentences were printed;
- ``cut``: the sentence with the quote was printed, but not the answer, which stands beside it;
- ``silent``: the passage was there and nothing was answered;
- ``answered``: a question without an answer got one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from check import held, questions, texts

RAGCLI = [sys.executable, "-m", "ragcli"]
FIRST = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one question."""

    id: str
    type: str
    question: str
    right: bool
    held: bool
    found: bool
    silent: bool
    cause: str
    reply: str


def ask(store: Path, question: str) -> dict[str, Any]:
    """Ask as a user does."""
    done = subprocess.run(
        [*RAGCLI, "ask", question, "--store", store, "--answer", "extractive", "--json"],
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{question}: {done.stderr}")
    reply: dict[str, Any] = json.loads(done.stdout)
    return reply


def judge(asked: dict[str, Any], reply: dict[str, Any], documents: dict[str, str]) -> Judged:
    """Hold one reply against the evidence."""
    quotes = [evidence["quote"] for evidence in asked.get("evidence", [])]
    able = asked.get("answerable", True)
    silent = bool(reply["abstained"])
    cited = reply["citations"]
    shown = " ".join([reply["answer"], *(str(one.get("heading") or "") for one in cited)])
    ranked = list(dict.fromkeys(hit["doc"] for hit in reply["hits"]))
    holding = {doc for doc in ranked if any(quote in documents.get(doc, "") for quote in quotes)}
    found = any(doc in holding for doc in ranked[:FIRST])
    holds = able and not silent and held(shown, asked["answer"])
    right = holds and any(one["doc"] in holding for one in cited)
    cause = ""
    if not able:
        cause = "" if silent else "answered"
    elif not right:
        passages = [hit["text"] for hit in reply["hits"] if hit["doc"] in holding]
        cause = missed(quotes, passages, [one["quote"] for one in cited], found, silent)
    text = " ".join(shown.split())
    kind = asked["type"]
    return Judged(
        asked["id"], kind, asked["question"], right, holds, found, silent, cause, text[:240]
    )


def missed(
    quotes: list[str], passages: list[str], printed: list[str], found: bool, silent: bool
) -> str:
    """Name the first step at which the answer was lost."""
    if not found:
        return "retrieval"
    if not any(quote in passage for quote in quotes for passage in passages):
        return "passage"
    if silent:
        return "silent"
    sentences = [" ".join(text.split()) for text in printed]
    spaced = [" ".join(quote.split()) for quote in quotes]
    if any(quote in text or text in quote for quote in spaced for text in sentences if text):
        return "cut"
    return "choice"


def rows(judged: list[Judged]) -> Iterator[str]:
    """Yield the table: a line for each kind, then all with an answer, then those without."""
    kinds: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        kinds[one.type.removesuffix("+typo")].append(one)
        if one.type.endswith("+typo"):
            kinds["(with typing errors)"].append(one)
    able = [one for one in judged if one.type != "unanswerable"]
    silent = kinds.pop("unanswerable", [])
    yield f"{'':22s}{'n':>4s}{'right':>7s}{'held':>6s}{'top 5':>7s}{'silent':>8s}"
    for kind, ones in [*sorted(kinds.items()), ("all with an answer", able)]:
        counts = [sum(getattr(o, name) for o in ones) for name in ("right", "held", "found")]
        cells = "".join(f"{count:{w}d}" for count, w in zip(counts, (7, 6, 7), strict=True))
        yield f"{kind:22s}{len(ones):4d}{cells}{sum(o.silent for o in ones):8d}"
    share = 100 * sum(one.right for one in able) / max(1, len(able))
    yield f"right: {share:.0f} %; without an answer: {sum(o.silent for o in silent)} of"
    yield f"{len(silent)} left unanswered"


def main() -> int:
    """Index if need be, ask everything, print."""
    if len(sys.argv) == 1:
        print(__doc__)
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("store", type=Path, nargs="?")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    documents = {doc: text for doc, (text, _) in texts(given.folder).items()}
    with tempfile.TemporaryDirectory() as temporary:
        store = given.store or Path(temporary) / "store"
        if not store.exists():
            command = [*RAGCLI, "index", given.folder, "--store", store, "--quiet"]
            subprocess.run(command, check=True)
        judged = [judge(one, ask(store, one["question"]), documents) for one in questions()]
    print("\n".join(rows(judged)))
    for one in judged:
        if one.cause:
            print(f"{one.id} {one.type:14s} {one.cause:10s} {one.question}\n      {one.reply}")
    if given.json:
        given.json.write_text(json.dumps([asdict(one) for one in judged], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
