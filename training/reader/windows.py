"""From examples to windows: token ids with the spans, labels and groups that the losses need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from ragcli.models.tokens import load_tokenizer
from training.reader.claims import Claim, make_claims
from training.reader.data import Example, Passage, Pool, Span, words

CLS, SEP = 101, 102
QUESTION_TOKENS = 64
TITLE_TOKENS = 24
BUDGETS = (64, 96, 128, 160, 208, 288)
BUDGET_SHARES = (0.08, 0.2, 0.26, 0.22, 0.14, 0.1)
CLAIM_BUDGETS = (48, 64, 96, 128, 192)
NEGATIVES = (0.3, 0.5, 0.2)
"""Shares of questions that get 0, 1 or 2 windows without the answer."""
YESNO = {"yes": 0, "no": 1, "": 2, "neither": 2}
UNTOLD, NOT_POLAR = 2, 3
"""Labels of a window that does not tell yes or no: of a question that asks so, and of any other."""
POLAR = re.compile(
    r"(?:am|are|can|could|did|do|does|had|has|have|is|may|might|must|shall|should|was|were|will|would)"
    r"(?:n't)?\b(?!.*\bor\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"""(?<=[.!?])["'”’)]?\s+(?=["'“‘(]?[A-Z0-9])|\n+""")


@dataclass(frozen=True, slots=True)
class Window:
    """One input: ``[CLS] question [SEP] title . text [SEP]``.

    ``first`` is the place of the text's first token; ``answers`` are places of first and last
    token; labels are -1 where the window teaches nothing.
    """

    ids: NDArray[np.int64]
    types_from: int
    first: int
    answers: tuple[Span, ...] = ()
    answered: int = -1
    yesno: int = -1
    support: int = -1
    wrong: tuple[int, ...] | None = None
    """For a claim the places of the tokens that make it wrong, None where that is not known."""


@dataclass(frozen=True, slots=True)
class Group:
    """Windows that are normalised together; ``spans`` says how: one of any answers ("span"), all
    of them ("multi"), none ("none"), or not at all ("")."""

    windows: tuple[Window, ...]
    spans: str
    example: int = -1
    """The number of the planned example: groups of one are twins."""

    @property
    def tokens(self) -> int:
        return sum(len(window.ids) for window in self.windows)


class Maker:
    """Makes groups from examples; the random generator is the caller's.

    ``crop`` is the length of every crop in tokens, or 0 for lengths drawn from ``BUDGETS``.
    """

    def __init__(self, embedder_folder, pool: Pool, crop: int = 0) -> None:
        self.tokenizer = load_tokenizer(embedder_folder)
        self.pool = pool
        self.crop = crop

    def tokens(self, text: str) -> tuple[list[int], list[Span]]:
        """Ids and character spans of the tokens of ``text``."""
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        return encoding.ids, encoding.offsets

    def window(
        self, question: str, passage: Passage, budget: int, rng: np.random.Generator, **labels: int
    ) -> Window:
        """A window of at most ``budget`` tokens of the passage around one of its answers."""
        asked = self.tokens(question)[0][:QUESTION_TOKENS]
        title = self.tokens(passage.title)[0][:TITLE_TOKENS] if passage.title else []
        if title:
            title = [*title, 1012]
        low, high = 0, len(passage.text)
        if high > 3 * budget:
            low, high = crop(passage, budget, rng, self)
        ids, offsets = self.tokens(passage.text[low:high])
        ids = ids[: budget + 64]
        first = len(asked) + 2 + len(title)
        answers = []
        for start, end in passage.answers:
            inside = [
                at
                for at, (a, b) in enumerate(offsets[: len(ids)])
                if a < end - low and b > start - low
            ]
            if inside and start >= low and end <= high:
                answers.append((first + inside[0], first + inside[-1]))
        row = [CLS, *asked, SEP, *title, *ids, SEP]
        return Window(
            np.array(row, np.int64), len(asked) + 2, first, tuple(dict.fromkeys(answers)), **labels
        )

    # ---- groups

    def group(self, example: Example, rng: np.random.Generator) -> Group:
        """The windows of one example."""
        if example.kind == "yesno":
            return self._yesno(example, rng)
        if example.kind == "none":
            return self._none(example, rng)
        return self._spans(example, rng)

    def groups(self, example: Example, kind: str, rng: np.random.Generator) -> list[Group]:
        """The groups of one planned example: its question, or claims about its passages."""
        return [self.claims(example, rng) if kind == "claims" else self.group(example, rng)]

    def _budget(self, rng: np.random.Generator) -> int:
        return self.crop or int(rng.choice(BUDGETS, p=BUDGET_SHARES))

    def _spans(self, example: Example, rng: np.random.Generator) -> Group:
        question = rephrase(example.question, rng)
        holding = [p for p in example.passages if p.answers]
        others = [p for p in example.passages if not p.answers]
        gold = holding[int(rng.integers(len(holding)))]
        budget = self._budget(rng)
        passages = [gold]
        if example.kind == "multi" and len(holding) > 1:
            passages = [join(holding[: 1 + int(rng.integers(4))])]
            budget = 288
        elif others and example.source in ("hotpotqa_samples", "bioasq") and rng.random() < 0.4:
            facts = [example.passages[i] for i in example.supporting if i < len(example.passages)]
            other = [p for p in facts if not p.answers] or others
            passages = [join(shuffled([gold, other[int(rng.integers(len(other)))]], rng))]
            budget = 288
        count = int(rng.choice(3, p=NEGATIVES))
        if example.source == "derived_multi":
            count = max(1, count)
        passages += self.negatives(example, others, count, rng)
        windows = []
        for at, passage in enumerate(passages):
            if rng.random() < 0.2:
                passage = Passage("", passage.text, passage.answers)
            room = budget if at == 0 else min(budget, self._budget(rng))
            window = self.window(question, passage, room, rng)
            windows.append(labelled(window, question))
        found = any(window.answers for window in windows)
        return Group(tuple(windows), example.kind if found else "none")

    def _none(self, example: Example, rng: np.random.Generator) -> Group:
        question = rephrase(example.question, rng)
        passages = shuffled(list(example.passages), rng)[: 1 + int(rng.random() < 0.4)]
        windows = tuple(
            labelled(self.window(question, p, self._budget(rng), rng), question) for p in passages
        )
        return Group(windows, "none")

    def _yesno(self, example: Example, rng: np.random.Generator) -> Group:
        passages = list(example.passages)
        if example.supporting:
            passages = [example.passages[i] for i in example.supporting]
        elif len(passages) > 3:
            asked = words(example.question)
            passages.sort(key=lambda p: -self.pool.likeness(asked, p))
            passages = passages[:3]
        window = self.window(
            example.question, join(passages), 288, rng, answered=1, yesno=YESNO[example.yesno]
        )
        windows = [window]
        if rng.random() < 0.3:
            for passage in self.negatives(example, [], 1, rng):
                room = self._budget(rng)
                windows.append(
                    self.window(example.question, passage, room, rng, answered=0, yesno=UNTOLD)
                )
        return Group(tuple(windows), "")

    def negatives(
        self, example: Example, own: Sequence[Passage], count: int, rng: np.random.Generator
    ) -> list[Passage]:
        """Passages that look alike and hold none of the answers: the example's own, then those of
        the same article, then of the same source."""
        if not count:
            return []
        found = shuffled(list(own), rng)[:count]
        title = example.passages[0].title
        near = self.pool.by_title.get((example.pool, title), [])
        pools = [near] if len(near) < 400 else []
        pools.append(self.pool.by_source[example.pool])
        answers = [answer.lower() for answer in example.answers]
        taken = {p.text for p in example.passages}
        asked = words(example.question)
        for pool in pools:
            if len(found) >= count:
                break
            picked = rng.choice(len(pool), min(len(pool), 20), replace=False)
            fit = [
                pool[i]
                for i in picked.tolist()
                if pool[i].text not in taken and not any(a in pool[i].text.lower() for a in answers)
            ]
            fit.sort(key=lambda p: -self.pool.likeness(asked, p))
            best = shuffled(fit[:3], rng)
            found += best[: count - len(found)]
        return found

    def claims(self, example: Example, rng: np.random.Generator) -> Group:
        """True and false claims about one passage of the example, in the question's place."""
        passages = shuffled(list(example.passages), rng)
        source = example.pool
        near = self.pool.by_title.get((source, passages[0].title), [])
        pool = near if 3 <= len(near) < 400 else self.pool.by_source[source]
        other = pool[int(rng.integers(len(pool)))]
        passage, made = passages[0], []
        for candidate in passages[:3]:
            low, high = 0, len(candidate.text)
            budget = int(rng.choice(CLAIM_BUDGETS))
            if high > 3 * budget:
                low, high = crop(candidate, budget, rng, self)
            answers = tuple(
                (a - low, b - low) for a, b in candidate.answers if a >= low and b <= high
            )
            passage = Passage(candidate.title, candidate.text[low:high], answers)
            made = make_claims(passage, example.question, other, rng)
            if made:
                break
        return Group(tuple(self._claim(claim, passage, rng) for claim in made), "")

    def _claim(self, claim: Claim, passage: Passage, rng: np.random.Generator) -> Window:
        window = self.window(claim.text, passage, 512, rng, support=int(claim.holds))
        wrong: tuple[int, ...] | None = () if claim.holds else None
        if claim.base:
            wrong = changed(self.tokens(claim.base)[0], self.tokens(claim.text)[0])
            wrong = tuple(at + 1 for at in wrong if at < window.types_from - 2)
        return with_labels(window, answers=(), wrong=wrong)


def changed(before: Sequence[int], after: Sequence[int]) -> tuple[int, ...]:
    """Places in ``after`` of what was put in or changed; of what was taken out, the next token.

    >>> changed([1, 2, 3, 4], [1, 9, 3, 4]), changed([1, 2, 3], [1, 3])
    ((1,), (1,))
    """
    found: list[int] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, _, _, start, end in matcher.get_opcodes():
        if kind == "delete":
            found.append(min(start, len(after) - 1))
        elif kind != "equal":
            found += range(start, end)
    return tuple(found)


def with_labels(window: Window, **labels) -> Window:
    """The window with some fields changed."""
    fields = {name: getattr(window, name) for name in Window.__slots__}
    return Window(**(fields | labels))


def labelled(window: Window, question: str) -> Window:
    """A window of a question that it answers by a span or not at all."""
    yesno = UNTOLD if POLAR.match(question) else NOT_POLAR
    return with_labels(window, answered=int(bool(window.answers)), yesno=yesno)


def join(passages: Sequence[Passage]) -> Passage:
    """Several passages as one text, each but the first with its title before it."""
    text, answers = passages[0].text, list(passages[0].answers)
    for passage in passages[1:]:
        text += f" {passage.title}. " if passage.title else " "
        answers += [(a + len(text), b + len(text)) for a, b in passage.answers]
        text += passage.text
    return Passage(passages[0].title, text, tuple(answers))


def crop(passage: Passage, budget: int, rng: np.random.Generator, maker: Maker) -> tuple[int, int]:
    """Where to cut the text: whole sentences around one answer, about ``budget`` tokens.

    The number of tokens is estimated from the number of characters of the whole text.
    """
    text = passage.text
    room = budget * max(2.0, len(text) / max(1, len(maker.tokens(text)[0])))
    if len(text) <= room:
        return 0, len(text)
    edges = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    if passage.answers:
        start, end = passage.answers[int(rng.integers(len(passage.answers)))]
    else:
        start = end = int(rng.integers(len(text)))
    low = max(i for i, edge in enumerate(edges[:-1]) if edge <= start)
    high = min(i for i, edge in enumerate(edges) if edge >= end and i > low)
    while True:
        length = edges[high] - edges[low]
        sides = []
        if low > 0 and length + edges[low] - edges[low - 1] <= room:
            sides.append((low - 1, high))
        if high < len(edges) - 1 and length + edges[high + 1] - edges[high] <= room:
            sides.append((low, high + 1))
        if not sides:
            break
        low, high = sides[int(rng.integers(len(sides)))]
    a, b = edges[low], edges[high]
    if b - a > room * 1.3:  # one long sentence: cut at white space around the answer
        spare = max(0, int(room) - (end - start))
        a = max(a, start - int(rng.integers(spare + 1)))
        while a > edges[low] and not text[a - 1].isspace():
            a -= 1
        b = min(b, max(end, a + int(room)))
        while b < edges[high] and not text[b].isspace():
            b += 1
    return a, b


def rephrase(question: str, rng: np.random.Generator) -> str:
    """Now and then without the question mark, or without one's capitals, as people type."""
    if rng.random() < 0.12:
        question = question.rstrip("? ")
    return question


def shuffled(items: list, rng: np.random.Generator) -> list:
    return [items[i] for i in rng.permutation(len(items)).tolist()]
