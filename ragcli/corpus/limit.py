"""A scan limited to some paths: what of the folders concerns it, and what lies below them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.errors import InputError


@dataclass(frozen=True, slots=True)
class Limit:
    """Absolute ``paths``, written as the roots of the store are; none: no limit."""

    paths: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.paths)

    def covers(self, path: str) -> bool:
        """Tell whether a path is one of the limit's or lies below one; all are without a limit."""
        return not self.paths or any(_holds(p, path) for p in self.paths)

    def concerns(self, path: str) -> bool:
        """Tell whether the way to something covered leads over ``path``, or it is covered."""
        return self.covers(path) or any(_holds(path, p) for p in self.paths)


EVERYWHERE = Limit()


def limit_to(given: Sequence[str | os.PathLike[str]], roots: Sequence[str]) -> Limit:
    """Return the limit that a user's paths mean, in the words of the store's ``roots``.

    A path may be gone, and may reach a root by another name (a link). Raises InputError for one
    that has nothing to do with any root: an update would silently do nothing.
    """
    return Limit(tuple(dict.fromkeys(_in_words_of(roots, os.fspath(p)) for p in given)))


def _in_words_of(roots: Sequence[str], given: str) -> str:
    path = os.path.abspath(given)  # noqa: PTH100 - not resolve: a link keeps its name
    roots = [os.path.abspath(root) for root in roots]  # noqa: PTH100
    if any(_holds(root, path) or _holds(path, root) for root in roots):
        return path
    real = os.path.realpath(path)
    for root in roots:
        real_root = os.path.realpath(root)
        if _holds(real_root, real):
            return os.path.normpath(os.path.join(root, os.path.relpath(real, real_root)))  # noqa: PTH118
    raise InputError(
        f"{given} is no part of this store", f"it is made from: {', '.join(roots) or 'nothing'}"
    )


def _holds(folder: str, path: str) -> bool:
    """Tell whether ``path`` is ``folder`` or lies below it, by their names alone."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
