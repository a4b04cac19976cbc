"""What a text says under labels: rows of tables, "Due date: 21 July", and who signed a letter.

Offices write much that is no sentence. A line names a fact and then gives it; the rows of a
table do so cell by cell; and a letter is signed below its closing words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragcli.text.lines import TextLine
from ragcli.text.spans import Span
from ragcli.types.blocks import Block

LONGEST_VALUE = 300
"""Characters of the longest value: a longer one is prose."""

_MARKS = r"[ \t]*(?:(?:[-*+•·–]|\d{1,2}[.)])[ \t]+)?"
_LABEL = r"[^\W\d_][^:;|\n<>{}\[\]()=*]{0,40}?"
_LINE = re.compile(
    rf"{_MARKS}[*_]{{0,3}}(?P<label>{_LABEL})[*_]{{0,3}}:[*_]{{0,3}}[ \t]+(?P<value>\S.*)"
)
_OPEN = re.compile(rf"{_MARKS}[*_]{{0,3}}(?P<label>{_LABEL})[*_]{{0,3}}:[*_]{{0,3}}[ \t]*\Z")
_BARRED = re.compile(r" \| ")
_CELL = re.compile(rf"(?P<label>{_LABEL}):[ \t]+(?P<value>[^;]*[^;\s])")
_ITEM = re.compile(r"(?:[ \t]+(?:[-*+•·–][ \t]+)?|[-*+•·–][ \t]+)(?P<value>\S.*)")
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


def rows_in(lines: Sequence[TextLine]) -> Iterator[Block]:
    """Tables whose lines name each of their cells; the line above may name all, with bars between.

    >>> text = "Name: Ada Fell; Room: 12"
    >>> (table,) = rows_in(lines_of(text))
    >>> [[text[part.start : part.end] for part in field.parts] for field in table.parts[0].parts]
    [['Name', 'Ada Fell'], ['Room', '12']]
    """
    rows: list[Block] = []
    above: TextLine | None = None
    for line in lines:
        fields = _cells(line)
        if rows and (not fields or line.start > rows[-1].end + len(line.text) + 1):
            yield _table(rows)
            rows = []
        if fields:
            rows += _heads(above, line) if not rows else ()
            rows.append(Block("row", line.begin, line.stop, fields))
        above = line
    if rows:
        yield _table(rows)


def _table(rows: Sequence[Block]) -> Block:
    return Block("table", rows[0].start, rows[-1].end, tuple(rows))


def _heads(above: TextLine | None, row: TextLine) -> Iterator[Block]:
    """The line above a row as the head, if it is the names of the row's cells."""
    if above is not None and _BARRED.search(above.text):
        names = [name.strip() for name in _BARRED.split(above.bare.lstrip("-*+• "))]
        if names == [cell["label"] for cell in _CELL.finditer(row.text)]:
            yield Block("head", above.begin, above.stop)


def _cells(line: TextLine) -> tuple[Block, ...]:
    cells = list(_CELL.finditer(line.text)) if ";" in line.text else []
    if len(cells) < _FEWEST_CELLS or line.text.count(";") < len(cells) - 1:
        return ()
    return tuple(_field(line.start, cell.span("label"), cell.span("value")) for cell in cells)


def _field(base: int, label: Span, value: Span) -> Block:
    """A label and its value, given as spans from ``base`` on."""
    parts = Block("label", base + label[0], base + label[1]), Block("value", *_moved(base, value))
    return Block("field", base + label[0], base + value[1], parts)


def _moved(base: int, span: Span) -> Span:
    return base + span[0], base + span[1]


def fields_in(lines: Sequence[TextLine]) -> Iterator[Block]:
    """Single labels with their values, and who signed a letter.

    >>> text = "**Due date:** 3 May\\n\\nYours,\\n\\nPer Lund\\nClerk"
    >>> [[text[p.start : p.end] for p in one.parts] for one in fields_in(lines_of(text))]
    [['Due date', '3 May'], ['Yours,', 'Per Lund']]
    """
    for at, line in enumerate(lines):
        if found := _LINE.match(line.text):
            if _is_value(found["value"]) and _is_label(found["label"]):
                value = found.start("value"), len(line.text.rstrip())
                yield _field(line.start, found.span("label"), value)
        elif (opened := _OPEN.match(line.text)) and _is_label(opened["label"]):
            if items := list(_items(lines, at + 1)):
                yield _field(
                    0, _moved(line.start, opened.span("label")), (items[0][0], items[-1][1])
                )
        elif _CLOSING.match(line.text) and (signed := _signature(lines, at + 1)):
            yield _field(0, (line.begin, line.stop), signed)


def _is_label(label: str) -> bool:
    return len(label.split()) <= _MOST_LABEL_WORDS


def _is_value(text: str) -> bool:
    """Whether the text after a label is no prose: short, and not several sentences."""
    return len(text) <= LONGEST_VALUE and not _PROSE.search(text)


def _items(lines: Sequence[TextLine], at: int) -> Iterator[Span]:
    """The places of the items of a list, from a line on until one that is no item."""
    for line in lines[at:]:
        item = _ITEM.match(line.text)
        if item is None:
            return
        yield line.start + item.start("value"), line.stop


def _signature(lines: Sequence[TextLine], at: int) -> Span | None:
    """The place of the name in the first line with words, from a line on."""
    for line in lines[at : at + 4]:
        if line.bare:
            name = _SIGNATURE.match(line.text)
            return _moved(line.start, name.span("value")) if name else None
    return None
