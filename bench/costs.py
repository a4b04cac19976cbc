"""What a language model is asked for: calls and tokens of each mode, as Markdown.

    python bench/costs.py [FOLDER] [--added 3] [--questions QUESTIONS.jsonl] [--most 0]

Documents of FOLDER (the sample corpus) are indexed in each way that uses a model, all but the last
few, which are then added one by one; then the questions are asked in each mode. No model runs: one
that counts takes its place, with replies of a usual length in the form that is asked for. Tokens
are those of the built-in embedder; instructions count in every call, though the engine reads them
once. Means over the added documents, and over the questions.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any, cast

from ragcli.asking.ask import context_of, token_counter
from ragcli.asking.opening import open_index
from ragcli.asking.several import NamedIndex, found_in
from ragcli.config import EVAL_MODES, MODES, Settings
from ragcli.evaluate.datasets import load
from ragcli.evaluate.from_reports import GRAPHRAG, ReportsAsker
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.models import open_llm
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.papers.graphrag import GraphRag
from ragcli.retrieve import Helpers
from ragcli.search.search_index import SearchIndex
from ragcli.store.replies import Remembering, Replies, replies_in
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.names import names_in
from ragcli.types import silent

ROOT = Path(__file__).resolve().parent.parent
NAMED = 8
"""Entities that the counting model lists for a chunk, with a relation of each to the next."""

SETTINGS = Settings(answer="llm", workers=1)


class Counting:
    """Stands for a model of 1.5 billion weights; ``calls`` and ``tokens`` add up."""

    parameters, context, fingerprint = 1_500_000_000, 4096, "counting"

    def __init__(self) -> None:
        self.calls = self.tokens = 0
        self.count_tokens = token_counter(SETTINGS)

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        """A reply for each prompt."""
        for at, prompt in enumerate(prompts):
            text = says(prompt)
            read = self.count_tokens(f"{prompt.system}\n{prompt.user}")
            written = self.count_tokens(text)
            self.calls += 1
            self.tokens += read + written
            yield at, Completion(text, "stop", read, written)

    def close(self) -> None:
        """There is nothing to free."""

    @contextmanager
    def counted(self) -> Iterator[Cost]:
        """What is asked inside."""
        before, cost = (self.calls, self.tokens), Cost()
        yield cost
        cost.calls, cost.tokens = self.calls - before[0], self.tokens - before[1]


@dataclass
class Cost:
    """Calls, and tokens of prompts and replies."""

    calls: float = 0
    tokens: float = 0


def says(prompt: Prompt) -> str:
    """A reply of a usual length, in the form that the prompt's grammar asks for."""
    if "E | " in prompt.grammar:
        return "...\n" if "Listed already" in prompt.user else listed(prompt.user)
    if "Score: " in prompt.grammar:
        return "Score: 6\n" + " ".join(prompt.user.split()[-40:])
    if r"\"low\"" in prompt.grammar:
        return '{"low": ["Kesselhorn"], "high": ["avalanche warning", "railway"]}'
    if '"?\\n"' in prompt.grammar:
        return "What is the first part of it?\nWhat is the second part of it?\n"
    if prompt.user.startswith("Names:"):
        words = " ".join(prompt.user.split()[:20])
        return f"A part of the documents\n{words}.\n{words} again.\n{words} as well.\n"
    return " ".join(prompt.user.split()[-min(40, prompt.max_tokens // 2) :])


def listed(text: str) -> str:
    """Entities and relations of a chunk as a model lists them."""
    names = list(dict.fromkeys(" ".join(name.split()) for name in names_in(text)))[:NAMED]
    names = [name for name in names if "|" not in name]
    lines = [
        f"E | {name} | other | What the text says about {name} in a few words." for name in names
    ]
    lines += [
        f"R | {a} | {b} | connection | The text connects {a} with {b} in one sentence. | 5"
        for a, b in pairwise(names)
    ]
    return "\n".join([*lines, "...\n"])


@contextmanager
def counting() -> Iterator[Counting]:
    """Opens the counting model wherever a language model would be opened."""
    model, usual = Counting(), open_llm._opened
    open_llm._opened = lambda *_args: model  # type: ignore[assignment]
    try:
        yield model
    finally:
        open_llm._opened = usual


@dataclass(frozen=True)
class Way:
    """A way to index: its name in the table, and what the request says."""

    name: str
    mode: str
    hierarchy: bool | None = None


WAYS = (
    Way("index --mode fast", "fast"),
    Way("index --mode hybrid", "hybrid"),
    Way("index --mode light", "light"),
    Way("index --mode light --hierarchy", "light", True),
)


@dataclass(frozen=True)
class Costs:
    """Of indexing and of reports: the first for most documents, then one for each added one."""

    store: list[Cost]
    reports: list[Cost]


def documents(folder: Path) -> list[Path]:
    """The files of a folder; the last ones are added later."""
    return sorted(path for path in folder.rglob("*") if path.suffix in (".md", ".txt"))


def indexed(way: Way, files: Sequence[Path], added: int, store: Path, model: Counting) -> Costs:
    """Index all documents but the last few, add these one by one, and make the reports each time.

    Documents are numbered, so that all those added come last.
    """
    docs = store.parent / f"{store.name}-docs"
    docs.mkdir()
    costs = Costs([], [])
    by = "llm" if way.hierarchy else ""
    first = IndexRequest(store, (docs,), mode=way.mode, hierarchy=way.hierarchy, hierarchy_by=by)
    with replies_in(None) as replies:
        for known in range(len(files) - added, len(files) + 1):
            for number, file in enumerate(files[:known]):
                shutil.copy(file, docs / f"{number:03}-{file.name}")
            with model.counted() as cost:
                index(first if not costs.store else IndexRequest(store), SETTINGS)
            costs.store.append(cost)
            with open_index(store, SETTINGS) as (opened, helpers), model.counted() as cost:
                baseline(opened, helpers, model, replies).prepare(silent)
            costs.reports.append(cost)
    return costs


def baseline(opened: SearchIndex, helpers: Helpers, model: Counting, replies: Replies) -> GraphRag:
    """GraphRAG with kept replies."""
    return GraphRag(opened, helpers, Remembering(model, replies))


def building(found: dict[str, Costs]) -> list[list[str]]:
    """Rows of the first table: what the first documents cost, and each one that is added."""
    rows = []
    for name, costs in found.items():
        rows.append(row(name, costs.store))
        rows.append(row(f"the same, reports of `{GRAPHRAG}`", costs.reports))
    return rows


def row(name: str, costs: Sequence[Cost]) -> list[str]:
    """The first cost, the mean of the others, and tokens of a call in these."""
    first, *others = costs
    calls, tokens = mean(c.calls for c in others), mean(c.tokens for c in others)
    each = f"{tokens / calls:,.0f}" if calls else "–"
    return [name, f"{first.calls:,}", f"{first.tokens:,}", f"{calls:,.1f}", f"{tokens:,.0f}", each]


def asking(store: Path, questions: Sequence[str], model: Counting) -> list[list[str]]:
    """Rows of the second table: means over the questions for each mode."""
    rows = []
    with open_index(store, SETTINGS) as (opened, helpers), replies_in(None) as replies:
        reports = baseline(opened, helpers, model, replies)
        reports.prepare(silent)
        answered = ReportsAsker(reports, SETTINGS)
        helped = replace(helpers, model=model, assistant=model)
        for mode in (*MODES, *(mode for mode in EVAL_MODES if mode != GRAPHRAG)):
            costs, sent = [], []
            for text in questions:
                how, stores = replace(SETTINGS, mode=mode), [NamedIndex("", opened)]
                with model.counted() as cost:
                    found, hits = found_in(stores, AskedQuestion(text), how, helped)
                costs.append(cost)
                context = context_of(stores, found, hits, SETTINGS, cast(Any, model))
                sent.append(context.tokens)
            rows.append(asked(mode, costs, f"{mean(sent):,.0f}"))
        costs = []
        for text in questions:
            with model.counted() as cost:
                answered(AskedQuestion(text), answer=True)
            costs.append(cost)
        rows.append(asked(f"{GRAPHRAG} (map and reduce)", costs, "–"))
    return rows


def asked(mode: str, costs: Sequence[Cost], sent: str) -> list[str]:
    """One row: calls and tokens of a question before it is answered, tokens of the context."""
    calls, tokens = mean(c.calls for c in costs), mean(c.tokens for c in costs)
    return [mode, f"{calls:,.1f}", f"{tokens:,.0f}", sent]


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table."""
    print("| " + " | ".join(heads) + " |")
    print("|---" + "|---:" * (len(heads) - 1) + "|")
    for cells in rows:
        print("| " + " | ".join(cells) + " |")
    print()


def main() -> None:
    """Index, ask, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "sample_corpus")
    parser.add_argument("--added", type=int, default=3)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--most", type=int, default=0, help="questions asked (0: all)")
    options = parser.parse_args()
    files = documents(options.folder)
    cases = load(options.questions or options.folder / "questions.jsonl").cases
    cases = cases[: options.most or None]
    with tempfile.TemporaryDirectory() as temporary, counting() as model:
        found = {}
        for at, way in enumerate(WAYS):
            store = Path(temporary) / str(at)
            found[way.name] = indexed(way, files, options.added, store, model)
        first = f"calls for the first {len(files) - options.added}"
        added = ("tokens", "calls per added document", "tokens", "tokens of a call")
        markdown((f"{len(files)} documents", first, *added), building(found))
        rows = asking(store, [case.question for case in cases], model)
    heads = ("mode", "calls per question", "tokens", "tokens of the context")
    print(f"{len(cases)} questions, on the last of these stores\n")
    markdown(heads, rows)


if __name__ == "__main__":
    main()
