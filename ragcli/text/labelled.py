"""What a text says under labels: rows of tables, "Due date: 21 July", and who signed a letter.

Offices write much that is no sentence. A line names what it tells and then tells it; the rows of a
table do so cell by cell; and a letter is signed below its closing words. Only the layout is
looked at here; ``answer.lookup.fields`` asks for the labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SIGNED = "signed by"
"""The label of the name below the closing words of a letter."""

LONGEST_VALUE = 300
"""Characters of the longest value: a longer one is prose."""

_MARKS = r"[ \t]*(?:(?:[-*+•·–]|\d{1,2}[.)])[ \t]+)?"
_LABEL = r"[^\W\d_][^:;|\n<>{}\[\]()=*]{0,40}?"
_LINE = re.compile(
    rf"{_MARKS}[*_]{{0,3}}(?P<label>{_LABEL})[*_]{{0,3}}:[*_]{{0,3}}[ \t]+(?P<value>\S.*)"
)
_OPEN = re.compile(rf"{_MARKS}[*_]{{0,3}}(?P<label>{_LABEL})[*_]{{0,3}}:[*_]{{0,3}}[ \t]*\Z")
_CELL = re.compile(rf"(?P<label>{_LABEL}):[ \t]+(?P<value>[^;]*[^;\s])")
_ITEM = re.compile(r"(?:[ \t]+(?:[-*+•·–][ \t]+)?|[-*+•·–][ \t]+)(?P<value>\S.*)")
_RULE = re.compile(r"[\s|:]*-[\s|:-]*\Z")
_TABLE_CELL = re.compile(r"[^|\s](?:[^|]*[^|\s])?")
_CLOSING = re.compile(
    r"\s*(?:(?:very |most )?(?:yours|sincerely|faithfully|respectfully|cordially)\b[\w ]{0,24}"
    r"|(?:with |my |our |and |all |the |very )*(?:\w+ )?"
    r"(?:regards|wishes|sympathy|greetings|thanks|love)"
    r"(?: from [\w ]++)?|regards|cheers|love|signed)[ \t]*+[,.:]?\s*+\Z",
    re.IGNORECASE,
)
_CAPITAL = r"[^\W\d_a-z][\w.’'-]*"
_SIGNATURE = re.compile(
    rf"[ \t]*(?:(?:p\.? ?p\.?|i\.? ?A\.?|for)[ \t]+)?"
    rf"(?P<value>{_CAPITAL}(?: (?:(?:de|du|van|von|der|la|le|di|da) )?{_CAPITAL}){{0,4}})"
    r"(?=[ \t]*(?:[,(\n]|\Z))"
)
_PROSE = re.compile(r"[^\W\d_]{3}\.\s+[^\W\d_]")
_MOST_LABEL_WORDS = 5
_FEWEST_CELLS = 2


@dataclass(frozen=True, slots=True)
class LabelledField:
    """A label and where its value stands: ``text[start:end]``."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LabelledRecord:
    """Fields that belong together: those of one row of a table (``row``), or a single one."""

    fields: tuple[LabelledField, ...]
    row: bool


def records(text: str) -> list[LabelledRecord]:
    """All records of a text, in order.

    >>> text = "Name: Ada Fell; Room: 12\\n\\n**Due date:** 3 May\\n\\nYours,\\n\\nPer Lund\\nClerk"
    >>> [[(one.label, text[one.start:one.end]) for one in rec.fields] for rec in records(text)]
    [[('Name', 'Ada Fell'), ('Room', '12')], [('Due date', '3 May')], [('signed by', 'Per Lund')]]
    """
    lines = list(_lines(text))
    found: list[LabelledRecord] = []
    head: list[str] = []
    for at, (start, line) in enumerate(lines):
        if line.lstrip().startswith("|"):
            cells = list(_TABLE_CELL.finditer(line))
            if not head:
                head = [cell[0] for cell in cells]
            elif not _RULE.match(line) and len(cells) == len(head):
                pairs = zip(head, cells, strict=True)
                row = (
                    LabelledField(label, start + c.start(), start + c.end()) for label, c in pairs
                )
                found.append(LabelledRecord(tuple(row), row=True))
            continue
        head = []
        found.extend(_of_line(lines, at))
    return found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text without their ends, and where each begins."""
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line.rstrip("\r\n")
        start += len(line)


def _of_line(lines: list[tuple[int, str]], at: int) -> Iterator[LabelledRecord]:
    """The record that begins in a line that is no row with bars, if there is one."""
    start, line = lines[at]
    cells = list(_CELL.finditer(line))
    if len(cells) >= _FEWEST_CELLS and line.count(";") >= len(cells) - 1:
        fields = (
            LabelledField(_bare(c["label"]), start + c.start("value"), start + c.end("value"))
            for c in cells
        )
        yield LabelledRecord(tuple(fields), row=True)
    elif found := _LINE.match(line):
        if _is_value(found["value"]) and _is_label(found["label"]):
            end = start + len(line.rstrip())
            yield LabelledRecord(
                (LabelledField(found["label"].strip(), start + found.start("value"), end),), False
            )
    elif (opened := _OPEN.match(line)) and _is_label(opened["label"]):
        if items := list(_items(lines, at + 1)):
            yield LabelledRecord(
                (LabelledField(opened["label"].strip(), items[0][0], items[-1][1]),), row=False
            )
    elif _CLOSING.match(line) and (signed := _signature(lines, at + 1)):
        yield LabelledRecord((signed,), row=False)


def _bare(label: str) -> str:
    return re.sub(_MARKS, "", label, count=1).strip()


def _is_label(label: str) -> bool:
    return len(label.split()) <= _MOST_LABEL_WORDS


def _is_value(text: str) -> bool:
    """Whether what stands after a label is no prose: short, and not several sentences."""
    return len(text) <= LONGEST_VALUE and not _PROSE.search(text)


def _items(lines: list[tuple[int, str]], at: int) -> Iterator[tuple[int, int]]:
    """Where the items of a list stand, from a line on until one that is no item."""
    for start, line in lines[at:]:
        item = _ITEM.match(line)
        if item is None:
            return
        yield start + item.start("value"), start + len(line.rstrip())


def _signature(lines: list[tuple[int, str]], at: int) -> LabelledField | None:
    """The name in the first line with words from a line on."""
    for start, line in lines[at : at + 4]:
        if line.strip():
            name = _SIGNATURE.match(line)
            return (
                LabelledField(SIGNED, start + name.start("value"), start + name.end("value"))
                if name
                else None
            )
    return None
