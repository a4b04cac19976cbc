"""How often is the right one of four choices found without a language model?

    RAGCLI_DATA=/path/to/data python bench/choices.py FOLDER [--technical DOCUMENTS] [--fit]

Questions of HotpotQA-100, MuSiQue-100, the novels and ``technical/`` (stores and contexts of
``short_answers.py`` in FOLDER are used, or made) get three wrong choices each: ``far``, answers of
other questions of the set, ``near``, numbers, names or words of the passages that were retrieved
for the question. Both are those most like the right answer: a number or not, capital or not, as
many words. ``sample_corpus/choices.jsonl`` has choices of its own, most of them from the documents.

Shown for each: the share of questions whose right choice is taken by the reader's answers
(*answered*), by the sentences that hold it (*stated*), by the words and else the vectors of the
extractive answer (*words*, what decides where nothing is read), and by what ``eval`` goes by
(*all*). ``--fit`` prints weights fitted
on all sets but the sample corpus, and for each set the share with weights fitted on the others.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from measure import table
from short_answers import SAMPLE, Case, RememberingReader, cases, retrieved, sources, store_of

from ragcli.answer import AnswerModels, answer
from ragcli.answer.multiple_choice import (
    LEAST,
    ChoiceEvidence,
    nearest,
    read_evidence,
    read_probabilities,
)
from ragcli.answer.view import Encode
from ragcli.asking.opening import open_index
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import chosen, token_f1
from ragcli.models.reader.model import WEIGHTS
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.names import names_in
from ragcli.types import Reply

SETS = ("hotpotqa-100", "musique-100", "novels", "technical")
WRONG = 3
ALIKE = 8  # wrong choices are drawn from so many that are most like the right one
MOST_WORDS = 10
STEPS = 20  # of Newton's method

_NUMBER = re.compile(r"(?:[A-Z][a-z]+ )?\d[\d,.]*\d(?: [a-z]+)?|\d")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Choosing:
    """A question with what speaks for its choices; ``right`` is a place in ``evidence``."""

    name: str
    right: int
    evidence: list[ChoiceEvidence]
    by_words: int | None

    @property
    def columns(self) -> Floats:
        """(choices, 3): log of ``answered``, ``stated`` and ``near``."""
        return np.array([[np.log(e.answered + LEAST), e.stated, e.near] for e in self.evidence])


def main() -> None:
    """Ask all sets and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--technical", type=Path)
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    if given.folder is None:
        print(__doc__)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    asked = list(ask_all(given.folder, given.technical))
    report(asked)
    if given.fit:
        fits(asked)


def ask_all(folder: Path, technical: Path | None) -> Iterator[Choosing]:
    """What speaks for the choices of every question."""
    reader = RememberingReader(WEIGHTS, folder)
    with open_index(store_of(folder, SAMPLE.name, SAMPLE), Settings()) as (index, helpers):
        for name, source in sources(SETS, folder, technical):
            known = [case for case in cases(folder, name, source) if plain(case)]
            answers = [case.answers[0] for case in known]
            drawn = {way: random.Random(name + way) for way in ("far", "near")}
            for case in known:
                reply = replied(case, reader, helpers.encode)
                for way, draw in drawn.items():
                    others = answers if way == "far" else beside(case)
                    choices = alternatives(case, others, draw)
                    if choices:
                        yield choose(f"{name}, {way}", case, choices, reply, reader, helpers.encode)
            reader.keep()
        for line in (SAMPLE / "choices.jsonl").read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            context, view = retrieved(index, helpers, one["question"], Settings())
            case = Case(
                "sample_corpus", one["id"], "", one["question"], (one["answer"],), context, view
            )
            reply = replied(case, reader, helpers.encode)
            yield choose(case.name, case, one["choices"], reply, reader, helpers.encode)


def plain(case: Case) -> bool:
    """Whether the answer is a few words, other than yes and no."""
    return bool(case.answers) and (
        case.answers[0].lower() not in ("yes", "no") and len(case.answers[0].split()) <= MOST_WORDS
    )


def replied(case: Case, reader: RememberingReader, encode: Encode) -> Reply:
    """The extractive answer, whatever its confidence."""
    models = AnswerModels(encode, reader, min_confidence=0.0)
    return answer(AskedQuestion(case.question), case.context, "extractive", models)


def choose(
    name: str,
    case: Case,
    choices: Sequence[str],
    reply: Reply,
    reader: RememberingReader,
    encode: Encode,
) -> Choosing:
    """Weigh the choices of one question."""
    evidence = read_evidence(
        AskedQuestion(case.question), choices, case.context, case.view, reader, encode, reply
    )
    place = chosen(reply.text, choices)
    words = nearest(choices, reply.text, encode) if place is None else place
    return Choosing(name, list(choices).index(case.answers[0]), evidence, words)


def alternatives(case: Case, others: Sequence[str], draw: random.Random) -> list[str]:
    """The answer among wrong choices that are like it, in a random order; empty if too few are."""
    right = case.answers[0]
    wrong = [
        other
        for other in dict.fromkeys(others)
        if token_f1(other, case.answers) < 0.3 and other.lower() not in case.question.lower()
    ]
    wrong.sort(key=lambda other: (unlike(other, right), draw.random()))
    if len(wrong) < WRONG:
        return []
    found = [right, *draw.sample(wrong[:ALIKE], WRONG)]
    draw.shuffle(found)
    return found


def unlike(left: str, right: str) -> float:
    """How different two answers are in kind."""
    number = bool(re.search(r"\d", left)) != bool(re.search(r"\d", right))
    capital = left[:1].isupper() != right[:1].isupper()
    return 3 * number + capital + abs(len(left.split()) - len(right.split()))


def beside(case: Case) -> list[str]:
    """Numbers, names and runs of as many words as the answer has, from the retrieved passages."""
    texts = [part.text for part in (*case.context.parts, *case.context.behind)]
    right = case.answers[0]
    if re.search(r"\d", right):
        return [found for text in texts for found in _NUMBER.findall(text)]
    if right[:1].isupper():
        return [name for text in texts for name in names_in(text)]
    count = len(right.split())
    runs = [
        " ".join(words[at : at + count])
        for words in map(str.split, texts)
        for at in range(0, len(words) - count, 7)
    ]
    return [bare for run in runs if (bare := run.strip(" ,.;:()[]|\"'*`"))]


def report(asked: Sequence[Choosing]) -> None:
    """Print a line for each set."""
    rows = []
    for name in dict.fromkeys(one.name for one in asked):
        some = [one for one in asked if one.name == name]
        takes: list[Callable[[Choosing], int | None]] = [
            lambda one: int(one.columns[:, 0].argmax()),
            lambda one: int(one.columns[:, 1].argmax()),
            lambda one: one.by_words,
            taken,
        ]
        shares = [np.mean([take(one) == one.right for one in some]) for take in takes]
        rows.append([name, str(len(some)), *(f"{share:.3f}" for share in shares)])
    table(["set", "n", "answered", "stated", "words", "all"], rows)


def taken(one: Choosing) -> int | None:
    """The choice that ``eval`` takes."""
    likely = read_probabilities(one.evidence)
    return one.by_words if likely is None else likely.index(max(likely))


def fits(asked: Sequence[Choosing]) -> None:
    """Print fitted weights, and what each set gets with those of the other sets."""
    sets = [name for name in dict.fromkeys(one.name for one in asked) if name != SAMPLE.name]
    print(
        "weights (answered, stated, near)", fit([one for one in asked if one.name != SAMPLE.name])
    )
    for name in [*sets, SAMPLE.name]:
        bare = name.split(",")[0]
        weights = fit([one for one in asked if one.name.split(",")[0] not in (bare, SAMPLE.name)])
        mine = [one for one in asked if one.name == name]
        share = np.mean([int((one.columns @ weights).argmax()) == one.right for one in mine])
        print(f"{name}: {share:.3f} with {weights}")


def fit(some: Sequence[Choosing]) -> Floats:
    """Weights of the columns by conditional logistic regression, by Newton's method; each set
    counts the same."""
    counts = Counter(one.name for one in some)
    weights: Floats = np.zeros(3)
    for _ in range(STEPS):
        slope, curve = np.zeros(3), 1e-6 * np.eye(3)
        for one in some:
            logs = one.columns @ weights
            likely = np.exp(logs - np.logaddexp.reduce(logs))
            mean = likely @ one.columns
            apart = one.columns - mean
            slope += (one.columns[one.right] - mean) / counts[one.name]
            curve += (apart.T * likely) @ apart / counts[one.name]
        weights = weights + np.linalg.solve(curve, slope)
    return np.round(weights, 2)


if __name__ == "__main__":
    main()
