"""Questions for the version that brought something: "In which version was foo() added?"

Reference manuals say it below the heading of what they describe: "Added in: v1.2.0", "added:
v1.2.0", "New in version 3.2", "Available in 2.4 and later", "deprecated: v9.0.0". Change logs have
the versions in headings: ``releases`` is for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragcli.answer.lookup.looked_up import LookedUp
from ragcli.answer.windows import Stretch
from ragcli.text.identifiers import holds, identifiers_in
from ragcli.text.releases import asks_date_of_change, asks_release
from ragcli.text.spans import Span
from ragcli.types import Part

_VERSION = r"(?P<version>v?\d+(?:\.\d+)+(?:[a-z]+\d*)?|v\d+)"
_BETWEEN = (
    r"(?:[ ]?(?:in|since|as of|from|with))?[ ]?:{0,2}\s*(?:-\s+)?(?:(?:version|release)s?[ ])?"
)
_SAID = {
    "deprecat": re.compile(rf"\bdeprecated{_BETWEEN}{_VERSION}", re.IGNORECASE),
    "remov": re.compile(rf"\bremoved{_BETWEEN}{_VERSION}", re.IGNORECASE),
    "": re.compile(
        rf"\b(?:(?:added|introduced|new|available|appeared){_BETWEEN}|versionadded::\s*"
        rf"|since[ ](?:version[ ])?){_VERSION}",
        re.IGNORECASE,
    ),
}
_ADDED = re.compile(
    r"\b(?:add|introduc|appear|available|exist|deprecat|remov|get|got)", re.IGNORECASE
)
_QUOTED = re.compile(r"['\"`](?P<name>[\w:.-]+)['\"`]")
SURE = 0.75


def since_answer(question: str, parts: Sequence[Part]) -> LookedUp | None:
    """The version told below the heading of what a question names; None if none is asked for, or
    told there."""
    asked = asks_release(question) or asks_date_of_change(question)
    if not asked or not _ADDED.search(question):
        return None
    marks = identifiers_in(question)
    if not marks and (quoted := _QUOTED.search(question)):
        marks = [quoted["name"]]
    if len(marks) != 1:
        return None
    said = next(pattern for verb, pattern in _SAID.items() if verb in question.lower())
    for part in parts:
        for start, end in _sections(part, marks[0]):
            if found := said.search(part.text, start - part.start, end - part.start):
                first = part.start + found.start("version")
                return LookedUp((Stretch(part, first, first + len(found["version"])),), SURE)
    return None


def _sections(part: Part, mark: str) -> Iterator[Span]:
    """Where the text below each heading with ``mark`` begins and ends, as far as it is there."""
    ends = [*(at for at, _ in part.headings[1:]), part.start + len(part.text)]
    for (at, path), end in zip(part.headings, ends, strict=False):
        if holds(path.rpartition(" > ")[2], mark):
            yield max(at, part.start), end
