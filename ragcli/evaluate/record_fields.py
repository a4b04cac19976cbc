"""Typed reading of one JSON record: every error names the location and what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from ragcli.errors import InputError

Record = Mapping[str, Any]
Row = tuple[str, Record]  # its location ("file.jsonl:3"), and the record


def refuse(where: str, expected: str, found: object = None) -> InputError:
    """Build the error for a record that cannot be used; ``found`` is shown shortened."""
    shown = "" if found is None else f", found {str(found)[:60]!r}"
    return InputError(
        f"{where}: expected {expected}{shown}",
        "see `ragcli eval --help` for the question formats that can be read",
    )


def json_lines(path: Path) -> list[Row]:
    """Read one object per line (blank lines are skipped); raises InputError with file:line."""
    rows: list[Row] = []
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            where = f"{path}:{number}"
            # A byte-order mark is what Windows editors leave before the first object.
            record = parse(line.removeprefix(b"\xef\xbb\xbf"), where)
            if not isinstance(record, dict):
                raise refuse(where, "a JSON object", record)
            rows.append((where, record))
    return rows


def parse(data: bytes, where: str) -> Any:
    """Parse JSON; raises InputError naming ``where`` and the parser's own reason."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise refuse(where, f"JSON ({error})") from error


def text(record: Record, key: str, where: str) -> str:
    """Read a field that must be non-empty text."""
    value = record.get(key)
    if not isinstance(value, str) or not value.strip():
        raise refuse(where, f'text in "{key}"', value)
    return value.strip()


def optional(record: Record, key: str, where: str) -> str:
    """Read a field that may be absent or null ("" then); numbers are read as text."""
    value = record.get(key)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise refuse(where, f'text in "{key}"', value)
    return str(value).strip()


def texts(record: Record, key: str, where: str) -> tuple[str, ...]:
    """Read a field holding text, a list of texts, or nothing; empty texts are dropped."""
    value = record.get(key)
    items = [] if value is None else value if isinstance(value, list) else [value]
    for item in items:
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            raise refuse(where, f'text or a list of texts in "{key}"', item)
    return tuple(shown for item in items if (shown := str(item).strip()))


def flag(record: Record, key: str, where: str, default: bool) -> bool:
    """Read true or false."""
    value = record.get(key, default)
    if not isinstance(value, bool):
        raise refuse(where, f'true or false in "{key}"', value)
    return value
