"""Questions in two steps, made of two that each need one passage.

After MuSiQue's composition (Trivedi et al. 2022, https://arxiv.org/abs/2108.00573): where one
question's answer is a name in another question, a description made from the first question takes
the name's place. "Who designed the tower?" with "When was Jonas Vik born?" gives "When was the one
who designed the tower born?".
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from training.reader.data import Example, Passage

SOURCES = ("squad1", "squadshifts_newwiki", "nq", "qed", "timeqa")
MOST = 10
"""Questions that one name may be the answer to: commoner ones (a country) describe nothing."""
EACH = 3
"""Questions made of one second question."""
REUSED = 12
"""Questions that one description stands in."""
LONGEST = 16
"""Words of a description."""

_NAME = re.compile(r"[A-Z][\w'’.-]*(?:\s+(?:(?:of|the|and|de|von|van)\s+)?[A-Z][\w'’.-]*)*")
_TAIL = re.compile(r"(?:['’]s|[?.,'’])+$")
_ARTICLE = re.compile(r"^(?:the|an?) ", re.I)
_WHO_IS = re.compile(r"^who (?:is|was|were|are) ((?:the|a|an) .+)$", re.I)
_NAME_OF = re.compile(r"^what (?:is|was) the name of ((?:the|a|an) .+)$", re.I)
_WHAT_IS = re.compile(r"^what (?:is|was) (the \w+ of .+)$", re.I)
_WHO = re.compile(
    r"^who ((?!(?:is|was|were|are|did|does|do|has|had|have|will|would|can) )\w+ .+)$", re.I
)
_WHICH = re.compile(
    r"^(?:what|which) ([a-z]+(?: [a-z]+)?) "
    r"((?:is|was|has|had|\w+ed|(?!does )\w{3,}s) (?!the .* (?:in|from|to|of)$).+)$"
)
_NO_NOUN = re.compile(
    r"\b(?:is|was|were|are|did|does|do|has|had|have|of|the|percent|year|kind|type|nationality"
    r"|language|role|people|title|\w+ed)\b",
    re.I,
)
_AUXILIARY = frozenset("did does do is was were are has had have can will would".split())
_PREPOSITION = frozenset(
    "in of at for by to from with on between and about against into after before than under over"
    " the during joined called".split()
)


def described(question: str) -> str | None:
    """What a question asks for, as words that stand in a sentence; None where no rule fits.

    >>> described("Who designed the tower?"), described("What is the name of the river in Bonn?")
    ('the one who designed the tower', 'the river in Bonn')
    """
    bare = question.strip().rstrip("?. ").strip()
    if len(bare.split()) > LONGEST or "," in bare:
        return None
    for pattern in (_WHO_IS, _NAME_OF, _WHAT_IS):
        if match := pattern.match(bare):
            return match[1]
    if match := _WHO.match(bare):
        return f"the one who {match[1]}"
    match = _WHICH.match(bare[:1].lower() + bare[1:])
    if match and not _NO_NOUN.search(match[1]):
        return f"the {match[1]} that {match[2]}"
    return None


def composed(examples: Sequence[Example], rng: np.random.Generator) -> Iterator[Example]:
    """Examples of source ``composed``: the second question's passage, with its answers, and the
    first one's."""
    fit = [
        e
        for e in examples
        if e.source in SOURCES and e.kind == "span" and any(p.answers for p in e.passages)
    ]
    known: dict[str, list[int]] = defaultdict(list)
    for at, example in enumerate(fit):
        for name in {_ARTICLE.sub("", answer.strip(" .")) for answer in example.answers}:
            if len(name) > 4 and name[0].isupper() and not any(c.isdigit() for c in name):
                known[name].append(at)
    used: Counter[int] = Counter()
    for number in rng.permutation(len(fit)).tolist():
        second = fit[number]
        made = []
        for name in dict.fromkeys(_TAIL.sub("", n) for n in _NAME.findall(second.question)):
            if len(found := known.get(name, ())) <= MOST:
                made += [(at, c) for at in found if (c := _composed(fit[at], name, second))]
        fresh = [(at, c) for at, c in made if used[at] < REUSED]
        for at, example in [fresh[i] for i in rng.permutation(len(fresh))[:EACH].tolist()]:
            used[at] += 1
            yield example


def _composed(first: Example, name: str, second: Example) -> Example | None:
    """The two in one; None where they share a passage, or words that give the answer away."""
    words = described(first.question)
    one, two = _holding(first), _holding(second)
    if words is None or name in words or one.text == two.text:
        return None
    if any(a.lower() in words.lower() or a == name for a in second.answers):
        return None
    question = _put(second.question, name, words)
    if question is None:
        return None
    bridge = Passage(one.title, one.text)
    return Example("composed", question, (two, bridge), "span", "", second.answers, (0, 1))


def _put(question: str, name: str, words: str) -> str | None:
    """The question with ``words`` in the place of the name; None where a noun would not stand."""
    match = re.search(rf"(?:\bthe )?\b{re.escape(name)}\b", question)
    if match is None:
        return None
    before = question[: match.start()].lower().split()
    after = question[match.end() :].split()
    last = before[-1] if before else "of"
    follows = after[0].strip("?.,").lower() if after else ""
    ends = follows in ("", "'s", "’s", "s") or follows in _PREPOSITION | _AUXILIARY
    if last not in _PREPOSITION | _AUXILIARY or not (ends or last in _AUXILIARY):
        return None
    made = question[: match.start()] + words + question[match.end() :]
    return made[0].upper() + made[1:]


def _holding(example: Example) -> Passage:
    return next(p for p in example.passages if p.answers)
