"""``.gitignore`` and ``.ragcliignore`` files, read as git reads them."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from ragcli.errors import InputError

_log = logging.getLogger(__name__)

# Read in this order as one list: the last pattern that matches wins, so ours can overrule git's.
_FILES = (".gitignore", ".ragcliignore")


@dataclass(frozen=True, slots=True)
class Rules:
    """The ignore files that hold in a folder: ``(base, patterns)`` from the root downward.

    ``base`` is the path of the folder the file lies in, below the root, with a final "/" ("" for
    the root itself).
    """

    levels: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def inside(self, folder: str, base: str) -> Rules:
        """Return the rules inside ``folder``: these and those of its own ignore files."""
        lines = [line for name in _FILES for line in _lines(Path(folder, name))]
        return Rules((*self.levels, (base, _lenient(lines)))) if lines else self

    def ignore(self, path: str) -> bool:
        """Tell whether ``path`` (below the root, folders with a final "/") is ignored.

        The deepest file with a word on the path decides, as in git. A folder that is ignored is
        never entered, so nothing below it can be brought back.
        """
        for base, spec in reversed(self.levels):
            verdict = spec.check_file(path[len(base) :]).include
            if verdict is not None:
                return verdict
        return False


def patterns(globs: Iterable[str]) -> GitIgnoreSpec:
    """Compile patterns in ``.gitignore`` syntax; raises InputError for one that means nothing."""
    try:
        return GitIgnoreSpec.from_lines(globs)
    except ValueError as error:
        raise InputError(
            f"not a file pattern: {error}", "patterns are written as in .gitignore: *.md, drafts/"
        ) from error


def _lines(path: Path) -> list[str]:
    """Return the lines of an ignore file; none when there is no such regular file to read."""
    try:
        if not path.is_file():  # a pipe of that name would block
            return []
        raw = path.read_bytes()
    except OSError as error:
        _log.debug("%s cannot be read and is ignored: %s", path, error)
        return []
    # Names that are not UTF-8 come from the system with surrogates; patterns must look the same.
    return os.fsdecode(raw.removeprefix(b"\xef\xbb\xbf")).splitlines()


def _lenient(lines: list[str]) -> GitIgnoreSpec:
    """Compile the lines of a file, leaving out those that are no pattern, as git does."""
    good = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            _log.debug("no pattern, left out: %r (%s)", line, error)
            continue
        good.append(line)
    return GitIgnoreSpec.from_lines(good)
