"""Writes tables of data so that each row can be read alone: "Town: Ribe; Inhabitants: 8257".

A row is a line that begins with "- ", which ends every sentence before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.line_text import LineText
from ragcli.text.words import one_line
from ragcli.types.blocks import Block

_LOOKED_AT = 20
"""Rows at the start of a table in which its head is looked for."""

_LONGEST_HEAD = 80
_SHARE = 0.6


def write_rows(text: LineText, rows: Iterable[tuple[int, Sequence[str]]]) -> str:
    """Write rows, given as (line, cells); return the text above the table's head, its title.

    The head is the first row with at least two cells, all of them words, that is about as wide as
    the table. Of rows with gaps between, those are the table that have the most cells: what is
    above is about it. Without a head, cells are separated by " | ".
    """
    stream = iter(rows)
    first = list(islice(stream, _LOOKED_AT))
    above = _above_table(first)
    at = head_at([cells for _, cells in first[above:]])
    at = head_at([cells for _, cells in first]) if at is None else at + above
    heads: list[str] = []
    title = ""
    made: list[Block] = []
    for number, (line, cells) in enumerate(chain(first, stream)):
        if at is not None and number < at:
            words = [cell for cell in clean_cells(cells) if cell]
            title = title or (words[0] if len(words) == 1 else "")
            text.write(line, " | ".join(words))
        elif number == at:
            heads = clean_cells(cells)
            named = " | ".join(filter(None, heads))
            made.append(_head_block(text.write(line, f"- {named}"), heads))
        elif row := row_text(heads, cells):
            made.append(_row_block(text.write(line, f"- {row}"), heads, cells))
    if made:
        text.blocks.append(Block("table", made[0].start, made[-1].end, tuple(made)))
    return title


def _head_block(at: int, heads: Sequence[str]) -> Block:
    """The head as ``write_rows`` writes it, from ``at`` on."""
    cells = _cell_blocks(at + len("- "), [("", head) for head in heads if head], " | ")
    return Block("head", at, cells[-1].end, tuple(cells))


def _row_block(at: int, heads: Sequence[str], cells: Sequence[str]) -> Block:
    """A row as ``write_rows`` writes it: with a head, each of its cells is named."""
    found = _cell_blocks(at + len("- "), list(_pairs(heads, cells)), "; " if heads else " | ")
    return Block("row", at, found[-1].end, tuple(found))


def _cell_blocks(at: int, pairs: Iterable[tuple[str, str]], between: str) -> list[Block]:
    found: list[Block] = []
    for head, cell in pairs:
        begin = at + (len(head) + len(": ") if head else 0)
        end = begin + len(cell)
        label = Block("label", at, at + len(head))
        value = Block("value", begin, end)
        found.append(Block("field", at, end, (label, value)) if head else Block("cell", at, end))
        at = end + len(between)
    return found


def clean_cells(cells: Sequence[str]) -> list[str]:
    """Return each cell as one normalised line."""
    return [one_line(normalise(cell)[0]) for cell in cells]


def row_text(heads: Sequence[str], cells: Sequence[str]) -> str:
    """Return the cells of a row with their heads, without empty cells."""
    if not heads:
        return " | ".join(filter(None, clean_cells(cells)))
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in _pairs(heads, cells))


def _pairs(heads: Sequence[str], cells: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(head, cell) of the cells that are not empty; "" where a column has no head."""
    for number, cell in enumerate(clean_cells(cells)):
        if cell:
            yield (heads[number] if number < len(heads) else ""), cell


def _above_table(rows: Sequence[tuple[int, Sequence[str]]]) -> int:
    """Return how many rows are above the widest of the blocks between empty lines."""
    blocks: list[tuple[int, int]] = []  # (cells of its widest row, rows above)
    below = 0
    for at, (line, cells) in enumerate(rows):
        width = sum(1 for cell in cells if cell.strip())
        if at == 0 or line > below:
            blocks.append((width, at))
        else:
            blocks[-1] = (max(blocks[-1][0], width), blocks[-1][1])
        below = line + 1 + sum(cell.count("\n") for cell in cells)
    return max(blocks, key=lambda block: block[0], default=(0, 0))[1]


def head_at(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the index of the row that names the columns."""
    widest = max((sum(1 for cell in row if cell.strip()) for row in rows), default=0)
    for at, row in enumerate(rows[:-1]):
        cells = [cell.strip() for cell in row if cell.strip()]
        if len(cells) < max(2, _SHARE * widest):
            continue
        if cells[0].endswith(":"):  # a label, and what it is about
            continue
        names = len(set(cells)) == len(cells) and all(map(_may_name, cells))
        return at if names else None
    return None


def _may_name(cell: str) -> bool:
    """Return whether a cell can be the head of a column: some words, no number."""
    return len(cell) <= _LONGEST_HEAD and any(c.isalpha() for c in cell) and not cell[0].isdigit()
