"""What a language model adds to the graph of the sample corpus, and what it costs.

    python bench/extract.py [STORE] [--read 30]

Without STORE the sample corpus is indexed with the default model, in modes fast and hybrid, into
a folder that is gone afterwards. Printed are calls, tokens and seconds; how many descriptions and
labels are the model's, and how much of them the text bears out; what was dropped, by reason; and,
with ``--read N``, N random relations with their sentences, for a person to judge.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from ragcli.config import Settings
from ragcli.extract.codec import unpack_findings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.models.locate import llm_file
from ragcli.store.connection import open_store
from ragcli.store.listings import counts
from ragcli.store.snapshot import open_snapshot
from ragcli.text.support import DESCRIPTION_SUPPORT, SourceText, support
from ragcli.text.words import DESCRIPTION_WORDS
from ragcli.types import Findings, Relation

SAMPLE = Path(__file__).parent.parent / "sample_corpus"


def build(store: Path) -> None:
    """Both modes in turn over the same files; the difference is the model's cost."""
    fast = index(IndexRequest(store, (SAMPLE,), mode="fast"), Settings())
    print(f"fast: {fast.chunks} chunks in {fast.seconds:.1f} s")
    read = index(IndexRequest(store, mode="hybrid"), Settings())
    print(
        f"hybrid: {read.described} chunks, {read.llm_calls} calls, {read.llm_tokens} tokens in"
        f" {read.stages['describe']:.1f} s, {read.seconds / fast.seconds:.2f} times the fast run"
    )


def load(store: Path) -> list[tuple[str, Findings]]:
    """(text, findings) of every chunk that has findings."""
    with closing(open_store(store, readonly=True)) as db:
        rows = db.execute(
            "SELECT substr(c.text, c.owned - c.start + 1), x.data FROM chunks c"
            " JOIN extractions x ON x.hash = c.findings ORDER BY c.id"
        )
        return [(text, unpack_findings(data)) for text, data in rows]


def show(store: Path, read: int) -> None:
    """Print the figures, then relations to be read."""
    chunks = load(store)
    with open_snapshot(store) as snapshot:
        found = counts(snapshot)
    print({k: found[k] for k in ("chunks", "entities", "relations", "llm_calls", "llm_tokens")})
    dropped: Counter[str] = Counter()
    described, own, borne, labelled = 0, 0, 0, 0
    relations: list[Relation] = []
    for text, findings in chunks:
        said = SourceText(text, DESCRIPTION_WORDS)
        plain = " ".join(text.split())
        dropped.update(dict(findings.dropped))
        described += len(findings.entities)
        made = [e for e in findings.entities if e.description not in plain]
        own += len(made)
        borne += sum(
            support(e.description, said, "nothing") >= DESCRIPTION_SUPPORT
            for e in findings.entities
        )
        labelled += sum(bool(r.keywords) for r in findings.relations)
        relations += findings.relations
    print(f"{described} entities described, {borne / max(described, 1):.0%} grounded;", end=" ")
    print(f"{own} descriptions do not stand in the text as they are")
    print(f"{len(relations)} relations, {labelled} with a label")
    print(f"nothing found in {sum(bool(f.problem) for _, f in chunks)} of {len(chunks)} chunks;")
    print(f"dropped: {dict(dropped)}")
    for r in random.Random(1).sample([r for r in relations if r.keywords], read):
        print(f"  {r.source} | {', '.join(r.keywords)} | {r.target}\n      {r.description}")


def main() -> None:
    """Measure a store, or one made for it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path, nargs="?")
    parser.add_argument("--read", type=int, default=0)
    given = parser.parse_args()
    if given.store:
        show(given.store, given.read)
        return
    if llm_file() is None:
        print("skipped: no language model is installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder) / "store")
        show(Path(folder) / "store", given.read)


if __name__ == "__main__":
    main()
