"""Measure the shipped weights, through the shipped inference, on the sources' own dev parts.

``python -m training.reader.evaluate [--sample 500] [--weights FILE]`` prints one line a source:
EM and F1 with the gold passage; whether windows with and without the answer are told apart; and
how claims are judged, by the way they were made.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ragcli.evaluate.text_metrics import exact_match, token_f1
from ragcli.models.locate import embedder_folder
from ragcli.models.reader import WEIGHTS, Reader, rank
from training.reader.claims import make_claims
from training.reader.data import SHARES, Example, Passage, Pool, find_data, load
from training.reader.windows import Maker, join

GOALS = (
    *("squadshifts_newwiki", "squadshifts_amazon", "squadshifts_reddit"),
    *("nq", "fairytaleqa", "hotpotqa_samples", "timeqa"),
)
"""Sources whose mean F1 the goal is set on."""
CLAIM_SOURCES = ("squadshifts_newwiki", "squadshifts_amazon", "fairytaleqa", "nq", "timeqa")


def main() -> int:
    """Print the tables, or write them as JSON."""
    parser = argparse.ArgumentParser(prog="python -m training.reader.evaluate")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--sample", type=int, default=500, help="examples of a source at most")
    parser.add_argument("--sources", nargs="*", default=list(SHARES))
    parser.add_argument("--claims", type=int, default=300, help="pairs a source")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    data = find_data()
    if data is None:
        return 2
    reader = Reader(embedder_folder(), given.weights)
    scores = evaluate(reader, data, given.sources, given.sample, given.claims)
    if given.json:
        given.json.write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")
    return 0


def evaluate(
    reader: Reader,
    data: Path,
    sources: Sequence[str] = tuple(SHARES),
    size: int = 500,
    pairs_of_claims: int = 300,
) -> dict[str, Any]:
    """All tables, printed as they are made; of each source ``size`` examples at most."""
    scores: dict[str, Any] = {"spans": {}, "yesno": {}, "answered": {}}
    for source in sources:
        examples = sample(load(data, source, "dev"), size)
        for part, measure in (("spans", spans), ("yesno", yesno), ("answered", answered)):
            found = measure(reader, examples)
            if found:
                scores[part][source] = found
                print(source, part, found, flush=True)
    goal = [source for source in GOALS if source in scores["spans"]]
    if goal:
        mean = float(np.mean([scores["spans"][source]["f1"] for source in goal]))
        scores |= {"goal": goal, "mean_f1": round(mean, 1)}
        print("mean F1 over the sources of the goal:", scores["mean_f1"])
    if pairs_of_claims:
        scores["claims"] = claims(reader, data, pairs_of_claims)
        for made, found in scores["claims"].items():
            print(made, found)
    return scores


def sample(examples: Sequence[Example], size: int) -> list[Example]:
    """At most ``size`` examples, by a hash of the question: the same ones every time."""
    order = sorted(examples, key=lambda e: zlib.crc32(e.question.encode()))
    return order[:size] if size else order


def pairs(passages: Iterable[Passage]) -> list[tuple[str, str]]:
    """Passages as the reader takes them."""
    return [(passage.title, passage.text) for passage in passages]


def spans(reader: Reader, examples: Sequence[Example]) -> dict[str, float]:
    """EM and F1 in percent of the best span of the passages that hold an answer; of lists, the
    best of their items counts."""
    rows = []
    for example in examples:
        gold = [p for p in example.passages if p.answers]
        if example.kind not in ("span", "multi") or not gold:
            continue
        read = pairs(gold)
        ranked = rank(reader.read(example.question, read), [text for _, text in read])
        text = ranked.spans[0].text if ranked.spans else ""
        rows.append((exact_match(text, example.answers), token_f1(text, example.answers)))
    if not rows:
        return {}
    em, f1 = 100 * np.mean(rows, axis=0)
    return {"n": len(rows), "em": round(float(em), 1), "f1": round(float(f1), 1)}


def yesno(reader: Reader, examples: Sequence[Example]) -> dict[str, float]:
    """Accuracy in percent beside that of always giving the commoner answer."""
    rows = []
    for example in examples:
        if example.kind == "yesno" and example.yesno in ("yes", "no"):
            facts = [example.passages[i] for i in example.supporting] or list(example.passages[:3])
            found = reader.answer(example.question, pairs([join(facts)]))
            rows.append(((found.yes > 0.5) == (example.yesno == "yes"), example.yesno == "yes"))
    if not rows:
        return {}
    right, yes = np.mean(rows, axis=0)
    return {
        "n": len(rows),
        "accuracy": round(100 * float(right), 1),
        "commoner": round(100 * float(max(yes, 1 - yes)), 1),
    }


def answered(reader: Reader, examples: Sequence[Example]) -> dict[str, float]:
    """AUC of the "answered" logit and of the best score above no answer's: windows with the
    answer against a likely passage without it (the example's own others, or of its source)."""
    pool = Pool(list(examples))
    maker = Maker(embedder_folder(), pool)
    rng = np.random.default_rng(5)
    labels, logits, leads = [], [], []
    for example in examples:
        gold = [p for p in example.passages if p.answers][:1]
        others = [p for p in example.passages if not p.answers]
        if example.kind == "yesno":
            continue
        wrong = others[:1] if example.kind == "none" else maker.negatives(example, others, 1, rng)
        for passage, label in [(p, 1) for p in gold] + [(p, 0) for p in wrong]:
            readings = reader.read(example.question, pairs([passage]))
            ranked = rank(readings, [passage.text])
            if ranked.spans:
                labels.append(label)
                logits.append(max(r.answered for r in readings))
                leads.append(ranked.spans[0].score - max(r.null for r in readings))
    if len(set(labels)) < 2:
        return {}
    return {
        "n": len(labels),
        "auc": round(auc(labels, logits), 3),
        "auc_span": round(auc(labels, leads), 3),
    }


def auc(labels: Sequence[int], scores: Sequence[float]) -> float:
    """Area under the ROC curve, ties counting half."""
    from scipy.stats import rankdata

    ranks, positive = rankdata(scores), np.array(labels) == 1
    count = int(positive.sum())
    above = ranks[positive].sum() - count * (count + 1) / 2
    return float(above / (count * (len(labels) - count)))


def claims(reader: Reader, data: Path, size: int) -> dict[str, dict[str, float]]:
    """Accuracy in percent by the way that claims were made, at a probability of 0.5."""
    right: dict[str, list[bool]] = defaultdict(list)
    labels, logits = [], []
    rng = np.random.default_rng(6)
    for source in CLAIM_SOURCES:
        examples = [e for e in sample(load(data, source, "dev"), size) if e.passages]
        pool = [p for e in examples for p in e.passages]
        for example in examples:
            passage = next((p for p in example.passages if p.answers), example.passages[0])
            near = [p for p in pool if p.title == passage.title and p.text != passage.text]
            choice = near if near and rng.random() < 0.7 else pool
            other = choice[int(rng.integers(len(choice)))]
            made = make_claims(passage, example.question, other, rng)
            if not made:
                continue
            found = reader.support([c.text for c in made], pairs([passage]))[:, 0]
            for claim, probability in zip(made, found.tolist(), strict=True):
                kind = f"{'true' if claim.holds else 'false'}: {claim.made}"
                right[kind].append((probability > 0.5) == claim.holds)
                labels.append(int(claim.holds))
                logits.append(probability)
    table = {
        kind: {"n": len(found), "accuracy": round(100 * float(np.mean(found)), 1)}
        for kind, found in sorted(right.items())
    }
    every = [one for found in right.values() for one in found]
    table["all"] = {
        "n": len(every),
        "accuracy": round(100 * float(np.mean(every)), 1),
        "auc": round(auc(labels, logits), 3),
    }
    return table


if __name__ == "__main__":
    raise SystemExit(main())
