"""JSON of the form ``[text, [row, row, ...]]`` as columns, which compress to half of the rows.

Numbers are kept as differences: to the number on their left, or without one, to that above. It is
the same JSON again to the byte, or it is not packed at all. Extractions have this form
(extract/codec.py): rows of two offsets, a label, a lemma and the number of a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import orjson

_BETWEEN = "\0"
_MORE = 128
_SEVEN = 7
_LONGEST = 70
_NUMBERS, _TEXTS = 0, 1


def columns_of(data: bytes) -> bytes | None:
    """Pack JSON; None if it is of another form."""
    try:
        first, rows = orjson.loads(data)
        columns = list(zip(*rows, strict=True))
        kinds = [_kind(column) for column in columns]
        packed = [
            _texts(column) if kind == _TEXTS else _varints(_differences(columns, kinds, at))
            for at, (column, kind) in enumerate(zip(columns, kinds, strict=True))
        ]
        head = orjson.dumps([first, len(rows), kinds, [len(part) for part in packed]])
        made = len(head).to_bytes(4, "little") + head + b"".join(packed)
        return made if rows_of(made) == data else None
    except (ValueError, TypeError):
        return None


def rows_of(packed: bytes) -> bytes:
    """The JSON that ``columns_of`` packed. Raises ValueError if it is damaged."""
    size = 4 + int.from_bytes(packed[:4], "little")
    first, count, kinds, lengths = orjson.loads(packed[4:size])
    columns: list[Sequence[Any]] = []
    for at, (kind, length) in enumerate(zip(kinds, lengths, strict=True)):
        part, size = packed[size : size + length], size + length
        if kind == _TEXTS:
            column: Sequence[Any] = part.decode().split(_BETWEEN)
        else:
            steps = _numbers(part)
            beside = at and kinds[at - 1] == _NUMBERS
            left = columns[at - 1] if beside else [0, *accumulate(steps)]
            column = [a + b for a, b in zip(left, steps, strict=False)]
        if len(column) != count:
            raise ValueError(f"{len(column)} values for {count} rows")
        columns.append(column)
    return orjson.dumps([first, list(zip(*columns, strict=True))])


def _kind(column: Sequence[Any]) -> int:
    """Raises TypeError for values that are not all numbers or all texts."""
    if all(type(value) is int for value in column):
        return _NUMBERS
    if all(type(value) is str and _BETWEEN not in value for value in column):
        return _TEXTS
    raise TypeError("neither numbers nor texts")


def _texts(column: Sequence[str]) -> bytes:
    return _BETWEEN.join(column).encode()


def _differences(columns: Sequence[Sequence[int]], kinds: Sequence[int], at: int) -> list[int]:
    beside = at and kinds[at - 1] == _NUMBERS
    left = columns[at - 1] if beside else [0, *columns[at]]
    return [b - a for a, b in zip(left, columns[at], strict=False)]


def _varints(numbers: Sequence[int]) -> bytes:
    """Raises ValueError for a negative number."""
    out = bytearray()
    for number in numbers:
        if number < 0:
            raise ValueError("a negative difference")
        while number >= _MORE:
            out.append(number & (_MORE - 1) | _MORE)
            number >>= _SEVEN
        out.append(number)
    return bytes(out)


def _numbers(data: bytes) -> list[int]:
    out, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & (_MORE - 1)) << shift
        shift += _SEVEN
        if shift > _LONGEST:
            raise ValueError("a number is too large")
        if byte < _MORE:
            out.append(value)
            value = shift = 0
    return out
