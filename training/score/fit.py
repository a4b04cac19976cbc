"""Fits the weights of ``ragcli.answer.score`` and says what they are worth.

``python -m training.score.fit COLLECTED.jsonl ... [--write] [--ablate]``

Every figure is of questions whose source was left out of the fit (six folds over sources), or of
sets that are never in it. The weights that are written are fitted on all sources. ``--ablate``
prints what is lost without each group of numbers and each finder.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from ragcli.answer import score
from ragcli.models.trees import Trees
from training.reader.evaluate import auc
from training.trees import Fitted, grown

Question = dict[str, Any]
Floats = NDArray[np.float64]
Chosen = tuple[Question, dict[str, Any] | None, float]
"""A question, its best candidate, and the log odds or the probability of that."""

FOLDS = 6
RIDGE = 1.0
"""Inverse strength of the penalty on weights of standardised features."""
TREES = {
    "max_iter": 150,
    "learning_rate": 0.05,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 30,
    "l2_regularization": 1.0,
    "random_state": 0,
}
SHOWN_TREES = TREES | {"max_iter": 60, "max_leaf_nodes": 6, "max_features": 0.3}
INNER = 4
"""Folds over the sources of a fit, to learn how likely its best candidates are right."""
SHOWN = 0.5
"""The share of the answerable questions at which precision is compared."""


def main() -> int:
    """Print the tables; with ``--write`` also write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training.score.fit")
    parser.add_argument("collected", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--ablate", action="store_true")
    given = parser.parse_args()
    asked = [json.loads(line) for file in given.collected for line in file.open(encoding="utf-8")]
    if given.ablate:
        for line in ablations(asked):
            print(line, flush=True)
        return 0
    best, fitted = out_of_fold(asked, fit), fit(taught(asked))
    for line in [*report(calibrated(best), told(asked)), *sets(asked, fitted)]:
        print(line)
    if given.write:
        path = Path(score.__file__).with_name("score.json")
        scale, shift = (round(one, 5) for one in calibration(best))
        shown = (fitted.shown or fitted.rank) | {"scale": scale, "shift": shift}
        weights = {"told": regression(asked), "rank": fitted.rank, "shown": shown}
        path.write_text(json.dumps(weights, separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


@dataclass(frozen=True, eq=False)
class Score:
    """What chooses a candidate, and what says how likely that is right."""

    rank: Fitted
    shown: Fitted | None = None

    @cached_property
    def ranking(self) -> Trees:
        """What chooses, ready for rows."""
        return Trees(self.rank["bias"], self.rank["trees"])

    @cached_property
    def surety(self) -> Trees | None:
        """What says how likely that is right, ready for rows."""
        return Trees(self.shown["bias"], self.shown["trees"]) if self.shown else None

    def chosen(self, asked: Question) -> Chosen:
        """The best candidate of a question, and its log odds."""
        if not asked["candidates"]:
            return asked, None, -score.LIMIT
        at, row = best_of(self.ranking, asked)
        logit = float(self.surety.sums(row[None])[0]) if self.surety else float(row[0])
        return asked, asked["candidates"][at], logit


def best_of(rank: Trees, asked: Question) -> tuple[int, Floats]:
    """The number of a question's best candidate, and what says whether it is right."""
    rows = rows_of(asked)
    logits = rank.sums(rows)
    return int(logits.argmax()), score.as_shown(
        rows, logits, [c["text"] for c in asked["candidates"]]
    )


def rows_of(asked: Question) -> Floats:
    """The features of a question's candidates (n, features)."""
    return np.array([one["row"] for one in asked["candidates"]])


def taught(asked: Sequence[Question]) -> list[Question]:
    """The questions to fit on."""
    return [one for one in asked if one["field"] != "cases"]


def measured(asked: Sequence[Question]) -> list[Question]:
    """The questions over folders that figures are of: not those that the reader was taught."""
    return [one for one in asked if one["field"] not in ("cases", "pairs")]


def folds(
    asked: Sequence[Question], count: int = FOLDS, salt: str = ""
) -> Iterator[tuple[list[Question], list[Question]]]:
    """The questions in two parts, by source: those to fit on and those left out, in turns."""
    known = [one for one in taught(asked) if one["candidates"] or not salt]
    fold_of = [zlib.crc32((salt + one["source"]).encode()) % count for one in known]
    for fold in range(count):
        yield (
            [one for one, at in zip(known, fold_of, strict=True) if at != fold],
            [one for one, at in zip(known, fold_of, strict=True) if at == fold],
        )


def out_of_fold(
    asked: Sequence[Question], fitted: Callable[[Sequence[Question]], Score]
) -> list[Chosen]:
    """The best candidate of every question, by a score that has not seen its source."""
    found: list[Chosen] = []
    for rest, held in folds(asked):
        own = fitted(rest)
        found += [own.chosen(one) for one in held]
    return found


def fit(asked: Sequence[Question]) -> Score:
    """A score fitted on questions: what says how likely the best is right learns from what trees
    choose that have not seen the source."""
    rows, right = [], []
    for rest, held in folds(asked, INNER, "inner"):
        score_of_rest = Score(ranking(rest))
        for one in measured(held):
            at, row = best_of(score_of_rest.ranking, one)
            rows.append(row)
            right.append(one["candidates"][at]["right"])
    return Score(ranking(asked), grown(np.array(rows), right, SHOWN_TREES))


def ranking(asked: Sequence[Question]) -> Fitted:
    """Trees fitted on all candidates."""
    some = [one for one in asked if one["candidates"]]
    rows = np.concatenate([rows_of(one) for one in some])
    return grown(rows, [c["right"] for one in some for c in one["candidates"]], TREES)


def calibration(best: Sequence[Chosen]) -> tuple[float, float]:
    """Scale and shift by which log odds are right for the best of several candidates, on left-out
    sources; without them they are too high."""
    picked = [(one, logit) for asked, one, logit in best if one and measured([asked])]
    model = LogisticRegression(C=1e3)
    model.fit([[logit] for _, logit in picked], [one["right"] for one, _ in picked])
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def calibrated(best: Sequence[Chosen]) -> list[Chosen]:
    """Probabilities instead of log odds, by the questions of other folds."""
    found: list[Chosen] = []
    fold_of = [zlib.crc32(asked["source"].encode()) % FOLDS for asked, *_ in best]
    for fold in range(FOLDS):
        scale, shift = calibration(
            [one for one, at in zip(best, fold_of, strict=True) if at != fold]
        )
        held = [one for one, at in zip(best, fold_of, strict=True) if at == fold]
        found += [(asked, one, _probability(scale * logit + shift)) for asked, one, logit in held]
    return found


def _probability(logit: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(logit, -60, 60))))


def tells(asked: Question) -> bool:
    """Whether the passages that were found tell what was asked."""
    return bool(asked["kind"] != "none" and asked["rank"] >= 0)


def regression(asked: Sequence[Question]) -> dict[str, Any]:
    """Whether the passages tell it: a logistic regression over standardised features, as weights
    for the features themselves."""
    first = [one for one in measured(asked) if one["candidates"]]
    x = np.array([one["candidates"][0]["row"][: score.ASKED] for one in first])
    middle, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    model = LogisticRegression(C=RIDGE, max_iter=1000)
    model.fit((x - middle) / spread, [tells(one) for one in first])
    weights = model.coef_[0] / spread
    bias = float(model.intercept_[0] - weights @ middle)
    return {"bias": round(bias, 5), "weights": [round(float(w), 5) for w in weights]}


def told(asked: Sequence[Question]) -> list[tuple[bool, float]]:
    """Whether the passages tell each question, and how likely that was said to be."""
    found: list[tuple[bool, float]] = []
    for rest, held in folds(asked):
        fitted = regression(rest)
        found += [(tells(one), _told(fitted, one)) for one in measured(held) if one["candidates"]]
    return found


def _told(fitted: dict[str, Any], asked: Question) -> float:
    logit = np.dot(fitted["weights"], asked["candidates"][0]["row"][: score.ASKED]) + fitted["bias"]
    return _probability(float(logit))


Judged = tuple[Question, bool, float]
"""A question, whether its best candidate is right, and how sure that was."""


def judged(best: Sequence[Chosen]) -> list[Judged]:
    """The questions that figures are of."""
    return [(q, bool(one and one["right"]), sure) for q, one, sure in best if measured([q])]


def report(best: Sequence[Chosen], tells: Sequence[tuple[bool, float]]) -> Iterable[str]:
    """Tables: how right the best is by kind, what a threshold shows, how honest it is."""
    rows = judged(best)
    yield f"{len(rows)} questions over {len({one['source'] for one, *_ in rows})} sources"
    able = [(right, sure) for one, right, sure in rows if one["kind"] != "none"]
    unable = [sure for one, _, sure in rows if one["kind"] == "none"]
    yield "kind: questions, right by the best candidate"
    kinds: dict[str, list[bool]] = defaultdict(list)
    for one, right, _ in rows:
        kinds[one["qkind"]].append(right)
    for kind, found in sorted(kinds.items()):
        yield f"  {kind:12s}{len(found):6d}{np.mean(found):7.3f}"
    yield f"told: AUC {auc([int(a) for a, _ in tells], [b for _, b in tells]):.3f}"
    yield f"right against wrong: AUC {auc([int(r) for _, r, _ in rows], [s for *_, s in rows]):.3f}"
    yield "shown from | precision | coverage | right of answerable | unanswerable shown"
    for least in np.arange(0.1, 0.95, 0.05):
        shown = [right for _, right, sure in rows if sure >= least]
        answered = [right for right, sure in able if sure >= least]
        yield (
            f"  {least:.2f} | {np.mean(shown or [False]):.3f} | {len(answered) / len(able):.3f}"
            f" | {sum(answered) / len(able):.3f}"
            f" | {np.mean([sure >= least for sure in unable] or [False]):.3f}"
        )
    yield f"expected calibration error: {calibration_error([(r, s) for _, r, s in rows]):.3f}"


def calibration_error(pairs: Sequence[tuple[bool, float]], bins: int = 10) -> float:
    """The mean distance of probability and share of right ones, over bins of equal width."""
    right = np.array([r for r, _ in pairs], np.float64)
    sure = np.array([s for _, s in pairs])
    at = np.minimum((sure * bins).astype(int), bins - 1)
    return float(
        sum(
            (at == one).mean() * abs(right[at == one].mean() - sure[at == one].mean())
            for one in range(bins)
            if (at == one).any()
        )
    )


def sets(asked: Sequence[Question], fitted: Score) -> Iterator[str]:
    """The F1 of the best candidate on sets that are never in the fit."""
    found: dict[str, list[float]] = defaultdict(list)
    for one in asked:
        if one["field"] == "cases" and one["kind"] != "none":
            best = fitted.chosen(one)[1]
            found[one["source"]].append(best["f1"] if best else 0.0)
    for name, values in sorted(found.items()):
        yield f"{name}: {len(values)} questions, F1 {np.mean(values):.3f}"


GROUPS = {
    "spans beside": ("alone", "sharp", "lead"),
    "names and identifiers": ("asked.named", "asked.missed", "asked.marked", "unmarked"),
    "cosine and words": ("asked.closest", "asked.covered", "near", "covers"),
    "steps": ("stepped", "step"),
    "rank": ("rank", "digest"),
}
FINDERS = {"yes or no": (1,), "comparisons": (4, 5, 6, 7, 8)}


def ablations(asked: Sequence[Question]) -> Iterator[str]:
    """What is lost without each group of numbers and each finder."""
    yield f"without | right | AUC | precision, unanswerable shown at {SHOWN:.0%} | other sets, F1"
    yield _ablated("nothing", asked)
    for name, numbers in GROUPS.items():
        out = [score.NAMES.index(one) for one in numbers]
        yield _ablated(name, [_kept(one, out, ()) for one in asked])
    for name, kinds in FINDERS.items():
        yield _ablated(name, [_kept(one, (), kinds) for one in asked])
    steps = [_kept(one, (), (), stepped=False) for one in asked]
    yield _ablated("answers in steps", steps)


def _kept(
    asked: Question, numbers: Sequence[int], kinds: Collection[float], stepped: bool = True
) -> Question:
    """A question without some numbers (they are 0) and some candidates."""
    kind, steps = score.NAMES.index("kind"), score.NAMES.index("stepped")
    kept = [
        one | {"row": [0.0 if at in numbers else value for at, value in enumerate(one["row"])]}
        for one in asked["candidates"]
        if one["row"][kind] not in kinds and (stepped or not one["row"][steps])
    ]
    return asked | {"candidates": kept}


def _ablated(name: str, asked: Sequence[Question]) -> str:
    """By the trees that choose alone: a tenth of the time."""
    rows = judged(out_of_fold(asked, lambda some: Score(ranking(some))))
    able = [sure for one, _, sure in rows if one["kind"] != "none"]
    least = float(np.quantile(able, 1 - SHOWN))
    precision = np.mean([right for _, right, sure in rows if sure >= least])
    unable = np.mean([sure >= least for one, _, sure in rows if one["kind"] == "none"])
    best = sum(right for _, right, _ in rows) / len(able)
    rank = auc([int(right) for _, right, _ in rows], [sure for *_, sure in rows])
    fitted = Score(ranking(taught(asked)))
    figures = f"{best:.3f} | {rank:.3f} | {precision:.3f}, {unable:.3f}"
    return " | ".join([name, figures, *(line.rpartition(" ")[2] for line in sets(asked, fitted))])


if __name__ == "__main__":
    raise SystemExit(main())
