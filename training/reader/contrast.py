"""Questions that their own passage does not answer, made by rules from questions that it does.

After the adversarial questions of SQuAD 2.0 (Rajpurkar, Jia and Liang 2018, "Know What You Don't
Know", https://arxiv.org/abs/1806.03822): a name, a number, a thing or an opposite exchanged in the
question, something else asked for, or the sentences with the answer taken out of the passage. All
the rest stays, so that only reading tells the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from training.reader.data import Passage, Span
from training.reader.phrases import NUMBER, another_number, names, opposite, sentences

_EDGE = re.compile(r"""(?<=[.!?])["'”’)]?\s+(?=["'“‘(]?[A-Z0-9])|\n{2,}""")
_THING = re.compile(r"\bthe ([a-z]{4,})\b(?! of\b)")
_KIND = re.compile(
    r"\b(what|which) ([a-z]{3,})\b(?= (?:is|was|were|are|did|does|do|has|had)\b)", re.I
)
_WHEN = re.compile(r"^(?:when|in what year|in which year|what year)\b", re.I)
_REASON = re.compile(r"\b(?:because|since|due to|so that|in order|reason|caused?|therefore)\b")
_ADJECTIVE = re.compile(
    r"(?:y|est|al|ous|ive|ic|ful|an|ish|less|able|ible)$|^(?:first|second|third|fourth|last|next|same|"
    r"other|only|most|more|rest|main|name|early|late|great|large|small|high|long|short|late\w+|"
    r"northern|southern|eastern|western|north|south|east|west|years?|idea|third)$"
)
_WEAK = frozenset("with without over under start end right left light hard male female".split())
"""Opposites that seldom change what a question asks for."""
_NO_KIND = frozenset("is was were are did does do has had else other more would could can".split())

LEAST = 120
"""Characters that a passage keeps when its answer is taken out."""


def parts(text: str) -> list[Span]:
    """Sentences of a text, of any length, with the space that follows."""
    edges = [0, *(match.end() for match in _EDGE.finditer(text)), len(text)]
    return [(a, b) for a, b in pairwise(edges) if b > a]


def without_answer(passage: Passage, answers: Sequence[str]) -> Passage | None:
    """The passage without its sentences that hold an answer, marked or word for word; None where
    too little is left."""
    spans = [passage.text[a:b] for a, b in passage.answers]
    given = {answer.lower().strip() for answer in (*answers, *spans)}
    kept = [
        passage.text[a:b]
        for a, b in parts(passage.text)
        if not any(start < b and end > a for start, end in passage.answers)
        and not any(answer in passage.text[a:b].lower() for answer in given)
    ]
    text = "".join(kept).strip()
    return Passage(passage.title, text) if len(text) >= LEAST else None


def without_sentence(passage: Passage, rng: np.random.Generator) -> Passage:
    """The passage without one sentence that holds no answer, so that a gap says nothing; as it is
    when it has none to spare."""
    spare = [
        (a, b)
        for a, b in parts(passage.text)
        if not any(start < b and end > a for start, end in passage.answers)
    ]
    if not spare or len(parts(passage.text)) < 3:
        return passage
    low, high = spare[int(rng.integers(len(spare)))]
    answers = tuple(
        (a, b) if b <= low else (a - (high - low), b - (high - low)) for a, b in passage.answers
    )
    return Passage(passage.title, passage.text[:low] + passage.text[high:], answers)


def other_name(
    question: str, passage: Passage, near: Sequence[str], rng: np.random.Generator
) -> str | None:
    """A name of the question replaced by another: of the passage mostly, else of one like it."""
    mine = [name for name in names(question) if len(name) > 2]
    if not mine:
        return None
    old = mine[int(rng.integers(len(mine)))]
    given = {passage.text[a:b] for a, b in passage.answers}
    texts = [passage.text, *near] if rng.random() < 0.7 else list(near)
    for text in texts:
        found = [
            name
            for sentence in sentences(text)
            for name in names(sentence)
            if len(name) > 2
            and name not in question
            and not any(name in answer or answer in name for answer in given)
            and not set(name.split()) & set(old.split())
        ]
        same = [n for n in found if abs(len(n.split()) - len(old.split())) <= 1]
        if same:
            return question.replace(old, same[int(rng.integers(len(same)))], 1)
    return None


def other_number(
    question: str, passage: Passage, near: Sequence[str], rng: np.random.Generator
) -> str | None:
    """A number or year of the question replaced, now and then by another of the passage."""
    found = list(NUMBER.finditer(question))
    if not found:
        return None
    match = found[int(rng.integers(len(found)))]
    same = [
        n for n in NUMBER.findall(passage.text) if n not in question and len(n) == len(match[0])
    ]
    new = (
        same[int(rng.integers(len(same)))]
        if same and rng.random() < 0.4
        else another_number(match[0], rng)
    )
    return question[: match.start()] + new + question[match.end() :]


def opposed_question(
    question: str, passage: Passage, near: Sequence[str], rng: np.random.Generator
) -> str | None:
    """A word of the question replaced by its opposite, unless the passage has that as well."""
    found = opposite(question, rng)
    if found is None:
        return None
    changed, word = found
    return None if word in _WEAK or re.search(rf"\b{re.escape(word)}\b", passage.text) else changed


def other_thing(
    question: str, passage: Passage, near: Sequence[str], rng: np.random.Generator
) -> str | None:
    """A thing ("the fire") of the question replaced by another of the passage or of one like it."""
    mine = [m for m in _THING.finditer(question) if not _ADJECTIVE.search(m[1])]
    if not mine:
        return None
    match = mine[int(rng.integers(len(mine)))]
    texts = [passage.text] if rng.random() < 0.5 else list(near)
    found = {
        thing
        for text in texts
        for thing in _THING.findall(text)
        if thing[:4] not in question.lower() and not _ADJECTIVE.search(thing)
    }
    if not found:
        return None
    new = sorted(found)[int(rng.integers(len(found)))]
    return f"{question[: match.start(1)]}{new}{question[match.end(1) :]}"


def other_kind(
    question: str, passage: Passage, near: Sequence[str], rng: np.random.Generator
) -> str | None:
    """Something else asked of the same: why instead of when, a colour instead of a year."""
    when = _WHEN.match(question)
    if when and re.match(r" (?:did|was|were|is|are|does|do)\b", question[when.end() :]):
        around = " ".join(
            passage.text[a:b]
            for a, b in parts(passage.text)
            if any(start < b and end > a for start, end in passage.answers)
        )
        return None if _REASON.search(around) else f"Why{question[when.end() :]}"
    match = _KIND.search(question)
    if match is None or match[2] in _NO_KIND:
        return None
    kinds = [k for k in KINDS if k not in passage.text.lower() and k[:4] != match[2][:4]]
    new = kinds[int(rng.integers(len(kinds)))]
    return f"{question[: match.start(2)]}{new}{question[match.end(2) :]}"


KINDS = (
    "colour breed bank university hospital newspaper language instrument weapon disease prize "
    "river company religion song street price weight height age distance temperature salary "
    "nickname species firm ship book film award school profession degree number size depth model"
).split()

Change = Callable[[str, Passage, Sequence[str], np.random.Generator], "str | None"]
CHANGES: tuple[tuple[Change, float], ...] = (
    (other_name, 0.4),
    (other_number, 0.15),
    (other_thing, 0.2),
    (opposed_question, 0.1),
    (other_kind, 0.15),
)


def altered(
    question: str, passage: Passage, near: Sequence[str], rng: np.random.Generator
) -> str | None:
    """The question changed so that the passage no longer answers it, or None.

    ``near`` are texts like the passage, to take names and things from.
    """
    weights = np.array([weight for _, weight in CHANGES])
    order = rng.choice(len(CHANGES), len(CHANGES), replace=False, p=weights)
    for at in order.tolist():
        found = CHANGES[at][0](question, passage, near, rng)
        if found and found != question:
            return found
    return None
