"""Fits the weights of ``ragcli.retrieve.compare`` and says what they are worth.

``python -m training.ranking.fit COLLECTED.jsonl ... [--write]``

Every figure is of questions whose source was left out of the fit. The weights that are written are
fitted on all.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ragcli.evaluate.bootstrap import intervals
from ragcli.models.trees import Node, Trees
from ragcli.retrieve import compare
from ragcli.retrieve.passage_features import FEATURES, mixed
from training.trees import grown

Floats = NDArray[np.float64]

FOLDS = 3
TREES = {
    "max_iter": 120,
    "learning_rate": 0.08,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 40,
    "l2_regularization": 1.0,
    "random_state": 0,
}
RISING = frozenset(
    "walked words cosine cosine_below step_cosine step_below step_words marks held above close"
    " pairs follows adds linked".split()
)
"""Features of which more never makes a passage less likely; of ranks, more never makes it likelier.
What a few hundred questions say against that is chance."""
FALLING = frozenset("walk_rank words_rank cosine_rank".split())
RIDGE = 3e-3
TREE_SHARE = 0.35
"""What the trees count beside the sum: whole, they learn how questions over two documents look, and
find less for questions over more."""
SEVERAL = 2.0
"""What all questions that several documents answer weigh, relative to those over folders."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its source, rows of features (n, columns), what is right (n,), documents (n,)."""

    source: str
    several: bool
    rows: Floats
    right: NDArray[np.bool_]
    documents: Sequence[str]

    def figures(self, scores: Floats) -> list[float]:
        """Recall among the first two and five documents that are in sight, and all among eight; or
        whether a right passage is first, among three, among five."""
        order = np.argsort(-scores, kind="stable")
        if not self.several:
            best = int(np.argmax(self.right[order])) if self.right.any() else len(order)
            return [float(best < k) for k in (1, 3, 5)]
        found = list(dict.fromkeys(self.documents[at] for at in order.tolist()))
        wanted = {self.documents[at] for at in np.flatnonzero(self.right).tolist()}
        shares = [len(wanted.intersection(found[:k])) / max(len(wanted), 1) for k in (2, 5, 8)]
        return [*shares[:2], float(shares[2] == 1)]


class Fitted:
    """A weighted sum and trees, fitted on questions."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        """Fit both; each is to rank by itself, and they are added."""
        useful = [one for one in asked if one.right.any() and not one.right.all()]
        each = np.array([_weight(one, useful) for one in useful])
        weights = weighed([mixed(one.rows) for one in useful], [one.right for one in useful], each)
        self.data: dict[str, Any] = {"weights": [round(float(w), 5) for w in weights]}
        signs = [(name in RISING) - (name in FALLING) for name in FEATURES]
        rows = np.concatenate([one.rows for one in useful])
        right = np.concatenate([one.right for one in useful]).tolist()
        per_row = np.repeat(each, [len(one.rows) for one in useful])
        settings = TREES | {"monotonic_cst": signs}
        trees = grown(rows, right, settings, per_row / per_row.mean())["trees"]
        self.data |= {"bias": 0.0, "trees": [_scaled(tree, TREE_SHARE) for tree in trees]}
        self._trees = Trees(self.data["bias"], self.data["trees"])

    def scores(self, rows: Floats) -> Floats:
        """The score of each passage, (n,)."""
        return np.asarray(mixed(rows) @ np.array(self.data["weights"]) + self._trees.sums(rows))


def main() -> int:
    """Print the tables; with ``--write`` also write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking.fit")
    parser.add_argument("collected", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    asked = [read(line) for file in given.collected for line in file.open(encoding="utf-8")]
    if given.write:
        path = Path(compare.__file__).with_name("ranking.json")
        text = json.dumps(Fitted(asked).data, separators=(",", ":"))
        path.write_text(text + "\n", encoding="utf-8")
    for line in report(asked):
        print(line, flush=True)
    return 0


def read(line: str) -> Asked:
    """A question that ``collect`` wrote."""
    x = json.loads(line)
    rows, right = np.array(x["rows"], np.float64), np.array(x["right"], bool)
    return Asked(x["source"], x["several"], rows, right, x["documents"])


def weighed(
    rows: Sequence[Floats], right: Sequence[NDArray[np.bool_]], each: Floats
) -> NDArray[np.float64]:
    """Weights of features, by which each right passage comes before the wrong ones of its question:
    the least cross entropy of a softmax over it and these, with a penalty on standardised weights.
    """
    spread = np.concatenate(rows).std(axis=0) + 1e-6
    groups = [
        (np.vstack([one, some[~sure]]) / spread, worth / sure.sum())
        for some, sure, worth in zip(rows, right, each, strict=True)
        for one in some[sure]
    ]
    flat = np.concatenate([group for group, _ in groups])
    sizes = np.array([len(group) for group, _ in groups])
    starts, of = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
    worth = np.array([one for _, one in groups])
    worth /= worth.sum()

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = flat @ weights
        most = np.maximum.reduceat(scores, starts)
        shares = np.exp(scores - most[of])
        total = np.add.reduceat(shares, starts)
        value = -float(worth @ (scores[starts] - most - np.log(total)))
        wrong = shares / total[of]
        wrong[starts] -= 1
        slope = flat.T @ (wrong * worth[of])
        return value + RIDGE * float(weights @ weights), slope + 2 * RIDGE * weights

    found = minimize(loss, np.zeros(flat.shape[1]), jac=True, method="L-BFGS-B")
    return np.asarray(found.x / spread)


def folds(asked: Sequence[Asked]) -> Iterator[tuple[list[Asked], list[Asked]]]:
    """The questions in two parts, by source: those to fit on and those left out, in turns."""
    parts: list[list[Asked]] = [[] for _ in range(FOLDS)]
    for one in asked:
        parts[zlib.crc32(one.source.encode()) % FOLDS].append(one)
    for held in parts:
        yield [one for part in parts if part is not held for one in part], held


def report(asked: Sequence[Asked]) -> Iterable[str]:
    """Figures of both kinds of questions, by the walk alone and now, with the difference."""
    found: dict[bool, list[tuple[list[float], list[float]]]] = {True: [], False: []}
    for rest, held in folds(asked):
        fitted = Fitted(rest)
        for one in held:
            walked = one.figures(one.rows[:, FEATURES.index("walked")])
            found[one.several].append((walked, one.figures(fitted.scores(one.rows))))
    names = {True: "recall@2, recall@5, perfect@8", False: "first, among 3, among 5"}
    for several, pairs in found.items():
        if pairs:
            before, now = np.array(pairs).transpose(1, 0, 2)
            yield f"{len(pairs)} questions: {names[several]}"
            yield f"  walk {_listed(before.mean(axis=0))}, now {_listed(now.mean(axis=0))}"
            bounds = intervals(now - before)
            yield f"  difference {'; '.join(f'{a:+.3f} to {b:+.3f}' for a, b in bounds)}"


def _scaled(tree: Sequence[Node], share: float) -> list[Node]:
    """The tree with a share of what its leaves add."""
    return [node if len(node) > 1 else [round(share * node[0], 5)] for node in tree]


def _listed(values: Floats) -> str:
    return " ".join(f"{value:.3f}" for value in values)


def _weight(one: Asked, asked: Sequence[Asked]) -> float:
    return (SEVERAL if one.several else 1.0) / sum(x.several == one.several for x in asked)


if __name__ == "__main__":
    raise SystemExit(main())
