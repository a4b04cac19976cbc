"""Questions about releases: when one came out, and which one did something.

Change logs say in a heading what the lines below it are about: "## 23.0.0 - 2024-08-10". A reader,
which looks for words inside sentences, finds neither the date nor the version there, and takes a
version for the answer that a sentence mentions ("changes since 2.4.2"). The headings decide
(docs/adr/technical-documents.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.answer.candidates import Sentence, candidates
from ragcli.answer.lookup.terms import LEAST_WORTH
from ragcli.answer.view import View
from ragcli.text.dates import DATE
from ragcli.text.identifiers import holds, identifiers_in
from ragcli.text.markup import is_list_item
from ragcli.text.releases import (
    MOST_WORDS,
    VERSION,
    asks_date_of_change,
    asks_date_of_release,
    asks_release,
    release_in,
)
from ragcli.text.words import content_words
from ragcli.types import Part

_SAME_CHANGE = (
    ("add", "introduc", "new", "bring", "expos", "get", "got"),
    ("fix", "repair", "resolv", "correct", "patch", "solv"),
    ("remov", "drop", "delet"),
    ("renam", "call"),
    ("chang", "switch", "becam", "becom"),
    ("restor", "bring", "revert"),
    ("deprecat",),
    ("support", "allow", "accept"),
)
"""Stems of words for one kind of change: the notes may say "drop" for "removed"."""
_SAME = 0.25
"""What a sentence gains that tells of the kind of change that is asked for."""
_TELLS_ITSELF = re.compile(
    r"\b(?:since|as of|from|in|until|before|new in|added|changed|deprecated|removed)\b"
    r"[^.;\n]{0,24}?\bv?\d+\.\d|\bv?\d+(?:\.\d+)+ (?:is|was) the (?:first|last)\b",
    re.IGNORECASE,
)
_MARKUP = 120
"""Characters by which a heading may be longer in its file than it reads: it may hold an address."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b(?!-\d{4})")
"""A year that a sentence tells itself, other than that of a CVE."""
_DATE_LINES = 3
"""Sentences below the heading of a release in which its date may stand."""
SURE_OF_DATE = 0.8
SURE_OF_RELEASE = 0.6


@dataclass(frozen=True, slots=True)
class ReleaseAnswer:
    """What a heading answers: document offsets in ``part``, or no place if none holds it."""

    sentence: Sentence
    text: str
    part: Part
    start: int
    end: int
    confidence: float

    @property
    def placed(self) -> bool:
        """Whether the answer stands in its part."""
        return self.end > self.start


def release_answer(question: str, parts: Sequence[Part], view: View) -> ReleaseAnswer | None:
    """The date of the release that a question names, or the release it asks for; None if neither
    is asked or no heading tells it."""
    versions = [mark for mark in identifiers_in(question) if VERSION.fullmatch(mark)]
    if len(versions) == 1 and asks_date_of_release(question):
        return next(_dates(versions[0], parts), None)
    if asks_release(question):
        return _release(question, view, versions, parts)
    if asks_date_of_change(question):
        return _date_of_change(question, view, parts)
    return None


def _dates(version: str, parts: Sequence[Part]) -> Iterator[ReleaseAnswer]:
    """The dates in the heading of a release and in the lines right below it."""
    for part in parts:
        below = 0
        for sentence in candidates(part):
            title = sentence.heading.rpartition(" > ")[2]
            if not _is_about(title, version):
                below = 0
                continue
            raw = part.text[sentence.start - part.start : sentence.end - part.start]
            if below < _DATE_LINES and (date := DATE.search(raw)) and len(DATE.findall(raw)) == 1:
                start = sentence.start + date.start()
                yield ReleaseAnswer(
                    sentence, date[0], part, start, start + len(date[0]), SURE_OF_DATE
                )
            below += 1


def _is_about(title: str, version: str) -> bool:
    return release_in(title) != "" and holds(release_in(title), version)


def _told_of(question: str, view: View) -> tuple[float, Sentence]:
    """The sentence that is most about the change that a question asks about, and how much."""
    said = frozenset(content_words(question))
    same = frozenset(one for group in _SAME_CHANGE if said.intersection(group) for one in group)
    worth = (view.similarity + view.covers.sum(axis=1)).tolist()
    return max(
        zip(worth, view.sentences, strict=True),
        key=lambda pair: pair[0] + _SAME * bool(same & pair[1].words),
    )


def _release(
    question: str, view: View, versions: Sequence[str], parts: Sequence[Part]
) -> ReleaseAnswer | None:
    """The release whose heading stands above the sentence that is most about the question, which
    holds the ``versions`` of other things that the question names."""
    value, sentence = _told_of(question, view)
    release = release_in(sentence.heading)
    if value < LEAST_WORTH or not release:
        return None
    if versions and not all(holds(sentence.text, version) for version in versions):
        return None
    if not versions and _TELLS_ITSELF.search(sentence.text):
        return None
    return ReleaseAnswer(
        sentence, release, *_place_above(sentence, release, parts), SURE_OF_RELEASE
    )


def _date_of_change(question: str, view: View, parts: Sequence[Part]) -> ReleaseAnswer | None:
    """The date in the heading above the sentence that is most about a change, in a change log: the
    heading names a release, or the sentence is an item of a list."""
    value, sentence = _told_of(question, view)
    raw = sentence.part.text[sentence.start - sentence.part.start :][: len(sentence.text)]
    logged = is_list_item(raw) or release_in(sentence.heading)
    if value < LEAST_WORTH or not logged or _YEAR.search(raw):
        return None
    for title in reversed(sentence.heading.split(" > ")):
        if len(DATE.findall(title)) == 1 and len(DATE.sub(" ", title).split()) <= MOST_WORDS:
            date = next(DATE.finditer(title))[0]
            place = _place_above(sentence, date, parts)
            return ReleaseAnswer(sentence, date, *place, SURE_OF_RELEASE)
    return None


def _place_above(sentence: Sentence, words: str, parts: Sequence[Part]) -> tuple[Part, int, int]:
    """Where words of the nearest heading with them stand, in any part of the document; an empty
    place if none holds that heading."""
    found: list[tuple[int, Part, int]] = []
    for part in (one for one in parts if one.doc == sentence.part.doc):
        for at, path in part.headings:
            if part.start <= at <= sentence.start and words in path.rpartition(" > ")[2]:
                begin = at - part.start
                end = begin + len(path.rpartition(" > ")[2]) + _MARKUP
                first = part.text.find(words, begin, end)
                if first >= 0:
                    found.append((at, part, part.start + first))
    if not found:
        return sentence.part, 0, 0
    _, part, first = max(found, key=lambda one: one[0])
    return part, first, first + len(words)
