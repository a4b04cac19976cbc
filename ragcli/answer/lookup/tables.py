"""Questions that a cell of a table answers: its row is named in the question, and its column.

"Which Node.js versions does Foo 5.0 support?" is answered by the row "5.0" below "Node.js". A
reader sees a row without the heads of its columns, so it takes any number of it. The head of a
table, where it stands in the same passage, tells what each cell is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.answer.lookup.looked_up import LookedUp
from ragcli.answer.windows import Stretch
from ragcli.text.identifiers import holds, identifiers_in
from ragcli.text.markup import without_emphasis
from ragcli.text.words import content_words
from ragcli.types import Part

_TABLE = re.compile(r"^[^|\n]*\|.*\n(?=[ \t|:]*-)[ \t|:-]+(?:\n[^|\n]*\|.*)+", re.MULTILINE)
_CELL = re.compile(r"[^|\n]+")
_LONGEST = 120
"""Characters of the longest cell that is a short answer."""
SURE = 0.7


@dataclass(frozen=True, slots=True)
class _ReadCell:
    """A cell as it reads, with its offsets in the text of its part."""

    text: str
    start: int
    end: int


def cell_answer(question: str, parts: Sequence[Part]) -> LookedUp | None:
    """The cell in the row of the only identifier of a question and a column that it names.

    None if no table has both, or several cells that differ.
    """
    marks = identifiers_in(question)
    beside = content_words(question.replace(marks[-1], " ")) if marks else []
    found: dict[str, LookedUp] = {}
    for part in parts:
        for head, *rows in map(_rows, _TABLE.finditer(part.text)) if marks else ():
            for row in rows:
                if (cell := _asked(head, row, marks[-1], beside)) and _is_answer(cell):
                    start, end = part.start + cell.start, part.start + cell.end
                    found.setdefault(cell.text, LookedUp((Stretch(part, start, end),), SURE))
    return next(iter(found.values())) if len(found) == 1 else None


def _is_answer(cell: _ReadCell) -> bool:
    return any(map(str.isalnum, cell.text)) and len(cell.text) <= _LONGEST


def _rows(table: re.Match[str]) -> list[list[_ReadCell]]:
    """The rows of a table, without the rule below its head."""
    return [row for row in _lines(table) if any(any(map(str.isalnum, c.text)) for c in row)]


def _lines(table: re.Match[str]) -> Iterator[list[_ReadCell]]:
    at = table.start()
    for line in table[0].split("\n"):
        # "a | b" without outer bars has a cell at either end, "| a | b |" has none.
        yield [
            _ReadCell(text, at + cell.start() + lead, at + cell.start() + lead + len(inner))
            for cell in _CELL.finditer(line)
            for inner, lead in [_inner(cell[0])]
            for text in [" ".join(inner.split())]
            if cell[0].strip() or 0 < cell.start() < len(line) - len(cell[0])
        ]
        at += len(line) + 1


def _inner(cell: str) -> tuple[str, int]:
    """What a cell says without the marks around it, and how many characters stand before that."""
    shown = without_emphasis(cell)
    inner = shown.strip()
    lead = len(shown) - len(shown.lstrip())
    return cell[lead : lead + len(inner)], lead


def _asked(
    head: Sequence[_ReadCell], row: Sequence[_ReadCell], mark: str, beside: Sequence[str]
) -> _ReadCell | None:
    """The cell of a row that has the identifier for its key, in the column the question names."""
    keys = [
        i for i, cell in enumerate(row) if holds(cell.text, mark) and len(cell.text.split()) < 3
    ]
    if len(keys) != 1 or len(row) != len(head):
        return None
    shares = [
        0.0 if i == keys[0] else _share(content_words(cell.text), beside)
        for i, cell in enumerate(head)
    ]
    best = max(shares)
    return row[shares.index(best)] if best > 0 and shares.count(best) == 1 else None


def _share(head: Sequence[str], asked: Sequence[str]) -> float:
    """The share of a head's words that a question has."""
    return sum(word in asked for word in head) / max(1, len(head))
