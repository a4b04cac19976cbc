"""Finds the files below the given paths: folders in, ``Source`` records out.

The result depends only on the folders' contents. It does not depend on where the folders are, on
their parent folders, or on the order in which the system lists files. The scan opens only folders
and ignore files, so a named pipe cannot block it.
"""

from __future__ import annotations

import heapq
import os
import re
import stat
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from ragcli.corpus.glob_patterns import GlobPatterns
from ragcli.corpus.ignore import Rules, patterns
from ragcli.corpus.printable import printable
from ragcli.corpus.scan_limit import EVERYWHERE, ScanLimit, holds
from ragcli.errors import InputError
from ragcli.types import Skipped, Source
from ragcli.types.document_ids import file_id

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


OUTER_LINK = "a link to a place outside; to follow it, name it on the command line"

_NO_RULES = Rules()
# What office programs and editors put beside a document while it is open, and Windows into folders.
_OFFICE = re.compile(r"~\$.*|~WR[A-Z]\d+\.tmp|.*\.sw[op]|.*~|#.*#|(?i:thumbs\.db|desktop\.ini)")


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of a scan.

    ``roots`` are the given paths, absolute, in the given order. ``sources`` and ``skipped`` are
    sorted by id. Neither contains hidden or ignored files. ``missing`` are
    roots that cannot be opened.
    """

    roots: tuple[str, ...]
    sources: tuple[Source, ...]
    skipped: tuple[Skipped, ...]
    missing: tuple[str, ...] = ()


def scan(
    paths: Iterable[str | os.PathLike[str]],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    limit: ScanLimit = EVERYWHERE,
    may_miss: Collection[str] = (),
) -> Scan:
    """List the files at and below ``paths``, of any format.

    ``include`` and ``exclude`` are patterns in ``.gitignore`` syntax, matched against paths below
    a root. With ``include``, the scan lists only matching files. The ``paths`` themselves are
    never ignored. The scan follows symbolic links to places at or below the ``paths``, and no
    others; it lists each real file once: under a name
    that is not a link if there is one, otherwise under the first id. Ids below the first root have
    no prefix; ids below a further root begin with that folder's name.

    With a ``limit``, the scan opens only covered folders and their parents, and returns the
    covered part of the full result. If it meets a link, which may point outside the limit, it
    scans everything.

    Raises InputError when a path cannot be opened, unless it is one of ``may_miss``, or when files
    of two roots would share an id.
    """
    # Path.resolve would replace a link that the user named by its target.
    roots = tuple(os.path.abspath(path) for path in paths)  # noqa: PTH100
    walk = _Walk(
        limit=limit,
        include=patterns(include) if include else None,
        exclude=patterns(exclude) if exclude else None,
        root_folders=tuple(os.path.realpath(root) for root in roots),
        may_miss=may_miss,
    )
    for number, root in enumerate(roots):
        walk.enter(root, first=number == 0)
    if limit and (walk.links or walk.root_folders != roots):
        return part_of(scan(paths, include, exclude, may_miss=may_miss), limit)
    walk.follow_links()
    return Scan(
        roots,
        tuple(sorted(walk.sources.values(), key=lambda source: source.id)),
        tuple(sorted(walk.skipped, key=lambda skip: (skip.id, skip.reason))),
        tuple(walk.missing),
    )


def part_of(whole: Scan, limit: ScanLimit) -> Scan:
    """Return the scan with only those sources that ``limit`` covers."""
    return replace(whole, sources=tuple(s for s in whole.sources if limit.covers(s.path)))


class _Entry(NamedTuple):
    """A file system entry. ``below`` is its POSIX path below its root, "" for a root folder.

    ``path`` opens the entry, and ``real`` is its path without links. ``root`` is the path that the
    user gave, ``rules`` are the ignore rules of the folder that contains the entry.
    """

    path: str
    real: str
    root: str
    prefix: str
    below: str
    rules: Rules = _NO_RULES

    @property
    def id(self) -> str:
        """The id of a document in this file: its path below the roots, printable on one line."""
        return file_id(printable(self.prefix + self.below)).rstrip("/") or "."

    def inner(self, name: str, rules: Rules) -> _Entry:
        """Return an entry of this folder."""
        # Three Path objects per file would take most of a scan's time.
        return _Entry(
            f"{self.path.rstrip(os.sep)}{os.sep}{name}",
            f"{self.real.rstrip(os.sep)}{os.sep}{name}",
            self.root,
            self.prefix,
            f"{self.below}/{name}" if self.below else name,
            rules,
        )


@dataclass(slots=True)
class _Walk:
    """The state of one scan. ``seen`` maps real paths to the entries that were listed there."""

    limit: ScanLimit
    include: GlobPatterns | None
    exclude: GlobPatterns | None
    root_folders: tuple[str, ...]
    may_miss: Collection[str] = ()
    missing: list[str] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    root_of: dict[str, str] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    seen: dict[str, _Entry] = field(default_factory=dict)
    links: list[tuple[str, str, _Entry]] = field(default_factory=list)

    def enter(self, root: str, first: bool) -> None:
        """Scan one path that the user gave, even if an ignore file excludes it."""
        name = Path(root).name
        entry = _Entry(root, os.path.realpath(root), root, "" if first else f"{name}/", "")
        try:
            info = Path(root).stat()
        except OSError as error:
            if root in self.may_miss:
                if self.limit.concerns(root):
                    self.missing.append(root)
                return
            raise InputError(
                f"cannot open {printable(root)}: {error.strerror}",
                "check the spelling; relative paths start at the current folder",
            ) from error
        if not self.limit.concerns(root):
            return
        if stat.S_ISDIR(info.st_mode):
            self.list_tree(entry)
        else:
            self.take(entry._replace(prefix="", below=name), info, named=True)

    def list_tree(self, top: _Entry) -> None:
        """Add the files of a folder and of the folders below it, except links."""
        pending = [top]
        while pending:
            folder = pending.pop()
            if not self.is_new(folder, "folder"):
                continue
            try:
                names = sorted(os.listdir(folder.path))  # noqa: PTH208 - no Path per file
            except OSError as error:
                self.skip(folder, f"the folder cannot be read: {error.strerror}", unreadable=True)
                continue
            if _is_store(folder.real, names):
                self.skip(folder, "a ragcli store")
                continue
            rules = folder.rules.inside(folder.path, f"{folder.below}/" if folder.below else "")
            for name in names:
                if name.startswith(".") or _OFFICE.fullmatch(name):
                    continue
                entry = folder.inner(name, rules)
                if not self.limit or self.limit.concerns(entry.path):
                    pending += self.sort_out(entry)

    def sort_out(self, entry: _Entry) -> list[_Entry]:
        """Add a file, queue a link for later, or return a folder to list; skip ignored entries."""
        try:
            info = os.lstat(entry.path)
        except OSError as error:
            self.skip(entry, f"cannot be read: {error.strerror}", unreadable=True)
            return []
        if stat.S_ISLNK(info.st_mode):
            heapq.heappush(self.links, (entry.id, entry.path, entry))
        elif stat.S_ISDIR(info.st_mode):
            if not self.is_ignored(f"{entry.below}/", entry.rules):
                return [entry]
        elif self.is_wanted(entry):
            self.take(entry, info)
        return []

    def follow_links(self) -> None:
        """Scan the targets of links in order of id, after everything that is not a link."""
        while self.links:
            link = heapq.heappop(self.links)[2]
            entry = link._replace(real=os.path.realpath(link.path))
            if not any(holds(root, entry.real) for root in self.root_folders):
                self.skip_outer(entry)
                continue
            try:
                info = Path(entry.path).stat()
            except OSError as error:
                self.skip(entry, f"a broken link: {error.strerror}")
                continue
            if not stat.S_ISDIR(info.st_mode):
                if self.is_wanted(entry):
                    self.take(entry, info)
            elif self.is_ignored(f"{entry.below}/", entry.rules):
                continue
            elif any(holds(entry.real, root) for root in self.root_folders if root != entry.real):
                self.skip(entry, "a link to a folder that contains it")
            else:
                self.list_tree(entry)

    def take(self, entry: _Entry, info: os.stat_result, named: bool = False) -> None:
        """Add a file to the sources; skip it if it is not a regular file or is already listed."""
        if not stat.S_ISREG(info.st_mode):
            self.skip(entry, _KINDS.get(stat.S_IFMT(info.st_mode), "not a regular file"))
            return
        if not self.is_new(entry, "file"):
            return
        size, changed = info.st_size, info.st_mtime_ns
        found = Source(entry.id, entry.path, size, changed, named=named, real=entry.real)
        other = self.sources.setdefault(found.id, found)
        if other is found:
            self.root_of[found.id] = entry.root
        elif self.root_of[found.id] == entry.root:
            # Only a name with unprintable characters is shown like another one beside it.
            self.skip(entry, "a file whose name is shown in the same way is read; rename one")
        else:
            raise InputError(
                f"two files would have the id {found.id}: {printable(other.path)} and "
                f"{printable(found.path)}",
                "index a folder that contains both, or rename one of them",
            )

    def skip_outer(self, entry: _Entry) -> None:
        """Leave out a link that leads outside, perhaps to something private."""
        if self.is_wanted(entry) and not self.is_ignored(f"{entry.below}/", entry.rules):
            there = os.path.exists(entry.path)  # noqa: PTH110 - a Path per link takes longer
            self.skip(entry, OUTER_LINK if there else "a broken link")

    def is_new(self, entry: _Entry, what: str) -> bool:
        """Mark a real path as seen; if it was seen before, record that and return False."""
        first = self.seen.setdefault(entry.real, entry)
        if first is not entry:
            self.skip(entry, f"the same {what} as {first.id}")
        return first is entry

    def is_ignored(self, path: str, rules: Rules) -> bool:
        """Return whether ignore files or ``exclude`` exclude ``path`` (folders end in "/")."""
        excluded = self.exclude is not None and self.exclude.verdict(path)
        return bool(excluded) or rules.ignore(path)

    def is_wanted(self, entry: _Entry) -> bool:
        """Return whether a file is not ignored and ``include`` admits it."""
        included = self.include is None or self.include.match_file(entry.below)
        return included and not self.is_ignored(entry.below, entry.rules)

    def skip(self, entry: _Entry, reason: str, unreadable: bool = False) -> None:
        """Record that an entry is left out, and why."""
        self.skipped.append(Skipped(entry.id, reason, unreadable))


def _is_store(real: str, names: Sequence[str]) -> bool:
    """Return whether a folder is a store: by its name, or by its files if ``--store`` named it."""
    return Path(real).name == ".ragcli" or {"store.sqlite", "lock"} <= set(names)
