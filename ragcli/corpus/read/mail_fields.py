"""The fields of a mail: its people, its date, and its place in a thread.

All mails of a thread have the field "thread" with the same value: the id of the first mail, which
the others name among those that they refer to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from email.utils import getaddresses, parsedate_to_datetime

from ragcli.text.words import one_line

_ID = re.compile(r"<([^<>\s]{1,250})>")
_MOST_PEOPLE = 50


def fields_of(header: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
    """The (name, value) pairs of a mail, without repeats; ``header`` gives the value of a header.

    >>> heads = {"Message-ID": "<2@b>", "References": "<1@a> <0@a>", "From": "Ann <ann@a.org>"}
    >>> fields_of(lambda name: heads.get(name, ""))
    (('from', 'Ann <ann@a.org>'), ('message-id', '2@b'), ('in-reply-to', '0@a'), ('thread', '1@a'))
    """
    return tuple(dict.fromkeys(_pairs(header)))


def _pairs(header: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    for name in ("From", "To", "Cc"):
        for person in _people(header(name))[:_MOST_PEOPLE]:
            yield name.lower(), person
    if date := _date(header("Date")):
        yield "date", date
    own = _ID.findall(header("Message-ID"))[:1]
    above = _ID.findall(header("References"))
    answered = _ID.findall(header("In-Reply-To"))[:1] or above[-1:]
    yield from (("message-id", id_) for id_ in own)
    yield from (("in-reply-to", id_) for id_ in answered)
    yield from (("thread", id_) for id_ in (above or answered or own)[:1])


def _people(value: str) -> list[str]:
    """The people in a header, as names with addresses."""
    found = getaddresses([value])
    return [one_line(f"{name} <{at}>" if name and at else name or at) for name, at in found if at]


def _date(value: str) -> str:
    """The day, in the time zone of the writer, in ISO 8601; "" if there is none."""
    try:
        return parsedate_to_datetime(value).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
