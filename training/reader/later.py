"""Groups of the second stage: contrasts, and windows as ``ask`` makes them.

A planned example gives one or two groups. ``contrast``: a question with its passage, and the same
or nearly the same that has no answer. ``asked``: passages as a search brings them and a digest of
their best sentences in one window, as ``ragcli.answer.short`` reads them. ``claims``: also true and
false of one sentence, by whether the passage still holds it. ``question`` is as in the first stage,
with the passages without the answer from a search over the whole source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from training.reader.claims import Claim, stated, true_variant
from training.reader.contrast import altered, parts, without_answer, without_sentence
from training.reader.data import ASKED, Example, Passage, words
from training.reader.nearest import Nearest
from training.reader.phrases import sentences
from training.reader.windows import (
    CLAIM_BUDGETS,
    TITLE_TOKENS,
    UNTOLD,
    YESNO,
    Group,
    Maker,
    crop,
    join,
    labelled,
    rephrase,
    shuffled,
)

CONTRAST_BUDGETS, CONTRAST_SHARES = (96, 128, 176, 224, 288), (0.15, 0.2, 0.25, 0.2, 0.2)
DIGEST_CHARS = 1100
"""As in ``ragcli.answer.short``."""
FOUND = 10
"""Passages looked at for one question."""
REMOVED = 0.2
"""Share of claims that are false because the passage lost their sentence."""


class LaterMaker(Maker):
    """Makes the second stage's groups; searches each source by BM25, and remembers nothing."""

    @cached_property
    def _indexes(self) -> dict[str, Nearest]:
        return {}

    def nearest(self, example: Example) -> list[Passage]:
        """Passages of the source that a search brings for the question and that do not hold an
        answer, best first."""
        if example.pool not in self._indexes:
            self._indexes[example.pool] = Nearest(self.pool.by_source[example.pool])
        own = {p.text for p in example.passages}
        answers = [answer.lower() for answer in example.answers]
        return [
            p
            for p in self._indexes[example.pool](example.question, FOUND)
            if p.text not in own and not any(a in p.text.lower() for a in answers)
        ]

    def negatives(
        self, example: Example, own: Sequence[Passage], count: int, rng: np.random.Generator
    ) -> list[Passage]:
        """Mostly what a search brings for the question, the best most often; else as before."""
        if not count:
            return []
        if rng.random() < 0.25:
            return super().negatives(example, own, count, rng)
        taken = shuffled(list(own), rng)[: int(rng.integers(count + 1))]
        found = self.nearest(example)
        while found and len(taken) < count:
            taken.append(found.pop(min(len(found) - 1, int(rng.geometric(0.4)) - 1)))
        return taken or super().negatives(example, own, count, rng)

    def groups(self, example: Example, kind: str, rng: np.random.Generator) -> list[Group]:
        """The groups of one planned example; none of its span answers when it has no place for
        ``kind``."""
        if kind == "claims":
            return [self.claims(example, rng)]
        if example.kind == "span" and kind == "contrast":
            return self.contrast(example, rng)
        if example.kind in ("span", "multi") and kind == "asked":
            return [self.asked(example, rng)]
        if example.kind == "yesno" and example.source == ASKED:
            return [self.polar(example, rng)]
        return [self.group(example, rng)]

    # ---- answerable and not

    def contrast(self, example: Example, rng: np.random.Generator) -> list[Group]:
        """The question with its passage, and it or one like it without an answer there."""
        question = rephrase(example.question, rng)
        holding = [p for p in example.passages if p.answers]
        gold = holding[int(rng.integers(len(holding)))]
        budget = int(rng.choice(CONTRAST_BUDGETS, p=CONTRAST_SHARES))
        whole = cropped(gold, budget, rng, self)
        if rng.random() < 0.2:
            whole = replace(whole, title="")
        count = int(rng.choice(3, p=(0.55, 0.35, 0.1)))
        others = without(example)
        wrong = self.negatives(example, others, count, rng)
        spare = whole if rng.random() < 0.5 else without_sentence(whole, rng)
        made = [self._put(question, [spare, *wrong], "span", rng)]
        least = without_answer(whole, example.answers)
        if least is not None and rng.random() < 0.6:
            made.append(self._put(question, [least, *wrong], "none", rng))
        if len(made) == 1 or rng.random() < 0.4:
            near = [p.text for p in wrong or self.nearest(example)[:2]]
            other = altered(question, whole, near, rng)
            if other is not None:
                made.append(self._put(other, [replace(whole, answers=())], "none", rng))
        return made

    def _put(
        self, question: str, passages: Sequence[Passage], spans: str, rng: np.random.Generator
    ) -> Group:
        """A group of windows of at most 288 tokens; one that lost its answers has none."""
        windows = []
        for at, passage in enumerate(passages):
            room = 288 if at == 0 else self._budget(rng)
            window = self.window(question, passage, room, rng)
            windows.append(labelled(window, question))
        found = any(window.answers for window in windows)
        return Group(tuple(windows), spans if found else "none")

    def polar(self, example: Example, rng: np.random.Generator) -> Group:
        """A question for yes or no with what tells it, marked; with a passage that is near; and
        mostly with what is left when the telling sentence is taken out."""
        question = rephrase(example.question, rng)
        gold = join([p for p in example.passages if p.answers])
        windows = [
            replace(self.window(question, gold, 288, rng), answered=1, yesno=YESNO[example.yesno])
        ]
        least = without_answer(gold, ())
        left = [least] if least is not None and rng.random() < 0.6 else []
        left += self.negatives(example, without(example), int(rng.random() < 0.6), rng)
        for passage in left:
            room = self._budget(rng)
            windows.append(self.window(question, passage, room, rng, answered=0, yesno=UNTOLD))
        return Group(tuple(windows), "span" if windows[0].answers else "")

    # ---- as ask reads

    def asked(self, example: Example, rng: np.random.Generator) -> Group:
        """Some of the passages that a search brings, and the digest of all; now and then without
        the one that answers."""
        question = rephrase(example.question, rng)
        holding = [p for p in example.passages if p.answers]
        others = without(example)
        found = shuffled(others, rng)[:4] + self.nearest(example)[: 5 - min(4, len(others))]
        if example.supporting:
            facts = [example.passages[i] for i in example.supporting if i < len(example.passages)]
            first = [p for p in facts if p in others]
            found = first + [p for p in found if p not in first]
        gold = [cropped(p, 288, rng, self) for p in shuffled(holding, rng)[:2]]
        answered = rng.random() < 0.75
        if not answered:
            rest = [without_answer(p, example.answers) for p in gold]
            gold = [p for p in rest if p is not None and rng.random() < 0.6]
        read = shuffled([*gold[:1], *found[: int(rng.integers(1, 3))]], rng)
        read.append(digest(example.question, [*gold, *found], self, rng))
        fit = [p for p in read if len(p.text) > 20]
        windows = []
        for passage in fit:
            own = passage.answers or passage is read[-1]
            window = self.window(question, passage, 288 if own else 176, rng)
            windows.append(labelled(window, question))
        holds = any(window.answers for window in windows)
        return Group(tuple(windows), example.kind if holds else "none")

    # ---- claims

    def claims(self, example: Example, rng: np.random.Generator) -> Group:
        """As in the first stage; of some, the false one is the true one put to the passage without
        what bears it out."""
        if rng.random() < REMOVED:
            group = self._removed(example, rng)
            if group is not None:
                return group
        return super().claims(example, rng)

    def _removed(self, example: Example, rng: np.random.Generator) -> Group | None:
        gold = [p for p in example.passages if p.answers] or list(example.passages)
        passage = cropped(
            gold[int(rng.integers(len(gold)))], int(rng.choice(CLAIM_BUDGETS)), rng, self
        )
        if passage.answers and rng.random() < 0.4:
            start, end = passage.answers[0]
            text = stated(example.question, passage.text[start:end])
            least = without_answer(passage, example.answers)
        else:
            found = sentences(passage.text)
            if not found:
                return None
            sentence = found[int(rng.integers(len(found)))]
            text = true_variant(sentence, passage, rng).text
            at = passage.text.index(sentence)
            least = without_answer(replace(passage, answers=((at, at + len(sentence)),)), ())
        if least is None or len(text.split()) > 45:
            return None
        true = self._claim(Claim(text, True, "kept"), replace(passage, answers=()), rng)
        false = self._claim(Claim(text, False, "removed"), least, rng)
        return Group((true, false), "")


def without(example: Example) -> list[Passage]:
    """The example's passages that hold no answer, marked or word for word."""
    answers = [answer.lower() for answer in example.answers]
    return [
        p
        for p in example.passages
        if not p.answers and not any(answer in p.text.lower() for answer in answers)
    ]


def cropped(passage: Passage, budget: int, rng: np.random.Generator, maker: Maker) -> Passage:
    """The passage cut to whole sentences around an answer, with the answers that remain."""
    low, high = crop(passage, budget, rng, maker)
    answers = tuple((a - low, b - low) for a, b in passage.answers if a >= low and b <= high)
    return Passage(passage.title, passage.text[low:high], answers)


def digest(
    question: str, passages: Sequence[Passage], maker: Maker, rng: np.random.Generator
) -> Passage:
    """The sentences most about the question, in order, a passage's title before its first; mostly
    with the one that holds the answer."""
    asked = words(question)
    scored = []
    for number, passage in enumerate(passages):
        about = maker.pool.likeness(asked, Passage("", passage.title))
        for a, b in parts(passage.text):
            piece = Passage("", passage.text[a:b])
            worth = maker.pool.likeness(asked, piece) + 0.5 * about + 0.5 * float(rng.random())
            if any(start >= a and end <= b for start, end in passage.answers):
                worth += 3.0 if rng.random() < 0.8 else 0.0
            scored.append((worth / (20 + len(piece.text)) ** 0.3, number, a, b))
    kept, room = [], DIGEST_CHARS
    for _, number, a, b in sorted(scored, reverse=True)[:12]:
        if b - a <= room:
            kept.append((number, a, b))
            room -= b - a
    order = {number: at for at, number in enumerate(rng.permutation(len(passages)).tolist())}
    pieces: dict[int, Passage] = {}
    for number, a, b in sorted(kept):
        passage = passages[number]
        answers = tuple((s - a, e - a) for s, e in passage.answers if s >= a and e <= b)
        piece = Passage(passage.title[: 4 * TITLE_TOKENS], passage.text[a:b].rstrip(), answers)
        before = pieces.get(number)
        pieces[number] = piece if before is None else join([before, replace(piece, title="")])
    chosen = [pieces[number] for number in sorted(pieces, key=lambda n: order[n])]
    return join(chosen) if chosen else Passage("", "")
