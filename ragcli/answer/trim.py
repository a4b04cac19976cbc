"""Where a short answer begins and ends: as long as what was asked for, no half a date or name."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ragcli.answer.answer_kind import fits
from ragcli.answer.windows import Stretch
from ragcli.text.dates import DATE
from ragcli.text.enumerations import enumeration_around
from ragcli.text.identifiers import identifier_around
from ragcli.text.labelled import records

if TYPE_CHECKING:
    from ragcli.models.reader import RankedSpan, WindowReading

LONG_WORDS = 6
"""Words from which the best few words inside an answer are tried instead of it."""

LOSS = 4.0
"""By how much their logits may be lower: a clause is likelier than the words in it that answer."""

_WHEN = re.compile(r"\b(?:when|(?:what|which) (?:date|day))\b", re.IGNORECASE)
_LARGE = re.compile(r"\b(?:what|which)(?: [a-z]+){0,2} (?:country|state|nation)\b", re.IGNORECASE)
_PLACES = re.compile(r"(?:[^\W\d_a-z][\w’'.-]*\s?)+(?:, (?:[^\W\d_a-z][\w’'.-]*\s?)+)+")
_NAME_BEGINS = re.compile(
    r"(?:(?<=[^\W_], )|(?<=[^\W_] ))(?:New|North|South|East|West|San|Santa|Los|Las|Fort|Mount) \Z"
    r"|\b(?:St\.?|Saint) \Z"
)
_ONLY_TITLE = re.compile(r"(?:\A|.*\s)(?:Mrs?|Ms|Dr|St)\.?", re.DOTALL)
_NAME_GOES_ON = re.compile(r"\.?[ \n][^\W\d_a-z][\w’'-]+(?: [^\W\d_a-z][\w’'-]+)?")
_EDGES = " `*"
_BESIDE_QUOTES = 2
"""Words beside a piece of code that are no more than what it is: "`TERM` signal"."""
_COUNTS = re.compile(r"\bhow (?:many|much|old|long|far|often)\b|\byear\b", re.IGNORECASE)
_CVE_ASKED = re.compile(r"\b(?:what|which) CVE\b", re.IGNORECASE)
_CVE = re.compile(r"\bCVE[- ]\d{4}-\d{4,}", re.IGNORECASE)
_SIGN = re.compile(r"(?:\A|[\s(])[+\-−$€£¥]\Z")
_AROUND = 20
_ANCHORED = 1.0  # a clause's first words answer it more often than words from its middle
_TOLD_WHOLE = re.compile(r"\s*(?:why|how(?! (?:many|much|old|long|far|often)))\b", re.IGNORECASE)
_SHORT_LINE = 45
"""Characters of a line whose end is one of its content, not of the paper."""
_CLAUSE_ENDS = re.compile(r"[,;:\n]|\.\s")


def tightened(question: str, span: RankedSpan, reading: WindowReading) -> RankedSpan:
    """The best few words inside a long answer, if they are nearly as likely as the whole.

    ``reading`` is that of the span's window. Only the place and the text change. What is asked for
    by "why" or "how" is told by a clause, which stays.
    """
    if len(span.text.split()) <= LONG_WORDS or _TOLD_WHOLE.match(question):
        return span
    inside = np.flatnonzero(
        (reading.offsets[:, 0] >= span.start) & (reading.offsets[:, 1] <= span.end)
    ).tolist()
    best: tuple[float, int, int] | None = None
    for first in inside:
        for last in range(first, inside[-1] + 1):
            start, end = int(reading.offsets[first, 0]), int(reading.offsets[last, 1])
            text = span.text[start - span.start : end - span.start]
            if len(text.split()) > LONG_WORDS:
                break
            score = float(reading.starts[first] + reading.ends[last])
            score += _ANCHORED * (first == inside[0])
            if best is None or score > best[0]:
                best = score, start, end
    if best is None or best[0] < span.score - LOSS:
        return span
    _, start, end = best
    text = span.text[start - span.start : end - span.start]
    return replace(span, start=start, end=end, text=text)


def on_one_line(question: str, text: str, span: RankedSpan) -> RankedSpan:
    """A span that crosses the end of a short line: what it has of its first line, or of the next
    one that is of the kind asked for.

    Lines of prose are wrapped where they are long; a short one ends where its content does, as in
    addresses, lists and forms. ``text`` is that of the span's window.
    """
    cuts = [
        at
        for at in range(span.start, span.end)
        if text[at] == "\n" and at - (text.rfind("\n", 0, at) + 1) < _SHORT_LINE
    ]
    lines: list[tuple[int, int]] = []
    for start, end in pairwise([span.start, *cuts, span.end]):
        piece = text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        if kept := piece.strip():
            lines.append((begin, begin + len(kept)))
    if len(lines) < 2:
        return span
    start, end = next((one for one in lines if fits(question, text[slice(*one)])), lines[0])
    return replace(span, start=start, end=end, text=text[start:end])


def whole(question: str, place: Stretch) -> Stretch:
    """A date in full where the question asks when; of "Portland, Oregon" the state asked for; a
    name with the word that it begins with, or after its title; the identifier of which the reader
    took a piece, or the CVE of which it took more; of a row of a table what stands under one label.

    >>> from ragcli.types import Part
    >>> text = "It opened on 8 October 2022 in Portland, Oregon."
    >>> part = Part(1, "d", "", 0, len(text), 1, 1, text)
    >>> whole("When did it open?", Stretch(part, 15, 27)).text
    '8 October 2022'
    >>> whole("In which state did it open?", Stretch(part, 31, 47)).text
    'Oregon'
    >>> text = "It fixes CVE-2024-1135."
    >>> whole("Which CVE is it?", Stretch(Part(1, "d", "", 0, 23, 1, 1, text), 18, 22)).text
    'CVE-2024-1135'
    """
    place = _full_name(_with_sign(_in_one_field(without_marks(place))))
    if _WHEN.search(question):
        return _full_date(place)
    if _LARGE.search(question) and _PLACES.fullmatch(place.text):
        cut = place.text.rindex(", ") + 2
        return replace(place, start=place.start + cut)
    if _CVE_ASKED.search(question) and len(found := list(_CVE.finditer(place.text))) == 1:
        first = place.start + found[0].start()
        return replace(place, start=first, end=first + len(found[0][0]))
    return place if _COUNTS.search(question) else _whole_identifier(place)


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
    text, first = place.part.text, place.part.start
    start = text.rfind("\n", 0, place.start - first) + 1
    line = text[start:].partition("\n")[0]
    start += first
    for field in (field for record in records(line) if record.row for field in record.fields):
        if place.start < start + field.end:
            begin, end = max(place.start, start + field.start), min(place.end, start + field.end)
            return replace(place, start=begin, end=end) if begin < end else place
    return place


def _with_sign(place: Stretch) -> Stretch:
    """A number with its sign: "+49 3581" for "49 3581", "-5" for "5"."""
    before = place.part.text[: place.start - place.part.start]
    signed = place.text[:1].isdigit() and _SIGN.search(before)
    return replace(place, start=place.start - 1) if signed else place


def _full_name(place: Stretch) -> Stretch:
    """A name of which the place has only the end ("Hampshire") or the title ("Mrs")."""
    text, first = place.part.text, place.part.start
    before = _NAME_BEGINS.search(text[: place.start - first])
    if before and place.text[:1].isupper():
        place = replace(place, start=first + before.start())
    after = _NAME_GOES_ON.match(text, place.end - first)
    if after and _ONLY_TITLE.fullmatch(place.text):
        place = replace(place, end=first + after.end())
    return place


def _within_quotes(place: Stretch) -> Stretch:
    """The part of a place that stands in the quotes of which it holds one: "TERM` signal". A clause
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


def enumerated(place: Stretch) -> Stretch:
    """All items of the enumeration that a place is one of; the place itself if it is in none."""
    part = place.part
    start, end = enumeration_around(part.text, place.start - part.start, place.end - part.start)
    return Stretch(part, part.start + start, part.start + end)


def clause_around(place: Stretch) -> str:
    """The words between the commas and other marks around a place.

    >>> from ragcli.types import Part
    >>> text = "46 beds, in summer from June; 8 beds in the winter room, always open"
    >>> clause_around(Stretch(Part(1, "d", "", 0, len(text), 1, 1, text), 30, 31))
    '8 beds in the winter room'
    """
    text, first = place.part.text, place.part.start
    before = [m.end() for m in _CLAUSE_ENDS.finditer(text, 0, place.start - first)]
    after = _CLAUSE_ENDS.search(text, place.end - first)
    return text[before[-1] if before else 0 : after.start() if after else len(text)].strip()


def _full_date(place: Stretch) -> Stretch:
    """The date that holds a place, if there is one."""
    text, first = place.part.text, place.part.start
    begin = max(0, place.start - first - _AROUND)
    for match in DATE.finditer(text, begin, place.end - first + _AROUND):
        if match.start() <= place.start - first and place.end - first <= match.end():
            return Stretch(place.part, first + match.start(), first + match.end())
    return place
