"""Answers to questions about two named things: yes or no, or one of the two.

A reader marks words in one passage and compares nothing. So each thing is read about in its own
passage: whether a sentence said of it is borne out there ("both"), what it is in the respect that
is asked about ("same"), when it was ("first"). The comparison is then made here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.answer.laid import Stretch
from ragcli.answer.score import clipped, log_odds
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.markup import is_heading
from ragcli.text.sentences import sentences
from ragcli.text.spans import Span
from ragcli.text.two_things import TwoThings
from ragcli.text.words import content_words, plain, stem
from ragcli.types import Part

if TYPE_CHECKING:
    from ragcli.models.reader import Reader

PASSAGE_CHARS = 700
"""Characters that are read about each thing."""

SHARED = 3.0
BORNE_OUT = -0.75
"""A passage supports what is said of its thing from this sum on: the log odds of the reader, and
``SHARED`` times the share of the words above a half (figures: docs/adr/answers-by-reading.md)."""

_QUALIFIER = re.compile(r"\A([^(]*)\(.*\)\s*\Z")
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_BEGINNING = re.compile(
    r"\b(?:form|found|establish|creat|publish|releas|open|launch|beg[au]n|start|debut|made|premier"
    r"|introduc|built|produc|compos|writ)",
    re.IGNORECASE,
)
_NAME_ENDS = re.compile(r"(?:(?<!\s)\s+)?(?:[(,:;]|\b(?:is|was|are|were|has|refers)\b)")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison came to.

    ``text`` is "yes" or "no", or the name in ``places[0]``. ``places`` are where it was read, one
    for each thing. ``how`` they were compared: by what is said of both (0), by what both share (1),
    by dates (2), by how surely each passage answers (4); ``sure`` is the logit of
    the less sure reading, 0 for dates.
    """

    text: str
    places: tuple[Stretch, Stretch]
    how: int
    sure: float


@dataclass(frozen=True, slots=True)
class _About:
    """The passage about one thing: ``text == part.text[start : start + len(text)]``."""

    name: str
    part: Part
    start: int
    text: str
    titled: bool

    @property
    def passage(self) -> tuple[str, str]:
        """As the reader takes it."""
        return self.part.title, self.text

    def place(self, start: int, end: int) -> Stretch:
        """A stretch of the text."""
        first = self.part.start + self.start
        return Stretch(self.part, first + start, first + end)


def compare(asked: AskedQuestion, parts: Sequence[Part], reader: Reader) -> Comparison | None:
    """The answer to a question about two things; None for others, or if one is not mentioned."""
    titles = {plain(_QUALIFIER.sub(r"\1", part.title)) for part in parts}
    texts = " ".join(plain(part.text) for part in parts)

    def known(name: str) -> int:
        bare = plain(re.sub(r"^(?:the|a|an)\s+", "", name.strip('"“”'), flags=re.IGNORECASE))
        return 2 if bare in titles or f" the{bare}" in titles else int(bare in texts)

    two = asked.two_things(known)
    if two is None:
        return None
    one, other = (_about(name, parts) for name in two.names)
    if one is None or other is None:
        return None
    if two.asks == "both":
        return _both(two, (one, other), reader)
    if two.asks == "same":
        return _same(two, (one, other), reader)
    return _which(asked, two, (one, other), reader)


def _about(name: str, parts: Sequence[Part]) -> _About | None:
    """The passage about a name: the one with its title, else the first that mentions it."""
    wanted = plain(name)
    words = set(wanted.split())

    def rank(part: Part) -> int:
        title = plain(_QUALIFIER.sub(r"\1", part.title))
        if title in (wanted, f" the{wanted}"):
            return 3
        if title.strip() and (wanted in title or title in wanted):
            return 2
        return int(bool(words) and words <= set(plain(part.text).split()))

    best = max(parts, key=rank, default=None)
    if best is None or not rank(best):
        return None
    titled = rank(best) > 1
    every = sentences(best.text)
    spans = [span for span in every if not _is_heading(best, span)] or every
    if not spans:
        return None
    first = 0
    if not titled:
        first = next(
            (i for i, span in enumerate(spans) if wanted in plain(best.text[slice(*span)])), 0
        )
    start, end = spans[first]
    for span in spans[first + 1 :]:
        if span[1] - start > PASSAGE_CHARS:
            break
        end = span[1]
    return _About(name, best, start, best.text[start:end], titled)


def _is_heading(part: Part, span: Span) -> bool:
    """Whether a sentence is the heading that is above it, or is written as one."""
    text = part.text[slice(*span)]
    above = part.heading_at(part.start + span[0]).rpartition(" > ")[2]
    return is_heading(text) or (bool(above) and plain(text) == plain(above))


def _both(two: TwoThings, things: tuple[_About, _About], reader: Reader) -> Comparison | None:
    """Yes if both passages support what is said of their thing; silence never means no."""
    found = reader.judge(
        [(two.claims[0], 0), (two.claims[1], 1)], [thing.passage for thing in things]
    )
    worst = min(
        log_odds(judged.probability) + SHARED * (_shared(thing, claim) - 0.5)
        for judged, thing, claim in zip(found, things, two.claims, strict=True)
    )
    if worst < BORNE_OUT:
        return None
    one, other = map(_sentence, things, two.claims)
    return Comparison("yes", (one, other), 0, worst)


def _shared(thing: _About, claim: str) -> float:
    """The share of a claim's words, besides its thing's name, that the passage holds."""
    said = {stem(word) for word in content_words(claim)}
    said -= {stem(word) for word in content_words(thing.name)}
    held = {stem(word) for word in content_words(thing.text)}
    return len(said & held) / len(said) if said else 0.5


def _same(two: TwoThings, things: tuple[_About, _About], reader: Reader) -> Comparison | None:
    """Yes if the same is read of both in the respect that is asked about."""
    values, sure = [], 1.0
    for thing, subquestion in zip(things, two.claims, strict=True):
        answer = reader.answer(subquestion, [thing.passage], count=1)
        if not answer.ranked.spans:
            return None
        best = answer.ranked.spans[0]
        values.append((best.text, thing.place(best.start, best.end)))
        sure = min(sure, answer.confidence)
    alike = _alike(values[0][0], values[1][0], two.wanted)
    return Comparison("yes" if alike else "no", (values[0][1], values[1][1]), 1, log_odds(sure))


def _alike(one: str, other: str, wanted: str) -> bool:
    """Whether two values name the same.

    >>> _alike("Turkish", "Istanbul, Turkey", "country")
    True
    >>> _alike("Jiangsu province, China", "Sichuan province, China", "province")
    False
    """
    beside = _roots(wanted)
    return any(
        (head := _roots(value.split(",")[0]) - beside) and head <= _roots(rest)
        for value, rest in ((one, other), (other, one))
    )


def _roots(text: str) -> set[str]:
    """The beginnings of a text's content words: those of "Turkey" and "Turkish" are the same."""
    return {word if word.isdigit() else stem(word)[:4] for word in content_words(text)}


def _which(
    asked: AskedQuestion, two: TwoThings, things: tuple[_About, _About], reader: Reader
) -> Comparison | None:
    """The thing that was first or last, or whose passage answers the question more surely."""
    one, other = (_year(thing, two.claims[0]) for thing in things)
    if two.order and one is not None and other is not None and one != other:
        best, how, sure = int((one < other) != (two.order == "first")), 2, 0.0
    else:
        readings = reader.read(asked.text, [thing.passage for thing in things])
        answers = [
            max((r.answered for r in readings if r.passage == n), default=0.0) for n in (0, 1)
        ]
        best, how, sure = int(answers[0] < answers[1]), 4, clipped(abs(answers[0] - answers[1]))
    name = _name(things[best])
    if name is None:
        return None
    return Comparison(
        name.text, (name, _sentence(things[1 - best], two.claims[1 - best])), how, sure
    )


def _year(thing: _About, claim: str) -> int | None:
    """The year of a birth or a beginning: of a person the first in the passage."""
    years = list(_YEAR.finditer(thing.text))
    if not years:
        return None
    if not re.search(r"\b(?:born|older|oldest|younger|youngest|eldest)\b", claim):
        for start, end in sentences(thing.text):
            said = thing.text[start:end]
            if _BEGINNING.search(said) and (found := _YEAR.search(said)):
                return int(found[0])
    return int(years[0][0])


def _sentence(thing: _About, claim: str) -> Stretch:
    """The sentence of a passage that shares most words with what is said of its thing."""
    words = set(content_words(claim))
    spans = sentences(thing.text)
    shared = [len(words & set(content_words(thing.text[slice(*span)]))) for span in spans]
    return thing.place(*spans[shared.index(max(shared))])


def _name(thing: _About) -> Stretch | None:
    """The name of a thing as its passage writes it, in full where the passage begins with it."""
    words = plain(thing.name).split()
    if thing.titled and (end := _NAME_ENDS.search(thing.text)):
        lead = thing.text[: end.start()]
        if 0 < len(lead) <= 80 and words[-1] in plain(lead).split():
            begin = len(lead) - len(re.sub(r"^(?:the|a|an)\s+", "", lead, flags=re.IGNORECASE))
            return thing.place(begin, end.start())
    pattern = r"\W+".join(map(re.escape, thing.name.split()))
    found = re.search(pattern, thing.text, re.IGNORECASE)
    return thing.place(*found.span()) if found else None
