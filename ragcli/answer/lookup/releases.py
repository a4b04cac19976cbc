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

from ragcli.answer.candidates import Sentence, candidates, sentence_at
from ragcli.answer.lookup.terms import LEAST_WORTH
from ragcli.answer.trim import DATE
from ragcli.answer.view import View
from ragcli.text.identifiers import holds, identifiers_in
from ragcli.types import Part

_VERSION = re.compile(
    r"(?<![\w.])v?\d+(?:\.\d+)+(?:[.-]?(?:alpha|beta|rc|pre|p|[ab])[.-]?\d*)?(?![\w.]?\d)"
)
_ASKS_DATE = re.compile(
    r"\s*(?:(?:when (?:was|did|were)|(?:on )?(?:what|which) (?:is|was|day|date))\b.*"
    r"\b(?:releas(?:ed?|ing)|published|come out|came out|appear)\b)",
    re.IGNORECASE | re.DOTALL,
)
_CHANGE = (
    r"(?:add|introduc|appear|support|fix|repair|resolv|remov|drop|deprecat|chang|renam|replac|br[eo]k"
    r"|bec[ao]m|beg[ai]n|start|stop|bring|brought|enabl|disabl|bump|requir|improv|ma[dk]e)"
)
_CHANGES = re.compile(rf"\b{_CHANGE}", re.IGNORECASE)
_ASKS_RELEASE = re.compile(
    r"\s*(?:(?:in|since|from|with|by|as of) (?:what|which) (?:[\w.+-]+ ){0,2}?"
    r"(?:version|release)\b(?! of\b)"
    r"|(?:what|which) (?:[\w.+-]+ ){0,2}?(?:version|release) (?:of [\w.+-]+ )?(?:first )?"
    rf"{_CHANGE})",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:since|from|before|after|until|against|upgrad\w*|migrat\w*|prior|older|than)\b",
    re.IGNORECASE,
)
_TELLS_ITSELF = re.compile(
    r"\b(?:since|as of|from|in|until|before|new in|added|changed|deprecated|removed)\b"
    r"[^.;\n]{0,24}?\bv?\d+\.\d",
    re.IGNORECASE,
)
_RELEASE_WORDS = 6
"""Words of the longest heading of a release, beside its version and its date."""
_DATE_LINES = 3
"""Sentences below the heading of a release in which its date may stand."""
SURE_OF_DATE = 0.8
SURE_OF_RELEASE = 0.6


@dataclass(frozen=True, slots=True)
class ReleaseAnswer:
    """What a heading answers: document offsets in ``part``, or no place if it stands outside."""

    sentence: Sentence
    text: str
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
    versions = [mark for mark in identifiers_in(question) if _VERSION.fullmatch(mark)]
    if len(versions) == 1 and _ASKS_DATE.match(question):
        return next(_dates(versions[0], parts), None)
    if _ASKS_RELEASE.match(question) and _CHANGES.search(question):
        return _release(view, versions)
    return None


def release_in(heading: str) -> str:
    """The version that a heading is about: the last one of a path that names a release.

    >>> release_in("Changelog > 20.0 / 2019/10/30 > Breaking changes")
    '20.0'
    >>> release_in("Foo 2.4.3 Release Notes > Changes since version 2.4.2"), release_in("Settings")
    ('2.4.3', '')
    """
    for title in reversed(heading.split(" > ")):
        rest = DATE.sub(" ", title)
        found = _VERSION.findall(rest)
        words = _VERSION.sub(" ", rest).split()
        if len(found) == 1 and len(words) <= _RELEASE_WORDS and not _OTHER.search(rest):
            return str(found[0])
    return ""


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
                yield ReleaseAnswer(sentence, date[0], start, start + len(date[0]), SURE_OF_DATE)
            below += 1


def _is_about(title: str, version: str) -> bool:
    return release_in(title) != "" and holds(release_in(title), version)


def _release(view: View, versions: Sequence[str]) -> ReleaseAnswer | None:
    """The release whose heading stands above the sentence that is most about the question, which
    holds the ``versions`` of other things that the question names."""
    worth = (view.similarity + view.covers.sum(axis=1)).tolist()
    value, sentence = max(zip(worth, view.sentences, strict=True), key=lambda pair: pair[0])
    release = release_in(sentence.heading)
    if value < LEAST_WORTH or not release:
        return None
    if versions and not all(holds(sentence.text, version) for version in versions):
        return None
    if not versions and _TELLS_ITSELF.search(sentence.text):
        return None
    place = _version_above(sentence, release)
    return ReleaseAnswer(sentence, release, *place, SURE_OF_RELEASE)


def _version_above(sentence: Sentence, release: str) -> tuple[int, int]:
    """Where the version of the nearest heading of that release stands; (0, 0) outside the part."""
    part = sentence.part
    for at, path in reversed(part.headings):
        if part.start <= at <= sentence.start and release in path.rpartition(" > ")[2]:
            title = sentence_at(part, at, at + 1)
            found = part.text.find(release, title.start - part.start, title.end - part.start)
            if found >= 0:
                return part.start + found, part.start + found + len(release)
    return 0, 0
