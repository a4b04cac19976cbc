"""JSON schemas of results, made from the records that the results are made of."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ragcli.serve.jsonrpc import Json

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "number"}
COUNT: Json = {"type": "integer"}
TEXTS: Json = {"type": "array", "items": TEXT}

_PLAIN: dict[Any, Json] = {str: TEXT, int: COUNT, float: NUMBER, bool: {"type": "boolean"}}


def table(properties: Json) -> Json:
    """The schema of an object that has all of these members; it may have more."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def rows(item: Json) -> Json:
    """The schema of a list."""
    return {"type": "array", "items": item}


def record(kind: type, names: Iterable[str] = (), **more: Json) -> Json:
    """The schema of a dataclass, or of some of its fields, with ``more`` members."""
    hints = get_type_hints(kind)
    chosen = list(names) or [field.name for field in fields(kind)]
    return table({**{name: of(hints[name]) for name in chosen}, **more})


def of(hint: Any) -> Json:
    """The schema of the JSON that a value with this type hint becomes.

    >>> of(tuple[int, ...]), of(str | None)
    ({'type': 'array', 'items': {'type': 'integer'}}, {'anyOf': [{'type': 'string'}, \
{'type': 'null'}]})
    """
    if hint in _PLAIN:
        return _PLAIN[hint]
    if hint is type(None):
        return {"type": "null"}
    if is_dataclass(hint) and isinstance(hint, type):
        return record(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"type": "string", "enum": list(args)}
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return rows(of(args[0]))
    if origin is tuple and len(set(args)) == 1:
        return {**rows(of(args[0])), "minItems": len(args), "maxItems": len(args)}
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [of(arg) for arg in args]}
    raise TypeError(f"no JSON schema for {hint!r}")
