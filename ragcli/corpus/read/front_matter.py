"""Reads the YAML front matter of a Markdown file as fields: author, date, tags and any other.

Front matter is small and written by people, but a file may come from anywhere. So this reads a
limited length, builds no objects, and refuses aliases, which can stand for texts of any size.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterator, Mapping
from typing import Any

from ragcli.text.words import one_line

_log = logging.getLogger(__name__)

# Characters of front matter that are read, fields that are kept, and characters of a value.
LONGEST = 20_000
MOST = 100
LONGEST_VALUE = 300
# Lists and mappings in each other of which values are kept; and that are read at all.
_DEEPEST = 5
_NESTED = 100


def fields(matter: str) -> tuple[tuple[str, str], ...]:
    """The (name, value) pairs of front matter, without repeats; empty if it cannot be read.

    Names are in lower case. A list gives a pair for each value, a mapping names with a dot. Dates
    are in ISO 8601.

    >>> fields("---\\nAuthor: Ada\\ntags: [a, b]\\ndate: 2026-01-31\\n---\\n")
    (('author', 'Ada'), ('tags', 'a'), ('tags', 'b'), ('date', '2026-01-31'))
    """
    body = "\n".join(matter.rstrip().split("\n")[1:-1])
    if len(body) > LONGEST:
        _log.debug("front matter of %d characters is not read", len(body))
        return ()
    try:
        found = _load(body)
        return flattened(found) if isinstance(found, dict) else ()
    # PyYAML passes on what its tables, int(), float(), chr() and date() say of hostile values.
    except Exception as error:
        _log.debug("front matter cannot be read: %r", error)
        return ()


def flattened(mapping: Mapping[Any, Any]) -> tuple[tuple[str, str], ...]:
    """The (name, value) pairs of a mapping of values, lists and mappings, without repeats.

    >>> flattened({"Place": {"town": "Skive"}, "pages": [1, 2], "note": None})
    (('place.town', 'Skive'), ('pages', '1'), ('pages', '2'))
    """
    pairs = dict.fromkeys(
        (name, value)
        for key, given in mapping.items()
        for name, value in _flat(one_line(str(key)).casefold(), given, 0)
        if name and value
    )
    return tuple(pairs)[:MOST]


def _load(body: str) -> Any:
    """The value of a YAML text without aliases. Raises YAMLError and almost any other."""
    import yaml

    depth = 0
    for event in yaml.parse(body, yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read in front matter")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        # PyYAML looks at all open collections at each sign.
        if depth > _NESTED:
            raise yaml.YAMLError(f"more than {_NESTED} collections in each other")
    return yaml.safe_load(body)


def _flat(name: str, given: Any, depth: int) -> Iterator[tuple[str, str]]:
    """The pairs of a value: of its items if it is a list or a mapping."""
    if depth > _DEEPEST:
        return
    if isinstance(given, dict):
        for key, value in given.items():
            yield from _flat(f"{name}.{one_line(str(key)).casefold()}", value, depth + 1)
    elif isinstance(given, list | tuple | set):
        for value in given:
            yield from _flat(name, value, depth + 1)
    elif given is not None:
        yield name, _text(given)


def _text(value: Any) -> str:
    """A value on one line; dates in ISO 8601, booleans as YAML writes them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return one_line(str(value))[:LONGEST_VALUE]
