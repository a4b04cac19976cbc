"""Questions about releases, and the headings of change logs that answer them."""

from __future__ import annotations

import re

from ragcli.text.dates import DATE

VERSION = re.compile(
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
    r"\s*(?:(?P<when>(?:in|since|from|with|by|as of) (?:what|which) (?:[\w.+-]+ ){0,2}?"
    r"(?:version|release)\b(?! of\b))"
    r"|(?:what|which) (?:is|was) the (?:first|last|earliest|oldest) (?:[\w.+-]+ ){0,2}?"
    r"(?:version|release) (?:to|that|which|with)\b"
    r"|(?:what|which) (?:[\w.+-]+ ){0,2}?(?:version|release) (?:of [\w.+-]+ )?(?:first )?"
    rf"{_CHANGE})",
    re.IGNORECASE,
)
_ASKS_DATE_OF_CHANGE = re.compile(
    r"\s*(?:(?:and |so )?when|(?:on |at )?(?:what|which) (?:date|day))"
    r" (?:was|were|did|has|have|had)\b[^?]*\b(?:add(?:ed)?|introduced?|removed?|dropp?(?:ed)?"
    r"|deprecated?|fix(?:ed)?|renamed?|patch(?:ed)?|bump(?:ed)?|get|got|supported|merged?)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:since|from|before|after|until|against|upgrad\w*|migrat\w*|prior|older|than)\b",
    re.IGNORECASE,
)
MOST_WORDS = 6
"""Words of the longest heading of a release, beside its version and its date."""


def asks_date_of_release(question: str) -> bool:
    """Whether a question asks when a release came out.

    >>> asks_date_of_release("When was 2.4 released?"), asks_date_of_release("When was it built?")
    (True, False)
    """
    return _ASKS_DATE.match(question) is not None


def asks_release(question: str) -> bool:
    """Whether a question asks which release made a change, or since which one something is so.

    >>> asks_release("Since which version may names be long?"), asks_release("Which version is it?")
    (True, False)
    """
    asked = _ASKS_RELEASE.match(question)
    return asked is not None and bool(asked["when"] or _CHANGES.search(question))


def asks_date_of_change(question: str) -> bool:
    """Whether a question may ask when a change of a program was made.

    >>> asks_date_of_change("When was --wet added?"), asks_date_of_change("When was it built?")
    (True, False)
    """
    return _ASKS_DATE_OF_CHANGE.match(question) is not None and not asks_date_of_release(question)


def release_in(heading: str) -> str:
    """The version that a heading is about: the last one of a path that names a release.

    >>> release_in("Changelog > 20.0 / 2019/10/30 > Breaking changes")
    '20.0'
    >>> release_in("Foo 2.4.3 Release Notes > Changes since version 2.4.2"), release_in("Settings")
    ('2.4.3', '')
    """
    for title in reversed(heading.split(" > ")):
        rest = DATE.sub(" ", title)
        found = VERSION.findall(rest)
        words = VERSION.sub(" ", rest).split()
        if len(found) == 1 and len(words) <= MOST_WORDS and not _OTHER.search(rest):
            return str(found[0])
    return ""


def release_path(path: str) -> str:
    """The part of a path of headings that ends with the release or the date it is about, or "".

    >>> release_path("Changelog > 20.0 / 2019/10/30 > Breaking changes")
    'Changelog > 20.0 / 2019/10/30'
    """
    titles = path.split(" > ")
    for count in range(len(titles), 0, -1):
        if release_in(titles[count - 1]) or DATE.search(titles[count - 1]):
            return " > ".join(titles[:count])
    return ""
