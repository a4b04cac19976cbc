"""What a reader makes of questions over real folders, each with the passages it was written over.

``python -m training.reader.own [--weights FILE] [--part dev]``

Printed by kind and field: EM and F1 of the best span (of lists, of the best item). Then how well
"answered" tells answerable questions from those close by that the passage does not answer; the same
with a passage of another source for both, which the wording alone can tell (0.5 where it tells
nothing); and yes, no or not told.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ragcli.evaluate.text_metrics import exact_match, token_f1
from ragcli.models.locate import embedder_folder
from ragcli.models.reader import WEIGHTS, Reader, rank
from training.reader.data import Example, example_of
from training.reader.evaluate import auc, pairs
from training.reader.windows import POLAR
from training.score.folder import Row, rows


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m training.reader.own")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--part", default="dev")
    given = parser.parse_args()
    for line in tables(Reader(embedder_folder(), given.weights), rows(given.part)):
        print(line, flush=True)
    return 0


def tables(reader: Reader, asked: Sequence[Row]) -> Iterator[str]:
    """Lines of text."""
    found = [(row, example_of(row)) for row in asked]
    scores: dict[str, list[tuple[float, float]]] = defaultdict(list)
    own: list[tuple[bool, float]] = []
    foreign: list[tuple[bool, float]] = []
    verdicts: list[tuple[str, str]] = []
    rng = np.random.default_rng(7)
    for row, example in found:
        passages = pairs(example.passages)
        readings = reader.read(example.question, passages)
        if example.kind in ("span", "multi"):
            best = rank(readings, [text for _, text in passages]).spans
            text = best[0].text if best else ""
            score = exact_match(text, example.answers), token_f1(text, example.answers)
            for name in ("all", row["qkind"], row["field"]):
                scores[name].append(score)
        if example.kind == "yesno" or (example.kind == "none" and POLAR.match(example.question)):
            told = max(readings, key=lambda one: float(one.answered)).yesno
            verdicts.append((example.yesno or "neither", ("yes", "no", "neither")[told.argmax()]))
        own.append((example.kind != "none", max(one.answered for one in readings)))
        other = _foreign(example, [one for _, one in found], rng)
        away = reader.read(example.question, pairs(other.passages[:1]))
        foreign.append((example.kind != "none", max(one.answered for one in away)))
    yield f"{'':14s}{'n':>6s}{'EM':>7s}{'F1':>7s}"
    for name, some in sorted(scores.items()):
        em, f1 = 100 * np.mean(some, axis=0)
        yield f"{name:14s}{len(some):6d}{em:7.1f}{f1:7.1f}"
    for name, some_told in (("near misses", own), ("foreign passage", foreign)):
        labels, logits = zip(*some_told, strict=True)
        yield f"answered, {name}: AUC {auc(labels, logits):.3f}"
    right = np.mean([one == other for one, other in verdicts])
    yield f"yes, no or not told: {right:.3f} of {len(verdicts)}"


def _foreign(example: Example, others: Sequence[Example], rng: np.random.Generator) -> Example:
    """A question over another folder."""
    while True:
        other = others[int(rng.integers(len(others)))]
        if other.folder != example.folder:
            return other


if __name__ == "__main__":
    raise SystemExit(main())
