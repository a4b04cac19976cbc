"""A scope: the part of a store's documents that a question is asked of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragcli.errors import InputError

_FIELD = re.compile(r"\s*+(?P<name>[^=\s](?:[^=]*[^=\s])?)\s*+=\s*+(?P<value>.*\S)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents to search; every given part must hold. An empty scope is the whole store.

    ``paths``: folders, files or patterns in .gitignore syntax, one of which must match; ``!`` in
    front excludes. ``types``: suffixes of files, one of which must match. ``since``: the earliest
    date, as 2026-01-31, 2026-01, 2026, or an age: 7d, 2w, 3m, 1y. ``where``: pairs of a field of
    the documents' front matter and its value, all of which must match; ``*`` matches any text.
    """

    paths: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    since: str = ""
    where: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        paths: str | Iterable[str] = (),
        types: str | Iterable[str] = (),
        since: str = "",
        where: Mapping[str, str] | Iterable[str] = (),
    ) -> Scope:
        """A scope from single texts or several; ``where`` as a mapping or as FIELD=VALUE.

        Raises InputError for a ``where`` that is not FIELD=VALUE.

        >>> Scope.of("docs", where=["author = Ada Holm"])
        Scope(paths=('docs',), types=(), since='', where=(('author', 'Ada Holm'),))
        """
        given = where.items() if isinstance(where, Mapping) else map(_pair, _several(where))
        return cls(_several(paths), _several(types), since.strip(), tuple(given))

    def __bool__(self) -> bool:
        """Whether the scope excludes anything."""
        return bool(self.paths or self.types or self.since or self.where)

    def __str__(self) -> str:
        """The scope as options of the command line.

        >>> str(Scope(paths=("docs", "my notes"), since="2026"))
        "--in docs --in 'my notes' --since 2026"
        """
        options = [
            *(("in", path) for path in self.paths),
            *(("type", name) for name in self.types),
            *([("since", self.since)] if self.since else []),
            *(("where", f"{name}={value}") for name, value in self.where),
        ]
        return " ".join(f"--{name} {quoted(value)}" for name, value in options)


def quoted(text: str) -> str:
    """A text as one word of a shell.

    >>> quoted("docs/*.md"), quoted("docs")
    ("'docs/*.md'", 'docs')
    """
    if re.fullmatch(r"[\w@%+=:,./-]+", text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


def _several(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _pair(given: str) -> tuple[str, str]:
    found = _FIELD.fullmatch(given)
    if found is None:
        raise InputError(
            f"{given!r} is not FIELD=VALUE", "for example: author=Ada*, tags=draft, title=Minutes"
        )
    return found["name"], found["value"]
