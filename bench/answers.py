"""How often do extractive answers hold the answer, and when should they abstain?

    RAGCLI_DATA=/path/to/data python bench/answers.py

``RAGCLI_DATA`` holds ``hotpotqa-100``, ``musique-100`` (``corpus.jsonl``, ``questions.jsonl``)
and ``novels`` (``*.txt``, ``questions.jsonl``); this project's sample corpus is added. The
constants of ``ragcli.answer`` were chosen on every second question (``tune``); the others
(``confirm``) show what they are worth. Written up in docs/adr/extractive-answers.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

import numpy as np
from answer_cases import Case, Stated, holds, load, load_stated

from ragcli.answer.choose import TUNING, Tuning, choose, closeness
from ragcli.answer.cite import sources
from ragcli.answer.extractive import compose
from ragcli.answer.view import Encode, Floats, View, look
from ragcli.models.encoder import LightEncoder
from ragcli.models.locate import embedder_folder
from ragcli.text.asked_question import AskedQuestion

SETS = ("hotpotqa", "musique", "novels", "sample")
ALONE = replace(TUNING, new=0, title=0, name=0, repeat=0, second=-9, stop=-9)
TOGETHER = replace(TUNING, second=-9, stop=-9)
VARIANTS = {
    "similarity only": replace(ALONE, words=0, place=0, rank=0),
    "one by one": ALONE,
    "together, no bridges": replace(TOGETHER, title=0, name=0),
    "together": TOGETHER,
}


class Views:
    """Every case looked at once in every context: what is tuned comes after that."""

    def __init__(self, cases: Sequence[Case], encode: Encode) -> None:
        self.cases = cases
        self.views: dict[tuple[int, str], View] = {}
        for number, case in enumerate(cases):
            for key, context in case.contexts.items():
                self.views[number, key] = look(
                    AskedQuestion(case.question),
                    context,
                    encode=encode,
                    entities=(),
                    pool=TUNING.pool,
                )

    def of(self, key: str, name: str, tune: bool) -> Iterable[tuple[Case, View]]:
        """Yield the cases of one set and half with one of their views."""
        for number, case in enumerate(self.cases):
            if case.name == name and case.tune == tune:
                yield case, self.views[number, key]


def held(views: Views, key: str, name: str, tune: bool, tuning: Tuning) -> tuple[float, ...]:
    """Return the share of answers that hold the gold one, their sentences and characters."""
    right, sentences, characters = [], [], []
    for case, view in views.of(key, name, tune):
        chosen = [view.sentences[index] for index in choose(view, tuning)]
        reply = compose(chosen)
        right.append(holds(reply.text, case.answers))
        sentences.append(len(chosen))
        characters.append(sum(len(citation.quote) for citation in reply.citations))
    return 100 * mean(right), mean(sentences), mean(characters)


def print_held(views: Views, tune: bool) -> None:
    """Print how often 1 to 4 sentences hold the answer, by variant, set and context."""
    print(f"\nanswer held, % ({'tune' if tune else 'confirm'}), by 1 2 3 4 sentences")
    print(f"{'':22s}{'':8s}" + "".join(f"{name:24s}" for name in SETS))
    for label, variant in VARIANTS.items():
        for key in ("beside", "near"):
            cells = [
                " ".join(
                    f"{held(views, key, name, tune, replace(variant, most=most))[0]:3.0f}"
                    for most in (1, 2, 3, 4)
                )
                for name in SETS
            ]
            print(f"{label:22s}{key:8s}" + "".join(f"{cell:24s}" for cell in cells))
    for key in ("beside", "near"):
        cells = [
            "{:3.0f}% {:.1f} sent. {:.0f} ch.".format(*held(views, key, name, tune, TUNING))
            for name in SETS
        ]
        print(f"{'as set':22s}{key:8s}" + "".join(f"{cell:24s}" for cell in cells))


def scores(views: Views, key: str, tune: bool, tuning: Tuning) -> Floats:
    """Return the closeness of every question of one half to one of its contexts."""
    values = [closeness(view, tuning) for name in SETS for _, view in views.of(key, name, tune)]
    return np.array(values, dtype=np.float32)


def print_abstaining(views: Views, tuning: Tuning = TUNING) -> None:
    """Print the threshold for some rates of false abstention, and what it catches."""
    print("\nabstaining: threshold from tune; false abstention and catches, % of confirm")
    print("asked for  threshold   false(beside)  false(near)   random  foreign  wrong")
    right = scores(views, "beside", True, tuning)
    for rate in (1, 2, 3, 5, 8, 10):
        threshold = float(np.percentile(right, rate))
        row = [
            100 * float((scores(views, key, False, tuning) < threshold).mean())
            for key in ("beside", "near", "random", "foreign", "wrong")
        ]
        print(
            f"{rate:8d}%  {threshold:9.3f}   {row[0]:13.0f}  {row[1]:11.0f}"
            f"   {row[2]:6.0f}  {row[3]:7.0f}  {row[4]:5.0f}"
        )


def print_support(cases: Sequence[Stated], tune: bool) -> None:
    """Print how many true and untrue sentences pass the check of written answers.

    Untrue is the answer to another question on the same book: the same people, other facts
    (some happen to be true of the passages as well).
    """
    print(f"\nwritten sentences let through, % ({'tune' if tune else 'confirm'})")
    print("support     true  untrue")
    half = cases[not tune :: 2]
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        true, untrue = (
            100 * mean(bool(sources(text, c.context.parts, least=threshold)) for c, text in pairs)
            for pairs in (
                [(c, c.statement) for c in half],
                [(c, c.other) for c in half],
            )
        )
        print(f"{threshold:7.1f}  {true:7.0f}  {untrue:6.0f}")


def main() -> int:
    """Run it all; needs ``RAGCLI_DATA``."""
    if "RAGCLI_DATA" not in os.environ:
        print("skipped: RAGCLI_DATA names no data")
        return 0
    data = Path(os.environ["RAGCLI_DATA"])
    cases = load(data)
    views = Views(cases, LightEncoder(embedder_folder()).encode)
    for name in SETS:
        print(f"{name}: {sum(case.name == name for case in cases)} questions")
    for tune in (True, False):
        print_held(views, tune)
    print_abstaining(views)
    for tune in (True, False):
        print_support(load_stated(data), tune)
    return 0


if __name__ == "__main__":
    sys.exit(main())
