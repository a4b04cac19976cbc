"""When should a short answer be withheld? Retrieved contexts with and without the answer.

    RAGCLI_DATA=/path/to/data python bench/abstain.py FOLDER [--technical DOCUMENTS]
        [--weights PATH] [--fit]

The questions and contexts of ``short_answers.py`` (kept in FOLDER), ``as`` they are retrieved, with
the documents of the evidence taken out (``gone``; in the novels the passages that hold all words of
the answer), and with only those taken out that hold the answer (``one``); ``un`` are questions that
the documents do not answer: those of the sample corpus, of ``technical/`` and of
``unanswerable.jsonl`` (over the texts of HotpotQA-100 and MuSiQue-100).

Shown are the area under the ROC curve between ``as`` (where evidence was retrieved) and each other
way, and how many of the other way are caught by the threshold that withholds 5 % of ``as``: for how
near the passages are (``choose.closeness``), for the reader's confidence, and for what ``ask`` goes
by (``told``), each time with weights that were fitted on the other questions (five folds by a hash
of their ids; the sample corpus is never fitted on). ``--fit`` prints the weights fitted on all but
the sample corpus. Written up in docs/adr/answers-by-reading.md.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from answer_cases import holds
from measure import table
from short_answers import RIGHT, SAMPLE, Case, RememberingReader, cases, sources

from ragcli.answer.short import find
from ragcli.answer.told import LEAST_TOLD, Signs, told
from ragcli.answer.view import View, asked_names, missing_names
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import squad_normalise, token_f1
from ragcli.models.reader.model import WEIGHTS
from ragcli.text.words import plain
from ragcli.types import Part

SETS = ("hotpotqa-100", "musique-100", "technical", "novels", "sample_corpus")
FALSE = 0.05  # of questions whose evidence was retrieved may be given up
FOLDS = 5

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """One question in one context: what was found there, and whether the evidence is there.

    ``right`` says whether the short answer is (token F1 of at least a half).
    """

    name: str
    way: str
    id: str
    signs: Signs
    confidence: float
    retrieved: bool
    right: bool

    @property
    def fold(self) -> int:
        """The part of the questions that this one belongs to."""
        return int(hashlib.md5(self.id.encode()).hexdigest(), 16) % FOLDS


def ways(case: Case) -> Iterator[tuple[str, Case]]:
    """A question in its context, and in what is left of that without evidence."""
    if not case.answers:
        yield "un", case
        return
    yield "as", case
    parts = [part for part in case.context.parts if tells(case, part)]
    holding = {part.n for part in parts if holds(part.text, [*case.answers])}
    yield "gone", without(case, {part.n for part in parts})
    several = len({part.doc for part in parts}) > 1
    if holding and several and case.name not in (SAMPLE.name, "novels"):
        yield "one", without(case, holding)


def tells(case: Case, part: Part) -> bool:
    """Whether a part is evidence: of a document that the set names; of a novel, where it names
    none, one with all words of the answer."""
    if case.evidence or case.name != "novels":
        return part.doc in case.evidence
    words = set(squad_normalise(part.text).split())
    return any(set(squad_normalise(answer).split()) <= words for answer in case.answers)


def without(case: Case, numbers: set[int]) -> Case:
    """A question whose context lacks some parts."""
    parts = tuple(part for part in case.context.parts if part.n not in numbers)
    context = replace(case.context, parts=parts)
    missing, missed = missing_names(case.question, context)
    kept = [i for i, s in enumerate(case.view.sentences) if s.part.n not in numbers]
    view = replace(only(case.view, kept), missing=missing, missed=missed)
    named = min(view.named, named_share(case.question, view))
    return replace(case, context=context, view=replace(view, named=named))


def only(view: View, kept: Sequence[int]) -> View:
    """A view of some of its sentences."""
    square = np.ix_(kept, kept)
    return replace(
        view,
        sentences=tuple(view.sentences[i] for i in kept),
        similarity=view.similarity[kept],
        between=view.between[square],
        covers=view.covers[kept],
        titles=view.titles[square],
        names=view.names[square],
        marked=view.marked[kept],
    )


def named_share(question: str, view: View) -> float:
    """The share of a question's names that the sentences, their titles or leads hold."""
    names = [plain(name) for name in asked_names(question)]
    texts = [plain(f"{s.part.title} . {s.lead} . {s.text}") for s in view.sentences]
    held = [any(name in text for text in texts) for name in names]
    return float(np.mean(held)) if held else 0.5


def ask(case: Case, reader: RememberingReader) -> Iterator[Asked]:
    """A question in every context; questions about two things are not judged by signs."""
    for way, given in ways(case):
        if not given.view.sentences:
            continue
        found = find(given.question, given.context, given.view, reader)
        if found is None or found.signs is None:
            continue
        right = bool(case.answers) and token_f1(found.text, [*case.answers]) >= RIGHT
        there = way == "as" and any(tells(case, part) for part in case.context.parts)
        yield Asked(case.name, way, case.id, found.signs, found.confidence, there, right)


def signs_of(asked: Sequence[Asked]) -> Floats:
    """The signs of each, (n, number of signs)."""
    return np.array([astuple(one.signs) for one in asked], dtype=np.float64)


def fitted(asked: Sequence[Asked]) -> tuple[Floats, float]:
    """Weights of the signs and the bias; questions with and without evidence weigh the same."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    kept = [one for one in asked if one.name != SAMPLE.name and (one.way != "as" or one.retrieved)]
    scaler = StandardScaler().fit(signs_of(kept))
    model = LogisticRegression(C=0.3, class_weight="balanced", max_iter=1000)
    model.fit(scaler.transform(signs_of(kept)), [one.way == "as" for one in kept])
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


def kept_apart(asked: Sequence[Asked]) -> Floats:
    """The log odds of being told, each by weights fitted without its fold."""
    found = np.zeros(len(asked))
    for fold in range(FOLDS):
        weights, bias = fitted([one for one in asked if one.fold != fold])
        inside = np.array([one.fold == fold for one in asked])
        found[inside] = signs_of(asked)[inside] @ weights + bias
    return found


def auc(good: Floats, bad: Floats) -> float:
    """Area under the ROC curve."""
    above = (good[:, None] > bad).mean() + (good[:, None] == bad).mean() / 2
    return float(above)


def report(asked: Sequence[Asked]) -> None:
    """AUC and catches by set and way."""
    measures = {
        "near": np.array([one.signs.near for one in asked]),
        "confidence": np.array([one.confidence for one in asked]),
        "told": kept_apart(asked),
    }
    rows = []
    for name, way in dict.fromkeys((one.name, one.way) for one in asked if one.way != "as"):
        good = np.array([one.name == name and one.retrieved for one in asked])
        bad = np.array([(one.name, one.way) == (name, way) for one in asked])
        cells = []
        for values in measures.values():
            threshold = np.quantile(values[good], FALSE)
            caught = (values[bad] < threshold).mean()
            cells.append(f"{auc(values[good], values[bad]):.3f}  {100 * caught:3.0f} %")
        rows.append([f"{name} {way}", str(good.sum()), str(bad.sum()), *cells])
    table(("AUC, caught at 5 %", "with", "without", *measures), rows)
    shown = [["given up by ask, %", "right", "with", "one", "gone", "un"]]
    for name in dict.fromkeys(one.name for one in asked):
        some = [one for one in asked if one.name == name]
        groups = [[o for o in some if o.retrieved and o.right], [o for o in some if o.retrieved]]
        groups += [[o for o in some if o.way == way] for way in ("one", "gone", "un")]
        shown.append([name, *(given_up(group) for group in groups)])
    table(shown[0], shown[1:])


def given_up(asked: Sequence[Asked]) -> str:
    """Percent that ``ask`` gives up with the weights and the threshold it has."""
    if not asked:
        return "-"
    least = Settings().min_confidence
    doubted = [told(o.signs) < LEAST_TOLD or o.confidence < least for o in asked]
    return f"{100 * np.mean(doubted):.0f}"


def print_fit(asked: Sequence[Asked]) -> None:
    """The weights fitted on all sets but the sample corpus, and the threshold for 5 %."""
    weights, bias = fitted(asked)
    odds = signs_of(asked) @ weights + bias
    with_evidence = np.array([one.retrieved and one.name != SAMPLE.name for one in asked])
    least = 1 / (1 + np.exp(-np.quantile(odds[with_evidence], FALSE)))
    print(f"Signs({', '.join(f'{weight:.3f}' for weight in weights)})")
    print(f"BIAS {bias:.3f}, LEAST_TOLD {least:.3f}")


def main() -> None:
    """All sets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--technical", type=Path)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    if given.folder is None:
        print(__doc__)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    reader = RememberingReader(given.weights, given.folder)
    asked: list[Asked] = []
    for name, source in sources(SETS, given.technical):
        for case in cases(given.folder, name, source):
            asked += ask(case, reader)
        reader.keep()
    report(asked)
    if given.fit:
        print_fit(asked)


if __name__ == "__main__":
    main()
