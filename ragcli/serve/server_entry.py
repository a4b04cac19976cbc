"""Puts the entry of a server into the text of an assistant's configuration, or takes it out.

Texts in, texts out. What is there stays: a text that cannot be changed without loss is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from ragcli.errors import InputError
from ragcli.serve.jsonrpc import Json

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class UnsafeChange(InputError):
    """A configuration that cannot be changed without loss."""


def servers_in(text: str, servers: str, toml: bool) -> Json:
    """The entries of a configuration by name. Raises UnsafeChange."""
    found = (_toml if toml else _json)(text).get(servers, {})
    if not isinstance(found, dict):
        raise UnsafeChange(f"its member {servers} is no table of servers")
    return found


def with_entry(text: str, servers: str, name: str, entry: Json | None, toml: bool) -> str:
    """The text with this entry instead of the one of its name, or without it for None.

    Raises UnsafeChange for a text that is damaged, has comments (in JSON), or says a name twice.
    """
    there = servers_in(text, servers, toml)
    if entry is None and name not in there:
        return text
    wanted = {key: value for key, value in there.items() if key != name}
    if entry is not None:
        wanted[name] = entry
    if toml:
        return _changed_toml(text, servers, name, entry, wanted)
    return _written(text, {**_json(text), servers: wanted})


def snippet(servers: str, name: str, entry: Json, toml: bool) -> str:
    """The entry as a person would write it into an empty configuration."""
    if toml:
        return _table(servers, name, entry)
    return _written("", {servers: {name: entry}})


def _json(text: str) -> Json:
    if not text.strip():
        return {}
    try:
        found = json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UnsafeChange(f"it is not plain JSON, or has comments: {error}") from None
    if not isinstance(found, dict):
        raise UnsafeChange("it is no JSON object")
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in an object")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def _written(former: str, value: Json) -> str:
    """The value in the former text's indentation and line ends."""
    indent = found[1] if (found := _INDENT.search(former)) else "  "
    text = json.dumps(value, indent=indent, ensure_ascii=False) + "\n"
    return text.replace("\n", "\r\n") if "\r\n" in former else text


def _toml(text: str) -> Json:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnsafeChange(f"it is not valid TOML: {error}") from None


def _table(servers: str, name: str, entry: Json) -> str:
    """The entry as a table; a string of JSON is one of TOML."""
    rows = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    return "\n".join([f"[{servers}.{name}]", *rows, ""])


def _changed_toml(text: str, servers: str, name: str, entry: Json | None, wanted: Json) -> str:
    """The text, comments and order kept: only the lines of the entry's own table change."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    kept = _without_table(text, (f"[{servers}.{name}]", f"[{servers}.{name}."))
    if entry is not None:
        gap = "" if not kept or kept.endswith(line_end * 2) else line_end
        kept += ("" if not kept or kept.endswith("\n") else line_end) + gap
        kept += _table(servers, name, entry).replace("\n", line_end)
    try:
        found = {servers: {}, **tomllib.loads(kept)}
    except tomllib.TOMLDecodeError:
        found = {}  # the name occurs twice
    if found != {**_toml(text), servers: wanted}:
        raise UnsafeChange(f"the entry {name} is not written as a table of its own")
    return kept


def _without_table(text: str, heads: tuple[str, ...]) -> str:
    """The text without the tables whose first lines begin so."""
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            inside = line.lstrip().startswith(heads)
        if not inside:
            kept.append(line)
    return "".join(kept)
