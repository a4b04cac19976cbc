"""Applies ``.gitignore`` and ``.ragcliignore`` files with git's rules."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ragcli.corpus.glob_patterns import GlobPattern, GlobPatterns, compiled
from ragcli.corpus.printable import printable
from ragcli.errors import InputError

_log = logging.getLogger(__name__)

# Read in this order as one list. The last matching pattern wins, so .ragcliignore can override
# .gitignore.
_FILES = (".gitignore", ".ragcliignore")
_MOST_BYTES = 1 << 18
"""Bytes of the largest ignore file; every name is compared with every pattern."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The ignore files that apply to a folder: ``(base, patterns)`` from the root downward.

    ``base`` is the path of the ignore file's folder below the root, with a final "/" ("" for the
    root itself).
    """

    levels: tuple[tuple[str, GlobPatterns], ...] = ()

    def inside(self, folder: str, base: str) -> Rules:
        """Return the rules inside ``folder``: these rules and those of its own ignore files."""
        lines = [line for name in _FILES for line in _lines(Path(folder, name))]
        return Rules((*self.levels, (base, _lenient(lines)))) if lines else self

    def ignore(self, path: str) -> bool:
        """Return whether ``path`` (below the root, folders with a final "/") is ignored.

        As in git, the deepest ignore file with a matching pattern decides. The scan does not enter
        an ignored folder, so no pattern can include anything below it again.
        """
        for base, spec in reversed(self.levels):
            verdict = spec.verdict(path[len(base) :])
            if verdict is not None:
                return verdict
        return False


def patterns(globs: Iterable[str]) -> GlobPatterns:
    """Compile patterns in ``.gitignore`` syntax; raises InputError for an invalid pattern."""
    try:
        return GlobPatterns(found for glob in globs if (found := compiled(glob)) is not None)
    except ValueError as error:
        raise InputError(
            f"not a file pattern: {error}", "write patterns as in .gitignore: *.md, drafts/"
        ) from error


def _lines(path: Path) -> list[str]:
    """Return the lines of an ignore file; none if it is not a readable regular file."""
    try:
        if not path.is_file():  # a pipe of that name would block
            return []
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except OSError as error:
        _log.debug("%s cannot be read and is ignored: %s", path, error)
        return []
    if len(raw) > _MOST_BYTES:
        _log.warning("%s has more than %d bytes and is ignored", printable(str(path)), _MOST_BYTES)
        return []
    # The system returns names that are not UTF-8 with surrogates, so patterns need the same form.
    return os.fsdecode(raw.removeprefix(b"\xef\xbb\xbf")).splitlines()


def _lenient(lines: list[str]) -> GlobPatterns:
    """Compile the lines of a file; like git, leave out invalid patterns."""
    good: list[GlobPattern] = []
    for line in lines:
        try:
            pattern = compiled(line)
        except ValueError as error:
            _log.debug("not a pattern, left out: %r (%s)", line, error)
            continue
        if pattern is not None:
            good.append(pattern)
    return GlobPatterns(good)
