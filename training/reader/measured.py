"""Compare weights on parts of the development files, the same questions for all of them.

``python -m training.reader.measured --outcomes FILE NAME=WEIGHTS ...`` measures each and prints a
table. The outcomes of every question are kept in FILE; names that are already there are only shown.

A question is read with its gold passage, and again between that and up to two likely passages
without the answer (the example's own others, or of its source). Reading is the shipped inference.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.evaluate.text_metrics import exact_match, token_f1
from ragcli.models.locate import embedder_folder
from ragcli.models.reader import Reader, rank
from training.reader.data import Example, Pool, find_data, load
from training.reader.evaluate import auc, claims, pairs, sample
from training.reader.windows import Maker

SOURCES = ("squadshifts_newwiki", "nq", "hotpotqa_samples", "fairytaleqa", "timeqa")
OTHERS = 2
"""Likely passages without the answer that a question is also read between."""

Outcomes = dict[str, Any]
"""Of one file of weights: ``sources`` holds for each source ``em``, ``f1``, ``em_between`` and
``f1_between`` of every question in percent and ``auc``; ``claims_auc`` stands beside them."""


def main() -> int:
    """Measure what is new, print the table of what is named."""
    parser = argparse.ArgumentParser(prog="python -m training.reader.measured")
    parser.add_argument("weights", nargs="+", help="NAME=FILE; the first is compared with")
    parser.add_argument("--outcomes", type=Path, required=True, help="JSON, made or added to")
    parser.add_argument("--sample", type=int, default=200, help="questions of a source at most")
    given = parser.parse_args()
    data = find_data()
    if data is None:
        return 2
    kept = json.loads(given.outcomes.read_text()) if given.outcomes.is_file() else {}
    names = []
    for entry in given.weights:
        name, _, file = entry.partition("=")
        names.append(name)
        if name not in kept:
            reader = Reader(embedder_folder(), Path(file))
            kept[name] = measure(reader, data, given.sample)
            given.outcomes.write_text(json.dumps(kept) + "\n")
    print("\n".join(table({name: kept[name] for name in names})))
    return 0


def measure(reader: Reader, data: Path, size: int) -> Outcomes:
    """What the weights do with ``size`` questions of each source at most."""
    found: Outcomes = {"sources": {}}
    for source in SOURCES:
        examples = [e for e in load(data, source, "dev") if e.kind in ("span", "multi")]
        examples = sample([e for e in examples if any(p.answers for p in e.passages)], size)
        if examples:
            found["sources"][source] = outcomes(reader, examples)
    judged = claims(reader, data, size // 2)
    found["claims_auc"] = judged["all"]["auc"]
    return found


def outcomes(reader: Reader, examples: Sequence[Example]) -> dict[str, Any]:
    """Scores of every question, and the AUC of "answered" between gold and other passages."""
    maker = Maker(embedder_folder(), Pool(list(examples)))
    names = ("em", "f1", "em_between", "f1_between")
    found: dict[str, Any] = {name: [] for name in names}
    labels: list[int] = []
    logits: list[float] = []
    for number, example in enumerate(examples):
        gold = [p for p in example.passages if p.answers]
        own = [p for p in example.passages if not p.answers]
        rng = np.random.default_rng([5, number])
        others = maker.negatives(example, own, OTHERS, rng)
        readings = reader.read(example.question, pairs([*gold, *others]))
        texts = [p.text for p in (*gold, *others)]
        alone = [r for r in readings if r.passage < len(gold)]
        scores = []
        for read in (alone, readings):
            spans = rank(read, texts).spans
            text = spans[0].text if spans else ""
            scores += [exact_match(text, example.answers), token_f1(text, example.answers)]
        for name, score in zip(names, scores, strict=True):
            found[name].append(round(100 * float(score), 2))
        for passage in (0, *range(len(gold), len(texts))):
            mine = [r.answered for r in readings if r.passage == passage]
            if mine:
                labels.append(int(passage == 0))
                logits.append(max(mine))
    return found | {"auc": round(auc(labels, logits), 4)}


def table(found: dict[str, Outcomes]) -> list[str]:
    """Lines of Markdown: a row for each name, its means over the sources, and by how much its mean
    F1 is above the first one's, with the standard error of that difference over questions."""
    first = next(iter(found.values()))
    sources = list(first["sources"])
    short = " | ".join(source.removeprefix("squadshifts_") for source in sources)
    counts = " | ".join(str(len(first["sources"][source]["f1"])) for source in sources)
    head = "mean EM | mean F1 | above the first | F1 between | AUC answered | AUC claims"
    lines = [f"| F1 | {short} | {head} |", "|---" * (len(sources) + 7) + "|"]
    lines.append(f"| questions | {counts} |" + " |" * 6)
    for name, one in found.items():
        rows = [one["sources"][source] for source in sources]
        each = " | ".join(f"{np.mean(row['f1']):.1f}" for row in rows)
        em, f1, between = (
            float(np.mean([np.mean(row[kind]) for row in rows]))
            for kind in ("em", "f1", "f1_between")
        )
        told = float(np.mean([row["auc"] for row in rows]))
        gain, error = above(
            [np.array(row["f1"]) for row in rows],
            [np.array(first["sources"][source]["f1"]) for source in sources],
        )
        lines.append(
            f"| {name} | {each} | {em:.1f} | {f1:.1f} | {gain:+.1f} ± {error:.1f} | {between:.1f}"
            f" | {told:.3f} | {one['claims_auc']:.3f} |"
        )
    return lines


def above(
    ours: Sequence[NDArray[np.float64]], theirs: Sequence[NDArray[np.float64]]
) -> tuple[float, float]:
    """Mean over sources of the mean paired difference, and its standard error over questions."""
    differences = [one - other for one, other in zip(ours, theirs, strict=True)]
    mean = float(np.mean([d.mean() for d in differences]))
    variance = sum(d.var(ddof=1) / len(d) for d in differences if len(d) > 1)
    return mean, float(np.sqrt(variance)) / len(differences)


if __name__ == "__main__":
    raise SystemExit(main())
