"""Groups of the third stage: a question over as many windows as ``ask`` reads.

Clark and Gardner 2018, https://arxiv.org/abs/1710.10723: an answer competes with every span of all
the windows of its question, so scores of windows that were read apart compare. ``ask`` reads up to
ten; four to eight are normalised together here, most of them short. The windows without the answer
are what a search brings for the question, and for the question with names from the passage that
answers it, as a walk over a graph does; each is cut around its sentences most about the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from training.reader.contrast import altered, parts, without_answer
from training.reader.data import Example, Passage, words
from training.reader.later import LaterMaker, cropped, digest, without
from training.reader.phrases import names
from training.reader.windows import Group, rephrase, shuffled

WINDOWS = (3, 8)
"""Fewest and most windows of a question, without the digest."""
ROOMS = (48, 64, 96, 128)
"""Tokens of a window without the answer."""
GOLD_ROOMS = (96, 160, 224, 288)
ANSWERED = 0.66
"""Share of the questions whose answer is in their windows."""
DIGESTED = 0.7
"""Share of the questions that have the digest as well."""
LOST = ("sentence", "sentence", "passage", "altered")
"""What becomes of the passage with the answer in the others, drawn evenly: it loses the sentences
with the answer, is left out, or stays beside an altered question."""


class WideMaker(LaterMaker):
    """Makes the third stage's groups."""

    def asked(self, example: Example, rng: np.random.Generator) -> Group:
        """Windows as ``ask`` reads them, mostly with the one that answers."""
        question = rephrase(example.question, rng)
        holding = shuffled([p for p in example.passages if p.answers], rng)[:2]
        room = int(rng.choice(GOLD_ROOMS))
        gold = [cropped(p, room, rng, self) for p in holding]
        others = self._others(example, gold, rng)
        if rng.random() >= ANSWERED:
            question, gold = self._lost(question, example, gold, others, rng)
        read = gold[:1] + others
        if len(gold) > 1 and rng.random() < 0.5:
            read.insert(1, gold[1])
        cut = [
            p if p.answers else self._about(question, p, int(rng.choice(ROOMS)), rng) for p in read
        ]
        if rng.random() < DIGESTED:
            cut.append(digest(question, [*gold, *others], self, rng))
        windows = []
        for passage in shuffled([p for p in cut if len(p.text) > 20], rng):
            if rng.random() < 0.1:
                passage = replace(passage, title="")
            window = self.window(question, passage, 288, rng)
            windows.append(replace(window, answered=int(bool(window.answers)), yesno=2))
        holds = any(window.answers for window in windows)
        return Group(tuple(windows), example.kind if holds else "none")

    def _others(
        self, example: Example, gold: Sequence[Passage], rng: np.random.Generator
    ) -> list[Passage]:
        """Passages without the answer: those that the question also needs first, then the
        example's own, what a search brings, and what lies a step further."""
        own = without(example)
        facts = [example.passages[i] for i in example.supporting if i < len(example.passages)]
        first = [p for p in facts if p in own]
        near = self.nearest(example)
        further = self._step(example, gold)
        count = int(rng.integers(WINDOWS[0], WINDOWS[1])) - 1
        rest = shuffled([p for p in own if p not in first], rng)[: 1 + count // 2]
        found = first + rest
        while len(found) < count and (near or further):
            pool = further if further and (not near or rng.random() < 0.3) else near
            found.append(pool.pop(min(len(pool) - 1, int(rng.geometric(0.5)) - 1)))
        return list({p.text: p for p in found}.values())[: max(1, count)]

    def _step(self, example: Example, gold: Sequence[Passage]) -> list[Passage]:
        """What a search brings for the question with the names in the passage that answers it."""
        if not gold:
            return []
        found = [name for a, b in parts(gold[0].text)[:4] for name in names(gold[0].text[a:b])]
        asked = f"{gold[0].title} {' '.join(found[:6])}"
        return self.nearest(replace(example, question=asked))[:4]

    def _lost(
        self,
        question: str,
        example: Example,
        gold: Sequence[Passage],
        others: Sequence[Passage],
        rng: np.random.Generator,
    ) -> tuple[str, list[Passage]]:
        """A question that the windows leave unanswered, and what is left of ``gold``."""
        how = LOST[int(rng.integers(len(LOST)))]
        if how == "altered" and gold:
            other = altered(question, gold[0], [p.text for p in others[:2]], rng)
            if other is not None:
                return other, [replace(p, answers=()) for p in gold[:1]]
            how = "sentence"
        rest = [without_answer(p, example.answers) for p in gold] if how == "sentence" else []
        return question, [p for p in rest if p is not None]

    def _about(
        self, question: str, passage: Passage, budget: int, rng: np.random.Generator
    ) -> Passage:
        """The passage cut around its sentence most about the question."""
        if len(passage.text) <= 4 * budget:
            return passage
        asked = words(question)
        spans = parts(passage.text)
        scores = [
            self.pool.likeness(asked, Passage("", passage.text[a:b])) / (20 + b - a) ** 0.3
            for a, b in spans
        ]
        best = spans[int(np.argmax(scores))]
        part = cropped(replace(passage, answers=(best,)), budget, rng, self)
        return replace(part, answers=())


def tightened(example: Example) -> Example:
    """The example with the shortest of answers that overlap, and those a word longer at most."""
    if example.kind != "span":
        return example
    made = []
    for passage in example.passages:
        kept = []
        for start, end in passage.answers:
            least = min(
                len(passage.text[a:b].split()) for a, b in passage.answers if a < end and start < b
            )
            if len(passage.text[start:end].split()) <= least + 1:
                kept.append((start, end))
        made.append(replace(passage, answers=tuple(kept)))
    return replace(example, passages=tuple(made))


def shortest(example: Example) -> int:
    """Words of the shortest answer; 0 without one."""
    lengths = [len(p.text[a:b].split()) for p in example.passages for a, b in p.answers]
    return min(lengths, default=0)
