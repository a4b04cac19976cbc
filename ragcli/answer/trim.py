"""Where a short answer begins and ends: no half a number, identifier or command."""

from __future__ import annotations

import re
from dataclasses import replace

from ragcli.answer.laid import Stretch, row_at
from ragcli.text.identifiers import identifier_around

_EDGES = " `*"
_BESIDE_QUOTES = 2
"""Words beside a piece of code that are no more than what it is: "`TERM` signal"."""
_SIGN = re.compile(r"(?:\A|[\s(])[+\-−$€£¥]\Z")
_FLAGS = re.compile(r"(?: -{1,2}[^\W\d_][\w-]*+)++")


def whole(place: Stretch) -> Stretch:
    """A place without marks and labels at its ends, inside one cell of a row, with the sign of its
    number and the flags of its command; the identifier of which the reader took a piece.

    >>> from ragcli.types import Part
    >>> text = "It fixes CVE-2024-1135."
    >>> whole(Stretch(Part(1, "d", "", 0, 23, 1, 1, text), 18, 22)).text
    'CVE-2024-1135'
    """
    return _with_flags(_whole_identifier(_with_sign(_in_one_field(without_marks(place)))))


def without_marks(place: Stretch) -> Stretch:
    """A place without the marks of emphasis and code at its ends, and without the label before it.

    >>> from ragcli.types import Part
    >>> text = "**Default:** `False`, or **on**"
    >>> part = Part(1, "d", "", 0, len(text), 1, 1, text)
    >>> without_marks(Stretch(part, 2, 19)).text, without_marks(Stretch(part, 25, 31)).text
    ('False', 'on')
    """
    text = place.text
    cut = text.rfind(":** ") + len(":** ") if ":** " in text else 0
    start = cut + len(text[cut:]) - len(text[cut:].lstrip(_EDGES))
    end = start + len(text[start:].rstrip(_EDGES))
    if end <= start:
        return place
    inside = replace(place, start=place.start + start, end=place.start + end)
    return _within_quotes(inside) if inside.text.count("`") == 1 else inside


def _in_one_field(place: Stretch) -> Stretch:
    """What a place holds of one value in a row of a table: "12" of "Room: 12; Floor: 3"."""
    found = row_at(place.part, place.start)
    if found is None or found.is_head:
        return place
    values = [field.parts[-1] for field in found.row.of("field")] or found.row.of("cell")
    value = next((value for value in values if place.start < value.end), None)
    if value is None:
        return place
    start, end = max(place.start, value.start), min(place.end, value.end)
    return replace(place, start=start, end=end) if start < end else place


def _with_sign(place: Stretch) -> Stretch:
    """A number with its sign: "+49 3581" for "49 3581", "-5" for "5"."""
    before = place.part.text[: place.start - place.part.start]
    signed = place.text[:1].isdigit() and _SIGN.search(before)
    return replace(place, start=place.start - 1) if signed else place


def _with_flags(place: Stretch) -> Stretch:
    """A command with the flags after it: "foo passwd --reset" for "foo passwd"."""
    flags = _FLAGS.match(place.part.text, place.end - place.part.start)
    return replace(place, end=place.part.start + flags.end()) if flags else place


def _within_quotes(place: Stretch) -> Stretch:
    """The part of a place that is in the quotes of which it holds one: "TERM` signal". A clause
    stays whole, and so does a number with its unit."""
    left, right = place.text.split("`")
    at = place.start + len(left)
    closing = place.part.text[: place.start - place.part.start].endswith("`")
    quoted, beside = (left, right) if closing else (right, left)
    if len(beside.split()) > _BESIDE_QUOTES or quoted.isdigit():
        after = place.part.text[place.end - place.part.start :][:1]
        return replace(place, end=place.end + 1) if after == "`" and not closing else place
    return replace(place, end=at) if closing else replace(place, start=at + 1)


def _whole_identifier(place: Stretch) -> Stretch:
    """The identifier that a place is a piece of: "CVE-2024-1135" for "1135"."""
    first = place.part.start
    found = identifier_around(place.part.text, place.start - first, place.end - first)
    return replace(place, start=first + found[0], end=first + found[1]) if found else place
