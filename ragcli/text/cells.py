"""What the cells of a column say: numbers with one unit, dates, or words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ragcli.text.dates import MONTHS
from ragcli.text.readable import readable
from ragcli.text.words import singular
from ragcli.types.tables import CellKind, CellValue

MOST_UNREAD = 0.05
"""The share of its cells that a column of numbers or dates may have as words."""

_MARKED = re.compile(r"[*_`\[\]<>]")
_NOTE = re.compile(r"\[(?:\d{1,3}|[^\W\d_])\](?!\()|<br ?/?>")
_NONE = frozenset("na n/a n.a. nan null none nil tbd unknown".split())
_CODE = re.compile(r"[+-]?0\d+")
"""A number with zeros in front is a code: a post code, an article."""
_PLAIN = re.compile(r"[+-]?\d{1,18}(?P<part>\.\d{1,30})?")
_MEASURED = re.compile(
    r"(?P<before>[$€£¥₹])?[ \u00a0]?(?P<sign>[+\-−])?(?P<number>\d(?:[\d.,'’\u00a0\u202f ]*\d)?)"
    r"(?P<power>[eE][+-]?\d{1,3})?[ \u00a0]?"
    r"(?P<unit>[^\W\d_][^\s\d]{0,11}|[^\w\s.,:;/+-]{1,3}\w{0,8})?"
)
_GAP = "['’\\u00a0\\u202f ]"
_POINT = re.compile(rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,3}}(?:{_GAP}\d{{3}})+|\d+)(?:\.\d+)?")
_COMMA = re.compile(rf"(?:\d{{1,3}}(?:\.\d{{3}})+|\d{{1,3}}(?:{_GAP}\d{{3}})+|\d+)(?:,\d+)?")
_GAPS = re.compile(_GAP)
_MOST_DIGITS = 18
"""SQLite has whole numbers of 64 bits."""

_ISO = re.compile(
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})"
    r"(?:[T ](?P<time>\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)?"
)
_NAMED = re.compile(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?[ -](?P<month>[^\W\d_]{3,9})\.?,?[ -](?P<year>\d{4})"
    r"|(?P<month2>[^\W\d_]{3,9})\.? (?P<day2>\d{1,2})(?:st|nd|rd|th)?,? (?P<year2>\d{4})"
)
_SHORT = re.compile(r"(?P<one>\d{1,2})(?P<joint>[./-])(?P<two>\d{1,2})(?P=joint)(?P<year>\d{4})")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

Measured = tuple[int | float, str]
"""A number and its unit, "" without one."""


@dataclass(frozen=True, slots=True)
class TypedCells:
    """The values of a column, one for each cell; see ``types.TableColumn``."""

    kind: CellKind
    values: Sequence[CellValue]
    unit: str = ""
    unread: int = 0


def cell_text(cell: str) -> str:
    """A cell as it reads: without marks of Markdown, footnotes and line breaks of HTML.

    >>> cell_text("**51**[2]"), cell_text("[`--in`](x.md)"), cell_text("snake_case")
    ('51', '--in', 'snake_case')
    """
    if not _MARKED.search(cell):
        return cell
    text = readable(_NOTE.sub(" ", cell)).strip()
    whole = text.startswith("`") and text.endswith("`") and text.count("`") == 2
    return " ".join((text.strip("`") if whole else text).split())


def is_blank(cell: str) -> bool:
    """Whether a cell says that there is no value: nothing, signs only, or "n/a"."""
    return not any(map(str.isalnum, cell)) or cell.casefold() in _NONE


def typed(cells: Sequence[str]) -> TypedCells:
    """The cells of a column, as they read, as values of one kind.

    >>> typed(["51 Nm", "1,060 Nm", "-"])
    TypedCells(kind='number', values=[51, 1060, None], unit='Nm', unread=0)
    >>> typed(["3 May 2021", "December 24, 2020"]).values, typed(["0171", "12"]).kind
    (['2021-05-03', '2020-12-24'], 'text')
    >>> typed(["3/4/2021"]).kind, typed(["3/4/2021", "25/4/2021"]).values
    ('text', ['2021-04-03', '2021-04-25'])
    """
    filled = Counter({cell: n for cell, n in Counter(cells).items() if not is_blank(cell)})
    if not filled:
        return TypedCells("text", [cell or None for cell in cells])
    most = MOST_UNREAD * filled.total()
    found = min(_readings(filled), key=lambda reading: reading.unread)
    if found.unread > most:
        return TypedCells("text", [cell or None for cell in cells])
    values = [found.values.get(cell) for cell in cells]
    return TypedCells(found.kind, values, found.unit, found.unread)


@dataclass(frozen=True, slots=True)
class _CellReading:
    """The different cells of a column, read in one way; those that cannot be are left out."""

    kind: CellKind
    values: dict[str, CellValue]
    unread: int
    unit: str = ""


def _readings(filled: Counter[str]) -> Iterable[_CellReading]:
    """All ways to read cells, given with how often they occur: numbers come first."""
    if not any(map(_CODE.fullmatch, filled)):
        for shape, joint in ((_POINT, "."), (_COMMA, ",")):
            yield _numbers(filled, partial(_measured, shape=shape, joint=joint))
    ways = [_dates(filled, day_first) for day_first in (True, False)]
    if ways[0].unread != ways[1].unread or ways[0].values == ways[1].values:
        yield from ways  # else nothing says whether the day or the month comes first


def _dates(filled: Counter[str], day_first: bool) -> _CellReading:
    """The cells that are dates."""
    found = {cell: date for cell in filled if (date := _date(cell, day_first))}
    unread = sum(n for cell, n in filled.items() if cell not in found)
    return _CellReading("date", dict(found), unread)


def _numbers(filled: Counter[str], read: Callable[[str], Measured | None]) -> _CellReading:
    """The cells that are numbers with the unit that most of them have."""
    found = {cell: number for cell in filled if (number := read(cell)) is not None}
    units: Counter[str] = Counter()
    for cell, (_, unit) in found.items():
        units[unit] += filled[cell]
    usual = max(units, key=lambda unit: (units[unit], unit), default="")
    values = {cell: number for cell, (number, unit) in found.items() if unit == usual}
    return _CellReading("number", dict(values), filled.total() - units[usual], usual)


def _measured(cell: str, shape: re.Pattern[str], joint: str) -> Measured | None:
    """A number with its unit; ``joint`` is before the digits below one."""
    if joint == "." and (plain := _PLAIN.fullmatch(cell)):
        return (float(cell) if plain["part"] else int(cell)), ""
    found = _MEASURED.fullmatch(cell)
    if found is None or not shape.fullmatch(found["number"]):
        return None
    whole, _, part = found["number"].partition(joint)
    digits = _GAPS.sub("", whole.replace("," if joint == "." else ".", ""))
    if len(digits) > _MOST_DIGITS or len(part) > 2 * _MOST_DIGITS:
        return None
    sign = "-" if found["sign"] in ("-", "−") else ""
    unit = " ".join(filter(None, (found["before"], singular(found["unit"] or ""))))
    if not (part or found["power"]):
        return int(sign + digits), unit
    return float(f"{sign}{digits}.{part or 0}{found['power'] or ''}"), unit


def _date(cell: str, day_first: bool) -> str:
    """A date in ISO 8601, "" for no date. ``day_first``: 3/4/2021 is in April.

    With points or dashes between, the day comes first in any case.
    """
    if found := _ISO.fullmatch(cell):
        date = _iso(found["year"], int(found["month"]), found["day"])
        return f"{date} {found['time']}" if date and found["time"] else date
    if found := _NAMED.fullmatch(cell):
        month = _month(found["month"] or found["month2"])
        return _iso(found["year"] or found["year2"], month, found["day"] or found["day2"])
    if found := _SHORT.fullmatch(cell):
        first, second = found["one"], found["two"]
        if not (day_first or found["joint"] != "/"):
            first, second = second, first
        return _iso(found["year"], int(second), first)
    return ""


def _month(name: str) -> int:
    """The number of a month, given by its name or its first letters; 0 for another word."""
    short = name.casefold()
    return next((n for n, month in enumerate(MONTHS, 1) if month.startswith(short)), 0)


def _iso(year: str, month: int, day: str) -> str:
    """The date, "" if there is no such day."""
    if not (1 <= month <= 12 and 1 <= int(day) <= _DAYS[month - 1]):
        return ""
    return f"{year}-{month:02}-{int(day):02}"
