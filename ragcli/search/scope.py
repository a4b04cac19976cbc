"""Selects the documents of a scope, and says what is wrong with a scope that selects none."""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import translate
from functools import reduce
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.corpus.ignore import patterns
from ragcli.corpus.printable import printable
from ragcli.errors import InputError
from ragcli.store.snapshot import Snapshot
from ragcli.store.snapshot.document_facts import DocumentDate, FieldValue
from ragcli.types import Scope
from ragcli.types.document_ids import suffixes_of, upward

Int = NDArray[np.int64]

# Suffixes that one name of a type stands for.
_SAME = ({"md", "markdown"}, {"html", "htm", "xhtml"}, {"txt", "text"}, {"adoc", "asciidoc"})
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_AGE = re.compile(r"(\d{1,4})\s*([dwmy])", re.IGNORECASE)
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_HOW = "write a date (2026-01-31, 2026-01, 2026) or an age (7d, 2w, 3m, 1y)"
_EPOCH = 1970
# Values that a hint lists.
_SHOWN = 8


def select(snapshot: Snapshot, scope: Scope, today: datetime.date | None = None) -> Int:
    """The rows of the documents in a scope, rising; at least one.

    Raises InputError, which names what selects nothing and what would select something.
    """
    found = [
        *([_in(snapshot, scope.paths)] if scope.paths else []),
        *([_of_type(snapshot, scope.types)] if scope.types else []),
        *([_since(snapshot, scope.since, today)] if scope.since else []),
        *(_where(snapshot, name, value) for name, value in scope.where),
    ]
    if not found:
        return snapshot.facts.rows()
    rows = reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), found)
    if not len(rows):
        raise InputError(
            f"no document is in this scope: {scope}",
            f"each part alone matches some of them ({', '.join(str(len(x)) for x in found)});"
            " leave one out",
        )
    return rows


def _in(snapshot: Snapshot, paths: Sequence[str]) -> Int:
    """Documents in files that match; each path must match something, or exclude something."""
    files = snapshot.facts.files()
    rows: list[Int] = []
    wanted: set[str] = set()
    unwanted: list[str] = []
    for path in paths:
        if len(row := snapshot.facts.called(path)) and path not in files:
            rows.append(row)  # one record of a JSON Lines file
            continue
        glob = _glob(path)
        if glob.startswith("!"):
            unwanted.append(glob[1:])
        else:
            wanted.update(_matching(files, glob) or _seen_from_here(snapshot, files, path))
    if not rows and len(unwanted) == len(paths):
        wanted.update(files)
    if unwanted:
        excluded = patterns(unwanted)
        wanted = {file for file in wanted if not excluded.match_file(file)}
    rows.append(snapshot.facts.in_files(sorted(wanted)))
    return np.unique(np.concatenate(rows))


def _glob(path: str) -> str:
    """A path as a pattern: without "./"; the current folder is all files.

    >>> _glob("./docs/"), _glob("."), _glob("!docs")
    ('docs/', '*', '!docs')
    """
    negated = path.startswith("!")
    inner = path[negated:].removeprefix("./")
    return "!" * negated + ("*" if inner in ("", ".") else inner)


def _matching(files: Sequence[str], glob: str) -> list[str]:
    """The files that a glob matches."""
    if glob == "*":
        return list(files)
    pattern = patterns([glob])
    return [file for file in files if pattern.match_file(file)]


def _seen_from_here(snapshot: Snapshot, files: Sequence[str], path: str) -> list[str]:
    """The files at a path that exists on this machine, below one of the store's folders.

    Raises InputError if there is no such path, or no document below it.
    """
    there = Path(path).absolute()
    for number, root in enumerate(snapshot.facts.roots()):
        # Ids below a further root begin with that folder's name (corpus/scan.py).
        prefix = "" if number == 0 else f"{Path(root).name}/"
        if there.exists() and there.is_relative_to(root):
            below = there.relative_to(root).as_posix()
            glob = f"/{printable(prefix + ('' if below == '.' else below))}"
            if found := _matching(files, glob if glob != "/" else "*"):
                return found
    raise InputError(
        f"no document matches --in {path!r}",
        _near(path.strip("/"), {*files, *(f for file in files for f in upward(file) if f)})
        or "name a folder or a pattern as in .gitignore; list the documents: ragcli inspect docs",
    )


def _of_type(snapshot: Snapshot, types: Sequence[str]) -> Int:
    wanted: set[str] = set()
    for given in types:
        suffix = given.casefold().lstrip("*").lstrip(".")
        wanted |= next((same for same in _SAME if suffix in same), {suffix})
    held = [(row, suffixes_of(doc)) for row, doc in snapshot.facts.ids()]
    rows = np.array([row for row, found in held if found & wanted], dtype=np.int64)
    if not len(rows):
        counts = Counter(name for _, found in held for name in sorted(found) or [""])
        known = counts.most_common(_SHOWN)
        raise InputError(
            f"no document is of type {' or '.join(types)}",
            "the store has: " + ", ".join(f"{name or 'no suffix'} ({n})" for name, n in known),
        )
    return rows


def earliest(given: str, today: datetime.date) -> datetime.date:
    """The first day that a date or an age means. Raises InputError.

    >>> day = datetime.date(2026, 3, 10)
    >>> str(earliest("2026-02", day)), str(earliest("2w", day))
    ('2026-02-01', '2026-02-24')
    """
    try:
        if found := _DATE.fullmatch(given):
            year, month, day = (int(part or 1) for part in found.groups())
            return datetime.date(year, month, day)
        if found := _AGE.fullmatch(given):
            return today - datetime.timedelta(int(found[1]) * _DAYS[found[2].lower()])
    except (ValueError, OverflowError) as error:
        raise InputError(f"--since {given!r} is not a date: {error}", _HOW) from error
    raise InputError(f"--since {given!r} is not a date", _HOW)


def _since(snapshot: Snapshot, given: str, today: datetime.date | None) -> Int:
    day = earliest(given, today or datetime.date.today())
    dates = snapshot.facts.dates()
    begins = _nanoseconds(day)
    rows = [found.row for found in dates if _is_of(found, day, begins)]
    if not rows:
        raise InputError(
            f"no document is of {day} or later",
            f"the newest is of {max(map(_day, dates))}" if dates else "",
        )
    return np.array(sorted(rows), dtype=np.int64)


def _nanoseconds(day: datetime.date) -> float:
    """When a day begins here, in nanoseconds since 1970; before that is all time."""
    try:
        return datetime.datetime.combine(day, datetime.time()).timestamp() * 1e9
    except (OverflowError, OSError, ValueError):  # a year that the system's clock cannot express
        return -math.inf if day.year < _EPOCH else math.inf


def _is_of(found: DocumentDate, day: datetime.date, begins: float) -> bool:
    """Whether a document is of a day, which ``begins`` then, or later."""
    if not found.date and found.modified_ns is not None:
        return found.modified_ns >= begins  # many documents: no dates are made of their times
    return _day(found) >= day


def _day(found: DocumentDate) -> datetime.date:
    """The date in the front matter, otherwise the day when the file was modified."""
    try:
        return datetime.date.fromisoformat(found.date[:10])
    except ValueError:
        pass  # no date, or one that only people can read
    if found.modified_ns is None:
        return datetime.datetime.fromisoformat(found.updated_at).astimezone().date()
    return datetime.datetime.fromtimestamp(found.modified_ns / 1e9).astimezone().date()


def _where(snapshot: Snapshot, name: str, value: str) -> Int:
    names = {name.casefold(), f"{name.casefold()}s"}  # --where tag=a is a value of tags
    held = snapshot.facts.values(names)
    if "title" in names:
        held = [*held, *snapshot.facts.titles()]
    if not held:
        raise InputError(f"no document has the field {name!r}", _fields(snapshot, name))
    pattern = re.compile(translate(_plain(value)))
    rows = {row for row, text in held if pattern.match(_plain(text))}
    if not rows:
        raise InputError(f"no document has {name}={value}", _values(name, value, held))
    return np.array(sorted(rows), dtype=np.int64)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _fields(snapshot: Snapshot, name: str) -> str:
    known = [*snapshot.facts.fields(), "title"]
    if len(known) == 1:
        return (
            "no document has front matter; documents that an earlier ragcli indexed get their"
            " fields with: ragcli index --rebuild"
        )
    return _near(name.casefold(), known) or f"the fields are: {', '.join(known[:_SHOWN])}"


def _values(name: str, value: str, held: Iterable[FieldValue]) -> str:
    counts = Counter(text for _, text in held)
    if near := _near(value, counts):
        return near
    known = [text for text, _ in counts.most_common(_SHOWN)]
    more = ", ..." if len(counts) > _SHOWN else ""
    return f"values of {name}: {', '.join(known)}{more}"


def _near(given: str, known: Iterable[str]) -> str:
    """A question for the most similar of the known texts, "" if none is similar."""
    folded = {text.casefold(): text for text in known}
    found = get_close_matches(given.casefold(), folded, 1, 0.6)
    return f"did you mean {folded[found[0]]!r}?" if found else ""
