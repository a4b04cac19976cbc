"""What retrieval over the hierarchy sends, and what it finds, beside other modes.

    RAGCLI_DATA=/path/to/data python bench/lean.py [FOLDER]

Stores of ``novels`` and ``ultradomain-mix`` (``*.txt``, ``questions.jsonl``) are built in FOLDER,
or in a temporary one, and used again when they exist. First the hierarchy: levels, seconds,
memory. Then contexts under the same budget: tokens, repeated 8-word runs, milliseconds; and, where
short answers are known, how often the context holds all their words: of all questions, and of those
at even and at odd places (constants were chosen on the even ones). The last rows leave parts of the
context out; one row gives dense+bm25 a passage less, for as few tokens as lean sends.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from measure import RAGCLI, data, run, table

from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import redundancy, squad_normalise
from ragcli.models.locate import embedder_folder
from ragcli.models.tokens import TokenOffsets
from ragcli.papers import mode_called
from ragcli.papers.known import fit_all
from ragcli.retrieve import Helpers, retrieve, understand
from ragcli.retrieve.context import Count
from ragcli.search.search_index import SearchIndex
from ragcli.store.connection import open_store
from ragcli.store.snapshot import Snapshot
from ragcli.text.asked_question import AskedQuestion

SETS = ("novels", "ultradomain-mix")
MODES = (
    *("naive", "dense+bm25", "e2", "walk", "auto"),
    *("local", "global", "hybrid", "mix", "lean"),
)
BUDGET = 3000
TOP_K = 10
MOST_WORDS = 8


@dataclass(frozen=True)
class Sent:
    """One context: the texts sent, their tokens, and the milliseconds it took to find them."""

    texts: tuple[str, ...]
    tokens: int
    ms: float


def store_of(folder: Path, source: Path) -> Path:
    """A store with a hierarchy, built unless it is there; says what building took."""
    store = folder / f"{source.name}-lean"
    if not store.exists():
        files = sorted(source.glob("*.txt"))
        plain = run([*RAGCLI, "index", *files, "--store", store, "--quiet"])
        done = run([*RAGCLI, "update", "--hierarchy", "--store", store, "--quiet"])
        print(
            f"{source.name}: index {plain.seconds:.0f} s, {plain.peak / 2**20:.0f} MiB;"
            f" hierarchy {done.seconds:.0f} s more, {done.peak / 2**20:.0f} MiB"
        )
    return store


def levels(store: Path) -> list[list[str]]:
    """Level, nodes, members of a node (least, median, most), relations, of these summed up."""
    rows = []
    with closing(open_store(store, readonly=True)) as db:
        sizes: dict[int, list[int]] = {}
        for level, size in db.execute(
            "SELECT n.level, count(*) FROM hierarchy_nodes n JOIN (SELECT parent, 1 AS level FROM"
            " hierarchy_members UNION ALL SELECT parent, level + 1 FROM hierarchy_nodes) x"
            " ON x.parent = n.id AND x.level = n.level GROUP BY n.id"
        ):
            sizes.setdefault(level, []).append(size)
        for level, found in sorted(sizes.items()):
            pairs, summed = db.execute(
                "SELECT count(*), coalesce(sum(links > 3), 0) FROM hierarchy_relations"
                " WHERE level = ?",
                (level,),
            ).fetchone()
            spread = f"{min(found)}, {median(found):g}, {max(found)}"
            rows.append([str(level), str(len(found)), spread, f"{pairs:,}", f"{summed:,}"])
    return rows


def words(text: str) -> set[str]:
    """Words that count, as SQuAD normalises them."""
    return set(squad_normalise(text).split())


def cases(snapshot: Snapshot, source: Path) -> Iterator[tuple[str, set[str]]]:
    """(question, words of the answer): none when no answer is known, only few that the text has."""
    texts: dict[str, set[str]] = {}
    for line in (source / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        wanted = words(case.get("answer", ""))
        doc = case.get("source", "")
        if wanted and doc not in texts:
            texts[doc] = words(snapshot.documents.text(doc, 0, sys.maxsize))
        if len(wanted) <= MOST_WORDS and wanted <= texts.get(doc, set()):
            yield case["question"], wanted


@dataclass(frozen=True, slots=True)
class Variant:
    """A mode for k passages; ``leave_out``: relations, facts, or text."""

    mode: str
    leave_out: str = ""
    k: int = TOP_K


def ask(index: SearchIndex, helpers: Helpers, text: str, variant: Variant, count: Count) -> Sent:
    """The context of a question."""
    question = understand(index.snapshot, AskedQuestion(text), helpers.encode)
    leave_out = variant.leave_out
    began = time.perf_counter()
    found = retrieve(index, question, mode_called(variant.mode), variant.k, helpers)
    facts = list(found.facts)
    ms = 1000 * (time.perf_counter() - began)
    if leave_out == "relations":
        facts = [fact for fact in facts if fact.kind == "entity" or not fact.level]
    context = fit_all(found.hits, [] if leave_out == "facts" else facts, BUDGET, count)
    texts = [] if leave_out == "text" else [part.text for part in context.parts]
    texts += [*context.entities, *context.relations]
    return Sent(tuple(texts), sum(map(count, texts)), ms)


def row(name: str, sent: list[Sent], answers: list[set[str]]) -> list[str]:
    """One row of the table."""
    held = [a <= words("\n".join(s.texts)) for s, a in zip(sent, answers, strict=True) if a]
    return [
        name,
        f"{mean(s.tokens for s in sent):.0f}",
        f"{100 * mean(redundancy(s.texts) for s in sent):.1f}",
        f"{median(s.ms for s in sent):.1f}",
        f"{100 * mean(held):.1f}" if held else "-",
        f"{100 * mean(held[::2]):.1f}, {100 * mean(held[1::2]):.1f}" if held else "-",
        f"{1000 * mean(held) / mean(s.tokens for s in sent):.3f}" if held else "-",
    ]


def compare(store: Path, source: Path) -> None:
    """A table of all modes, and of lean without some of its parts."""
    offsets = TokenOffsets(embedder_folder(Settings().embedder))
    variants = [Variant(mode) for mode in MODES] + [Variant("dense+bm25", k=TOP_K - 1)]
    variants += [Variant("lean", part) for part in ("relations", "facts", "text")]
    rows = []
    with open_index(store, Settings()) as (index, helpers):
        asked = list(cases(index.snapshot, source))
        answers = [answer for _, answer in asked]
        for v in variants:
            sent = [ask(index, helpers, q, v, lambda t: len(offsets(t))) for q, _ in asked]
            name = f"{v.mode} without {v.leave_out}" if v.leave_out else v.mode
            name += f", {v.k} passages" if v.k != TOP_K else ""
            rows.append(row(name, sent, answers))
    known = sum(map(bool, answers))
    print(f"\n{source.name}: {len(asked)} questions, {known} with answers, {BUDGET} tokens at most")
    heads = ("mode", "tokens", "repeated %", "ms", "answer held %", "even, odd")
    table((*heads, "held / 1000 tokens"), rows)


def main() -> None:
    """Both sets."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        for source in data(*SETS):
            store = store_of(folder, source)
            print(f"\n{source.name}")
            heads = ("level", "nodes", "members: least, median, most", "relations", "summed up")
            table(heads, levels(store))
            compare(store, source)


if __name__ == "__main__":
    main()
