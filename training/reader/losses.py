"""What a batch of groups loses: spans normalised over a group's windows, and four labels.

Spans: Clark and Gardner 2018, "Simple and Effective Multi-Paragraph Reading Comprehension",
https://arxiv.org/abs/1710.10723, "shared norm". The start and end logits of all windows of a
question are normalised together; the [CLS] places of the windows stand for "no answer here".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from training.reader.model import Scores
from training.reader.windows import NOT_POLAR, UNTOLD, Group, Window

ANSWERED, YESNO, SUPPORT, WRONG = 0.6, 0.9, 2.4, 1.2
"""Weights of the labels' losses beside 1 for the spans of a group."""
MARGIN = 2.0
"""By how much a window with the answer, or of a true claim, should be above its twin without."""
POSITIVE = 4.0
"""Weight of a claim's wrong tokens beside its others: they are few."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Windows of some groups end to end: (T,) arrays, and the windows' lengths."""

    groups: Sequence[Group]
    ids: Tensor
    places: Tensor
    types: Tensor
    lengths: list[int]

    @property
    def windows(self) -> list[Window]:
        return [window for group in self.groups for window in group.windows]

    @staticmethod
    def of(groups: Sequence[Group], device: str = "cpu") -> Batch:
        windows = [window for group in groups for window in group.windows]
        lengths = [len(window.ids) for window in windows]
        ids = np.concatenate([window.ids for window in windows])
        places = np.concatenate([np.arange(n) for n in lengths])
        types = np.concatenate([np.arange(len(w.ids)) >= w.types_from for w in windows]).astype(
            np.int64
        )
        arrays = (torch.from_numpy(a).to(device) for a in (ids, places, types))
        return Batch(groups, *arrays, lengths)


def loss(
    scores: Scores, batch: Batch, pairs: float = 0.0, shared: bool = True
) -> tuple[Tensor, dict[str, float]]:
    """The loss of a batch, a scalar, and its parts as numbers.

    ``pairs`` weighs how twins compare: the windows of groups made from one example. ``shared``
    normalises spans over the windows of a group, and otherwise in each window by itself.
    """
    bounds = list(pairwise([0, *accumulate(batch.lengths)]))
    left = iter(bounds)
    own = [(group, list(islice(left, len(group.windows)))) for group in batch.groups]
    of_spans = span_loss if shared else apart_loss
    spans = [of_spans(scores.span, group, places) for group, places in own if group.spans]
    placed = zip(bounds, batch.windows, strict=True)
    wrong = [(start, window) for (start, _), window in placed if window.wrong is not None]
    answered, yesno, support = (_labelled(batch, kind) for kind in ("answered", "yesno", "support"))
    parts = {}
    if spans:
        parts["span"] = torch.stack(spans).mean()
    if answered:
        parts["answered"] = ANSWERED * _binary(scores.answered, answered)
    if yesno:
        rows, labels = zip(*yesno, strict=True)
        label = torch.tensor(labels, device=scores.yesno.device)
        weight = torch.where(label == NOT_POLAR, 0.05, 1.0)
        found = F.cross_entropy(scores.yesno[list(rows)], label.clamp(max=UNTOLD), reduction="none")
        parts["yesno"] = YESNO * (weight * found).mean()
    if support:
        share = len(support) / len(batch.groups)
        parts["support"] = SUPPORT * share * _binary(scores.support, support)
        if wrong:
            parts["wrong"] = WRONG * share * wrong_loss(scores.wrong, wrong)
    if pairs:
        for kind, logits in (("answered", scores.answered), ("support", scores.support)):
            twins = _twins(batch, kind)
            if twins:
                share = len(twins) / len(batch.groups)
                parts[f"{kind}_pairs"] = pairs * share * pair_loss(logits, twins)
    total = torch.stack(list(parts.values())).sum()
    return total, {name: float(part.detach()) for name, part in parts.items()}


def _labelled(batch: Batch, kind: str) -> list[tuple[int, int]]:
    """The windows, by number, that have a label of this kind, and their labels."""
    labels = ((number, getattr(window, kind)) for number, window in enumerate(batch.windows))
    return [(number, label) for number, label in labels if label >= 0]


def _twins(batch: Batch, kind: str) -> list[tuple[int, int]]:
    """Numbers of windows that have the label and that have not, of the same example."""
    made: dict[int, tuple[list[int], list[int]]] = {}
    number = 0
    for group in batch.groups:
        for window in group.windows:
            label = getattr(window, kind)
            if label >= 0:
                made.setdefault(group.example, ([], []))[1 - label].append(number)
            number += 1
    return [(one, two) for yes, no in made.values() for one in yes for two in no]


def pair_loss(logits: Tensor, twins: Sequence[tuple[int, int]]) -> Tensor:
    """How far the first of each pair is from ``MARGIN`` above the second, smoothly."""
    first, second = (list(rows) for rows in zip(*twins, strict=True))
    return F.softplus(MARGIN - (logits[first] - logits[second])).mean()


def _binary(logits: Tensor, pairs: Sequence[tuple[int, int]]) -> Tensor:
    rows, labels = zip(*pairs, strict=True)
    target = torch.tensor(labels, dtype=torch.float32, device=logits.device)
    return F.binary_cross_entropy_with_logits(logits[list(rows)], target)


def wrong_loss(logits: Tensor, claims: Sequence[tuple[int, Window]]) -> Tensor:
    """Which of a claim's tokens are wrong; a claim is the window's first row and the window."""
    rows, labels = [], []
    for start, window in claims:
        assert window.wrong is not None
        tokens = range(1, window.types_from - 1)
        rows += [start + at for at in tokens]
        labels += [float(at in window.wrong) for at in tokens]
    target = torch.tensor(labels, device=logits.device)
    weight = 1 + (POSITIVE - 1) * target
    return F.binary_cross_entropy_with_logits(logits[rows], target, weight)


def span_loss(span: Tensor, group: Group, bounds: Sequence[tuple[int, int]]) -> Tensor:
    """Minus the log-probability of the group's answers; ``span`` is (T, 2)."""
    rows = [
        row
        for window, (start, end) in zip(group.windows, bounds, strict=True)
        for row in (start, *range(start + window.first, end - 1))
    ]
    whole = torch.logsumexp(span[rows], dim=0).sum()
    if group.spans == "none":
        right = [(start, start) for start, _ in bounds]
    else:
        right = [
            (start + a, start + b)
            for window, (start, _) in zip(group.windows, bounds, strict=True)
            for a, b in window.answers
        ]
    starts, ends = zip(*right, strict=True)
    found = span[list(starts), 0] + span[list(ends), 1]
    joint = found.mean() if group.spans == "multi" else torch.logsumexp(found, dim=0)
    return whole - joint


def apart_loss(span: Tensor, group: Group, bounds: Sequence[tuple[int, int]]) -> Tensor:
    """The mean of the windows' own losses: each is normalised by itself, those without an answer
    towards "no answer here"."""
    alone = [
        Group((window,), group.spans if window.answers else "none") for window in group.windows
    ]
    found = [span_loss(span, one, [own]) for one, own in zip(alone, bounds, strict=True)]
    return torch.stack(found).mean()
