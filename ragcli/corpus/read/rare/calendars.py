"""Reads calendars (.ics, RFC 5545) and address cards (.vcf, RFC 6350; vCard 2.1 too).

An event, task or person is one line, like the row of a table: a quotation needs nothing above it.
Long texts (descriptions, notes) follow on lines of their own, under its name as the heading.
icalendar gives no lines, refuses a file that is cut, and knows no vCard 2.1.
"""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ragcli.corpus.read import text
from ragcli.corpus.read.decode import web_encoding
from ragcli.corpus.read.file_text import FileText, lines_of
from ragcli.corpus.read.line_text import LineText
from ragcli.corpus.read.rare.recurrence import recurrence, shown_time

_PROPERTY = re.compile(r'(?:[\w-]+\.)?(?P<name>[A-Za-z][\w-]*)(?P<given>(?:;(?:[^":]|"[^"]*")*)?):')
_PARAMETER = re.compile(r';(?:([\w-]+)=)?("[^"]*"|[^;]*)')
_QUOTED = re.compile(r"(?i)[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]")
_PART = re.compile(r"(?<!\\);")
_SCHEME = re.compile(r"(?i)\A(?:mailto|tel):")
_ESCAPED = re.compile(r"\\([\\;,nN])")

_KINDS = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Journal", "VCARD": "Name"}
_TEXTS = {"DESCRIPTION": "Description", "COMMENT": "Comment", "NOTE": "Note"}
# In the order in which they are written.
_FACTS = (
    "LOCATION DTSTART=Start DTEND=End DUE COMPLETED DURATION RRULE=Repeats EXDATE=Except "
    "ORGANIZER=Organiser ATTENDEE STATUS PRIORITY CATEGORIES RESOURCES CONTACT NICKNAME "
    "ORG=Organisation TITLE ROLE TEL=Telephone EMAIL=E-mail ADR=Address URL=Web "
    "IMPP=Messenger BDAY=Birthday ANNIVERSARY LANG=Language"
).split()
_LABELS = {
    name: (at, label or name.capitalize())
    for at, (name, _, label) in enumerate(fact.partition("=") for fact in _FACTS)
}
_TIMES = ("DTSTART", "DTEND", "DUE", "COMPLETED", "EXDATE", "BDAY", "ANNIVERSARY")
_PLACES = ("work", "home", "cell", "fax")
_PARTED = ("ADR", "ORG")  # their parts are separated by semicolons


@dataclass(frozen=True, slots=True)
class _Property:
    line: int
    name: str
    given: dict[str, str]
    value: str


@dataclass(slots=True)
class _CalendarEntry:
    """An event, task, journal entry or card that is being read."""

    line: int
    kind: str
    named: str = ""
    facts: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    """Values by their place in the order and their label."""
    texts: list[tuple[int, str]] = field(default_factory=list)


def read(content: bytes, path: str) -> FileText:
    """The entries of a file; one that is no calendar is text."""
    properties = list(_properties(lines_of(content)))
    if not any(each.name == "BEGIN" for each in properties):
        return text.read(content, path)
    made = LineText()
    for entry in _entries(properties):
        if entry.named:
            made.heading(1, entry.named)
        made.write(entry.line, _line(entry))
        for line, words in entry.texts:
            made.write(line, words)
    return made.file_text()


def _line(entry: _CalendarEntry) -> str:
    """An entry as one line: its name and its facts, those with the same label together."""
    kind = _KINDS[entry.kind]
    facts = (f"{label}: {', '.join(entry.facts[_, label])}" for _, label in sorted(entry.facts))
    return "; ".join((f"{kind}: {entry.named}" if entry.named else kind, *facts))


def _properties(lines: Sequence[str]) -> Iterator[_Property]:
    """Yield the properties with the 1-based lines on which they begin, folded lines joined."""
    at = 0
    while at < len(lines):
        first, joined = at, lines[at]
        quoted = _QUOTED.match(joined) is not None
        at += 1
        while at < len(lines) and _goes_on(joined, lines[at], quoted):
            joined = joined[:-1] + lines[at] if quoted else joined + lines[at][1:]
            at += 1
        found = _PROPERTY.match(joined)
        if found is None:
            continue
        given: dict[str, str] = {}
        for key, said in _PARAMETER.findall(found["given"]):
            key = (key or "TYPE").upper()  # vCard 2.1 writes TEL;WORK;VOICE
            given[key] = ",".join(filter(None, (given.get(key), said.strip('"'))))
        value = joined[found.end() :]
        if quoted:
            value = _unquoted(value, given.get("CHARSET", "utf-8"))
        yield _Property(first + 1, found["name"].upper(), given, value.strip())


def _goes_on(above: str, line: str, quoted: bool) -> bool:
    """Whether a line continues the one above: it is indented or, where quoted, "=" ends that."""
    return above.endswith("=") if quoted else line[:1] in (" ", "\t")


def _unquoted(value: str, charset: str) -> str:
    try:
        return quopri.decodestring(value.encode()).decode(web_encoding(charset), "replace")
    except binascii.Error:
        return value


def _entries(properties: Sequence[_Property]) -> Iterator[_CalendarEntry]:
    """Yield the entries; what an alarm or a time zone inside or beside them says is left out."""
    entry: _CalendarEntry | None = None
    inside: list[str] = []
    for each in properties:
        kind = each.value.upper()
        if each.name == "BEGIN":
            inside.append(kind)
            if kind in _KINDS:
                entry = _CalendarEntry(each.line, kind)
        elif each.name == "END":
            if entry is not None and kind == entry.kind:
                yield entry
                entry = None
            if kind in inside:
                del inside[inside.index(kind) :]
        elif entry is not None and inside and inside[-1] == entry.kind:
            _add(entry, each)


def _add(entry: _CalendarEntry, each: _Property) -> None:
    words = " ".join(_plain(each.value).split())
    if not words or each.given.get("ENCODING", "").upper() in ("B", "BASE64"):
        return
    if each.name in ("SUMMARY", "FN"):
        entry.named = words
    elif each.name == "N" and not entry.named:
        family, given, *_ = (*each.value.split(";"), "")
        entry.named = " ".join(_plain(f"{given} {family}").split())
    elif each.name in _TEXTS:
        entry.texts.append((each.line, f"{_TEXTS[each.name]}: {words}"))
    elif each.name in _LABELS:
        at, label = _LABELS[each.name]
        entry.facts.setdefault((at, label + _place(each)), []).append(_value(each, words))


def _place(each: _Property) -> str:
    """The kind of a telephone or an address, in brackets."""
    said = each.given.get("TYPE", "").lower()
    return next((f" ({place})" for place in _PLACES if place in said), "")


def _value(each: _Property, words: str) -> str:
    if each.name in _TIMES:
        zone = each.given.get("TZID", "")
        return ", ".join(shown_time(value, zone) for value in each.value.split(","))
    if each.name == "RRULE":
        return recurrence(each.value)
    if each.name in _PARTED:
        parts = (" ".join(_plain(part).split()) for part in _PART.split(each.value))
        return ", ".join(filter(None, parts))
    words = _SCHEME.sub("", words)
    person = each.given.get("CN", words)
    return words if person == words else f"{person} <{words}>"


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda found: " " if found[1] in "nN" else found[1], value)
