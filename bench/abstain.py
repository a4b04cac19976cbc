"""When should an extractive answer be given up? Retrieved contexts with and without the answer.

    RAGCLI_DATA=/path/to/data python bench/abstain.py [FOLDER]

Questions of HotpotQA-100, MuSiQue-100, the novels and the sample corpus are retrieved by ``auto``:
``as`` found, with the documents of the evidence taken out (``gone``; in the novels the passages
that hold all words of the answer), and with only those taken out that hold the answer (``one``);
``un`` are the sample corpus's questions that it does not answer. Stores are built in FOLDER, or in
a temporary one, and used again when they exist. Thresholds come from one half of the questions
(by a hash of their ids). Written up in docs/adr/extractive-answers.md.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from answer_cases import as_list, holds
from measure import RAGCLI, data, run, table

from ragcli.answer.choose import TUNING, choose, closeness
from ragcli.answer.extractive import compose
from ragcli.answer.view import look
from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import squad_normalise
from ragcli.models.locate import embedder_folder
from ragcli.models.tokens import TokenOffsets
from ragcli.retrieve import Helpers, retrieve, understand
from ragcli.retrieve.auto import asks_for_whole
from ragcli.retrieve.context import fit
from ragcli.search.search_index import SearchIndex
from ragcli.types import Hit

SAMPLE = Path(__file__).parent.parent / "sample_corpus"
MOST_WORDS = 6  # of an answer from the novels
DEPTH = 60  # hits, of which some are taken out
THRESHOLDS = (0.54, 0.58, 0.60, 0.62, 0.64, 0.66, 0.68)
TOP_K = (10, 5, 3)


@dataclass(frozen=True)
class Asked:
    """One question in one context: how close it is, and whether the answer would be right."""

    name: str
    way: str
    tune: bool
    top_k: int
    closeness: float
    answerable: bool
    right: bool
    missing: bool


def store_of(folder: Path, source: Path) -> Path:
    """A store of one set, built unless it is there."""
    store = folder / source.name
    if not store.exists():
        corpus = source / "corpus.jsonl"
        files = [corpus] if corpus.exists() else [source]
        if source.name == "novels":
            files = sorted(source.glob("*.txt"))
        run([*RAGCLI, "index", *files, "--store", store, "--quiet"])
    return store


def cases(source: Path) -> Iterator[dict[str, Any]]:
    """The questions that one passage or more can answer shortly."""
    names = ("questions.jsonl", "unanswerable.jsonl")
    for file in (source / name for name in names if (source / name).exists()):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            short = len(squad_normalise(str(case["answer"])).split()) <= MOST_WORDS
            if not asks_for_whole(case["question"]) and (short or source.name != "novels"):
                yield case


def telling(case: dict[str, Any], novel: bool) -> Callable[[Hit], bool]:
    """Whether a hit is evidence."""
    docs = {e if isinstance(e, str) else e["doc"] for e in case.get("evidence", ())}
    if not novel:
        return lambda hit: hit.doc in docs
    wanted = set(squad_normalise(case["answer"]).split())
    source = case["source"]
    return lambda hit: hit.doc.endswith(source) and wanted <= set(squad_normalise(hit.text).split())


def ways(case: dict[str, Any], hits: list[Hit], tells: Callable[[Hit], bool]) -> dict[str, Any]:
    """Hits by the way they are given."""
    if case["answer"] is None:
        return {"un": hits}
    found = {"as": hits, "gone": [hit for hit in hits if not tells(hit)]}
    holding = {h.doc for h in hits if tells(h) and holds(h.text, as_list(case["answer"]))}
    if holding and len(case.get("evidence", ())) > 1 and isinstance(case["evidence"][0], str):
        found["one"] = [hit for hit in hits if hit.doc not in holding]
    return found


def ask(index: SearchIndex, helpers: Helpers, source: Path) -> Iterator[Asked]:
    """Every question of a set in every context."""
    offsets = TokenOffsets(embedder_folder(Settings().embedder))
    for case in cases(source):
        question = understand(index.snapshot, case["question"], helpers.encode)
        tells = telling(case, source.name == "novels")
        found = retrieve(index, question, "auto", DEPTH, helpers)
        tune = not int(hashlib.md5(case["id"].encode()).hexdigest(), 16) & 1
        given = ways(case, list(found.hits), tells)
        for way, k in [*((way, 10) for way in given), *(("as", k) for k in TOP_K[1:])]:
            if way not in given:
                continue
            hits = given[way][:k]
            context = fit(hits, Settings().budget, lambda text: len(offsets(text)))
            view = look(
                question.text, context, encode=helpers.encode, entities=found.names, pool=24
            )
            reply = compose([view.sentences[at] for at in choose(view)])
            yield Asked(
                *(source.name, way, tune, k, closeness(view)),
                way == "as" and any(map(tells, hits)),
                case["answer"] is not None and holds(reply.text, as_list(case["answer"])),
                bool(view.missing),
            )


def percent(asked: list[Asked], threshold: float) -> str:
    """How many of them are given up."""
    return f"{100 * np.mean([a.closeness < threshold for a in asked]):.1f}" if asked else "-"


def curve(asked: list[Asked]) -> None:
    """By threshold: answerable questions given up, then those that cannot be answered."""
    good = [a for a in asked if a.answerable]
    groups = {
        "tune": [a for a in good if a.tune and a.top_k == 10],
        "confirm": [a for a in good if not a.tune and a.top_k == 10],
        "right": [a for a in good if a.right and a.top_k == 10],
        **{f"top {k}": [a for a in good if a.top_k == k] for k in TOP_K[1:]},
    }
    for name, way in dict.fromkeys((a.name, a.way) for a in asked if a.way != "as"):
        groups[f"{name[:7]} {way}"] = [a for a in asked if (a.name, a.way) == (name, way)]
    rows = [
        [f"{threshold:.2f}" + "*" * (threshold == TUNING.about)]
        + [percent(group, threshold) for group in groups.values()]
        for threshold in THRESHOLDS
    ]
    rows.append(["asked"] + [str(len(group)) for group in groups.values()])
    named = [f"{100 * np.mean([a.missing for a in group]):.0f}" for group in groups.values()]
    rows.append(["missing, %", *named])
    table(("given up, %", *groups), rows)


def main() -> None:
    """All sets."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        asked: list[Asked] = []
        for source in (*data("hotpotqa-100", "musique-100", "novels"), SAMPLE):
            with open_index(store_of(folder, source), Settings()) as (index, helpers):
                asked += ask(index, helpers, source)
        curve(asked)


if __name__ == "__main__":
    main()
