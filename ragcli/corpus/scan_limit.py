"""Limits a scan to some paths: which folders it must enter, and which files it covers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.errors import InputError


@dataclass(frozen=True, slots=True)
class ScanLimit:
    """The absolute ``paths`` that a scan is limited to, below the store's roots; () is no limit."""

    paths: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.paths)

    def covers(self, path: str) -> bool:
        """Return whether a path is at or below one of ``paths``; always true without a limit."""
        return not self.paths or any(holds(p, path) for p in self.paths)

    def concerns(self, path: str) -> bool:
        """Return whether ``path`` is covered or is a parent folder of a covered path."""
        return self.covers(path) or any(holds(path, p) for p in self.paths)


EVERYWHERE = ScanLimit()


def limit_to(given: Sequence[str | os.PathLike[str]], roots: Sequence[str]) -> ScanLimit:
    """Return the limit for a user's paths, rewritten to lie below the store's ``roots``.

    A path need not exist any more, and it may reach a root through a link. Raises InputError for
    a path that is unrelated to all roots, because an update would silently do nothing.
    """
    return ScanLimit(tuple(dict.fromkeys(_in_words_of(roots, os.fspath(p)) for p in given)))


def _in_words_of(roots: Sequence[str], given: str) -> str:
    path = os.path.abspath(given)  # noqa: PTH100 - not resolve: a link keeps its name
    roots = [os.path.abspath(root) for root in roots]  # noqa: PTH100
    if any(holds(root, path) or holds(path, root) for root in roots):
        return path
    real = os.path.realpath(path)
    for root in roots:
        real_root = os.path.realpath(root)
        if holds(real_root, real):
            return os.path.normpath(os.path.join(root, os.path.relpath(real, real_root)))  # noqa: PTH118
    raise InputError(
        f"{given} is not part of this store",
        f"the store indexes: {', '.join(roots) or 'nothing'}",
    )


def holds(folder: str, path: str) -> bool:
    """Return whether ``path`` is ``folder`` or lies below it, comparing only the names."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
