"""Questions in two steps, split by a language model, beside one pass.

    RAGCLI_DATA=/data python bench/steps.py FOLDER --llm FILE.gguf [--most 40]
    RAGCLI_DATA=/data python bench/steps.py FOLDER --splits SPLITS.jsonl [--most 40]

FOLDER holds stores of ``hotpotqa-100`` and ``musique-100`` under these names. The model splits each
two-step question into two ("#1" in the second stands for the first one's answer); both are asked as
``ask`` asks, and the hits of both are taken in turn. SPLITS has such splits, made otherwise: one
{"id", "split": "first\\nsecond"} on a line. Shown for each set: token F1 and exact match of the
short answer and recall@5, in one pass and in steps, and the mean difference with its 95 % interval.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
from measure import data, table

from ragcli.asking.ask import ask_in
from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.evaluate.bootstrap import intervals
from ragcli.evaluate.cases import Case
from ragcli.evaluate.datasets import load
from ragcli.evaluate.matching import document_ranks, wanted_documents
from ragcli.evaluate.rank_metrics import recall
from ragcli.evaluate.text_metrics import exact_match, token_f1
from ragcli.models.completion import Completer, Prompt
from ragcli.retrieve import Helpers
from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer, Hit

SETS = {"hotpotqa-100": "bridge", "musique-100": "2hop"}
SETTINGS = Settings(answer="extractive", llm="none")
NAMES = ("F1", "exact match", "recall@5")

SYSTEM = """You split a question that needs two facts into two short questions. The first asks for \
what the question only describes. The second asks for the answer, with #1 in the place of what the \
first one finds. Write the two questions, one on a line, and nothing else.

Question: What is the population of the state where Dodge City Regional Airport is located?
In which state is Dodge City Regional Airport located?
What is the population of #1?

Question: When was the author of the novel The Green Lantern born?
Who is the author of the novel The Green Lantern?
When was #1 born?"""
GRAMMAR = r"""
root ::= first second
first ::= [A-Z] [^\x00-\x1F?#]{6,140} "?\n"
second ::= [A-Z] [^\x00-\x1F?#]{0,120} "#1" [^\x00-\x1F?#]{0,120} "?\n"
"""


@dataclass(frozen=True)
class Outcome:
    """Short answer and hits of a question, asked in some way."""

    said: str
    hits: tuple[Hit, ...]

    def scores(self, case: Case) -> tuple[float, float, float]:
        """In the order of NAMES."""
        ranks = document_ranks(wanted_documents(case.evidence), self.hits)
        f1, exact = token_f1(self.said, case.answers), exact_match(self.said, case.answers)
        return f1, exact, recall(ranks, 5)


def short(answer: Answer) -> str:
    """The short answer, "" if there is none."""
    return answer.reply.short.text if answer.reply.short else ""


def in_steps(index: SearchIndex, helpers: Helpers, split: str) -> Outcome:
    """Both questions asked, one after the other; no answer without an answer to the first."""
    first, *others = split.strip().split("\n")
    begun = ask_in(index, AskedQuestion(first), SETTINGS, helpers).answer
    if not others or not short(begun):
        return Outcome("", begun.hits)
    ended = ask_in(
        index, AskedQuestion(others[0].replace("#1", short(begun))), SETTINGS, helpers
    ).answer
    pairs = zip_longest(begun.hits, ended.hits)
    return Outcome(short(ended), tuple(hit for pair in pairs for hit in pair if hit))


def splits_by(model: Completer, cases: Sequence[Case]) -> dict[str, str]:
    """The model's split of each question, by id."""
    prompts = [Prompt(SYSTEM, f"Question: {case.question}", 80, GRAMMAR) for case in cases]
    return {cases[at].id: reply.text for at, reply in model.complete(prompts)}


def compared(
    store: Path, cases: Sequence[Case], splits: Mapping[str, str]
) -> Iterator[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Scores in one pass and in steps; each question is told as soon as it was asked."""
    with open_index(store, SETTINGS) as (index, helpers):
        for case in cases:
            answer = ask_in(index, AskedQuestion(case.question), SETTINGS, helpers).answer
            one = Outcome(short(answer), answer.hits)
            two = in_steps(index, helpers, splits[case.id])
            print(f"{case.question}\n  one pass: {one.said}; in steps: {two.said}", flush=True)
            print("  " + " / ".join(splits[case.id].split("\n")))
            yield one.scores(case), two.scores(case)


def rows(found: Sequence[tuple[tuple[float, ...], tuple[float, ...]]]) -> list[list[str]]:
    """A row for each metric."""
    one, two = (np.array(column) for column in zip(*found, strict=True))
    ends = intervals(two - one)
    return [
        [name, f"{one[:, i].mean():.3f}", f"{two[:, i].mean():.3f}",
         f"{(two - one)[:, i].mean():+.3f} [{ends[i][0]:+.3f}, {ends[i][1]:+.3f}]"]
        for i, name in enumerate(NAMES)
    ]  # fmt: skip


def main() -> None:
    """Both sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--llm", type=Path)
    parser.add_argument("--splits", type=Path)
    parser.add_argument("--most", type=int, default=40, help="questions of each set")
    options = parser.parse_args()
    if (options.llm is None) == (options.splits is None):
        parser.error("give either --llm or --splits")
    known: dict[str, str] = {}
    if options.splits:
        lines = options.splits.read_text(encoding="utf-8").splitlines()
        known = {one["id"]: one["split"] for one in map(json.loads, lines)}
    for source, kind in zip(data(*SETS), SETS.values(), strict=True):
        cases = [case for case in load(source / "questions.jsonl").cases if case.type == kind]
        if options.splits:
            cases = [case for case in cases if case.id in known]
        cases = cases[: options.most]
        if options.llm:
            # Not needed, and not installed everywhere, for splits from a file.
            from ragcli.models.llm import Llm

            model = Llm(options.llm, context=1024, threads=1)
            known |= splits_by(model, cases)
            model.close()
        found = list(compared(options.folder / source.name, cases, known))
        print(f"\n{source.name}: {len(found)} questions")
        table(("", "one pass", "in steps", "difference"), rows(found))


if __name__ == "__main__":
    main()
