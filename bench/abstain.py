"""When should a short answer be withheld? Retrieved contexts with and without the answer.

    RAGCLI_DATA=/path/to/data python bench/abstain.py FOLDER [--technical DOCUMENTS]
        [--weights PATH] [--fit]

The questions and contexts of ``short_answers.py`` (kept in FOLDER), ``as`` they are retrieved, with
the documents of the evidence taken out (``gone``; in the novels the passages that hold all words of
the answer), and with only those taken out that hold the answer (``one``); ``un`` are questions that
the documents do not answer: those of the sample corpus, of ``technical/`` and of
``unanswerable.jsonl`` (over the texts of the other sets).

Shown are the area under the ROC curve between right answers and each other way, and how many of the
other way are caught by the threshold that withholds 5 % of the right answers: for how near the
passages are (``choose.closeness``), for the reader's confidence, and for what ``ask`` goes by
(``told``), by its first rule and by both. Then what is given up of each set, and a curve. The
weights and the threshold for a set are always fitted on the other sets; the sample corpus is never
fitted on. ``--fit`` prints the weights fitted on all sets but the sample corpus. Written up in
docs/adr/answers-by-reading.md.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from answer_cases import holds
from measure import table
from short_answers import RIGHT, SAMPLE, Case, RememberingReader, cases, sources

from ragcli.answer.answer_kind import asks_several, lacks_number
from ragcli.answer.short import find
from ragcli.answer.subject import strangers
from ragcli.answer.told import LEAST_TOLD, Signs, told
from ragcli.answer.view import View, asked_names, missing_names
from ragcli.config import Settings
from ragcli.evaluate.text_metrics import squad_normalise, token_f1
from ragcli.models.reader.model import WEIGHTS
from ragcli.text.words import plain
from ragcli.types import Part

SETS = ("hotpotqa-100", "musique-100", "technical", "novels", "sample_corpus")
FALSE = 0.05  # of questions whose evidence was retrieved may be given up


@dataclass(frozen=True)
class Rule:
    """A regression of the signs in ``columns``, fitted on the questions of some ways, and the
    share of right answers that it gives up."""

    columns: tuple[int, ...]
    ways: tuple[str, ...]
    share: float


FORMER = Rule((0, 1, 2), ("gone", "one", "un"), 0.02)
RULES = (FORMER, Rule((0, 3, 4, 5, 6), ("un",), 0.03))

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """One question in one context: what was found there, and whether the evidence is there.

    ``right`` says whether the short answer is (token F1 of at least a half); ``strange``, whether
    its documents lack the names of a plain question.
    """

    name: str
    way: str
    id: str
    signs: Signs
    confidence: float
    retrieved: bool
    right: bool
    question: str
    text: str
    strange: bool

    @property
    def correct(self) -> bool:
        """Whether the answer is right and its evidence was retrieved."""
        return self.right and self.retrieved


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
        signs = found.signs if found else None
        if found is None or signs is None:
            continue
        right = bool(case.answers) and token_f1(found.text, [*case.answers]) >= RIGHT
        there = way == "as" and any(tells(case, part) for part in case.context.parts)
        yield Asked(
            case.name,
            way,
            case.id,
            signs,
            found.confidence,
            there,
            right,
            given.question,
            found.text,
            bool(strangers(given.question, found.places, given.context)),
        )


def signs_of(asked: Sequence[Asked]) -> Floats:
    """The signs of each, (n, number of signs)."""
    return np.array([astuple(one.signs) for one in asked], dtype=np.float64)


def fitted(asked: Sequence[Asked], columns: Sequence[int]) -> tuple[Floats, float]:
    """Weights of the signs in ``columns`` and the bias.

    Questions with and without evidence weigh the same, and so does each way to lack it.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    kept = [one for one in asked if one.name != SAMPLE.name and (one.way != "as" or one.right)]
    signs = signs_of(kept)[:, columns]
    ways = Counter(one.way for one in kept)
    shares = [1.0 if one.way == "as" else 1 / (len(ways) - 1) for one in kept]
    weight = [share / ways[one.way] for share, one in zip(shares, kept, strict=True)]
    scaler = StandardScaler().fit(signs)
    model = LogisticRegression(C=0.3, max_iter=1000)
    told_ = [one.way == "as" for one in kept]
    model.fit(scaler.transform(signs), told_, np.array(weight) * len(kept) / 2)
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


def kept_apart(asked: Sequence[Asked], rules: Sequence[Rule] = RULES) -> Floats:
    """The log odds of being told by the stricter rule, each above its threshold.

    The weights and thresholds for a set are fitted on the other sets.
    """
    found = np.zeros(len(asked))
    for name in dict.fromkeys(one.name for one in asked):
        others = [one for one in asked if one.name != name]
        inside = [one.name == name for one in asked]
        odds = [fit_rule(others, rule) for rule in rules]
        mine = [one for one in asked if one.name == name]
        values = [signs_of(mine) @ weights + bias for weights, bias in odds]
        lengthy = np.array([one.signs.lengthy > 0 for one in mine])
        found[inside] = np.where(lengthy, values[0], np.min(values, axis=0))
    return found


def fit_rule(asked: Sequence[Asked], rule: Rule) -> tuple[Floats, float]:
    """The weight of every sign and the bias of a rule, such that its share of right answers falls
    below 0."""
    kept = [one for one in asked if one.way in ("as", *rule.ways)]
    if rule is not FORMER:
        kept = [one for one in kept if not one.signs.lengthy]
    some, bias = fitted(kept, rule.columns)
    weights = np.zeros(len(fields(Signs)))
    weights[list(rule.columns)] = some
    right = [one for one in asked if one.correct and one.name != SAMPLE.name]
    return weights, bias - float(np.quantile(signs_of(right) @ weights + bias, rule.share))


def auc(good: Floats, bad: Floats) -> float:
    """Area under the ROC curve."""
    above = (good[:, None] > bad).mean() + (good[:, None] == bad).mean() / 2
    return float(above)


def report(asked: Sequence[Asked]) -> None:
    """AUC and catches by set and way, for the former signs and for all."""
    measures = {
        "near": np.array([one.signs.near for one in asked]),
        "confidence": np.array([one.confidence for one in asked]),
        "first rule": kept_apart(asked, [FORMER]),
        "told": kept_apart(asked),
    }
    rows = []
    for name, way in dict.fromkeys((one.name, one.way) for one in asked if one.way != "as"):
        good = np.array([one.name == name and one.correct for one in asked])
        bad = np.array([(one.name, one.way) == (name, way) for one in asked])
        cells = []
        for values in measures.values():
            threshold = np.quantile(values[good], FALSE)
            caught = (values[bad] < threshold).mean()
            cells.append(f"{auc(values[good], values[bad]):.3f}  {100 * caught:3.0f} %")
        rows.append([f"{name} {way}", str(good.sum()), str(bad.sum()), *cells])
    table(("AUC, caught at 5 %", "right", "without", *measures), rows)
    for title, rules in (("first rule", [FORMER]), ("both rules", RULES)):
        odds = kept_apart(asked, rules)
        withheld(f"given up, fitted on the other sets: {title}", asked, odds < 0)
    withheld("given up by ask", asked, np.array([doubted(one) for one in asked]))
    curve(asked, measures["told"])


def withheld(title: str, asked: Sequence[Asked], given: npt.NDArray[np.bool_]) -> None:
    """How many of each set's questions are given up."""

    def share(kept: Sequence[bool]) -> str:
        inside = np.array(kept)
        return f"{given[inside].sum()}/{inside.sum()}" if inside.any() else "-"

    rows = []
    for name in (*dict.fromkeys(one.name for one in asked), "all"):
        mine = [name in (one.name, "all") for one in asked]
        pairs = list(zip(asked, mine, strict=True))
        cells = [share([m and one.correct for one, m in pairs])]
        cells.append(share([m and one.retrieved for one, m in pairs]))
        cells += [
            share([m and one.way == way for one, m in pairs]) for way in ("one", "gone", "un")
        ]
        rows.append([name, *cells])
    table((title, "right", "with evidence", "one", "gone", "un"), rows)


def curve(asked: Sequence[Asked], odds: Floats) -> None:
    """What is given up of the right answers, and of the unanswerable questions, by threshold."""
    right = np.array([one.correct for one in asked])
    un = np.array([one.way == "un" for one in asked])
    sample = np.array([one.name == SAMPLE.name for one in asked])
    rows = []
    for share in (0.0, 0.02, 0.05, 0.1, 0.15, 0.2):
        low = np.quantile(odds[right], share)
        cells = [odds[right], odds[un], odds[un & sample]]
        rows.append([f"{share:.2f}", *(f"{100 * (values < low).mean():.0f} %" for values in cells)])
    table(("curve", "right given up", "un", "un of the sample corpus"), rows)


def doubted(one: Asked) -> bool:
    """Whether ``ask`` gives up with the weights and the threshold it has, and its rules for
    numbers and names."""
    if told(one.signs) < LEAST_TOLD or asks_several(one.question):
        return told(one.signs) < LEAST_TOLD
    if one.strange:
        return True
    unsure = one.confidence < Settings().min_confidence
    return unsure or lacks_number(one.question, one.text)


def print_fit(asked: Sequence[Asked]) -> None:
    """The weights and biases fitted on all sets but the sample corpus."""
    for name, rule in zip(("RETRIEVED", "ASKED"), RULES, strict=True):
        weights, bias = fit_rule(asked, rule)
        shown = ", ".join(f"{weight:.3f}" for weight in weights)
        print(f"{name}, {name}_BIAS = Signs({shown}), {bias:.3f}")


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
    judged = [name for name in SETS if name != "prose"]  # it names no evidence
    for name, source in sources(judged, given.folder, given.technical):
        for case in cases(given.folder, name, source):
            asked += ask(case, reader)
        reader.keep()
    report(asked)
    if given.fit:
        print_fit(asked)


if __name__ == "__main__":
    main()
