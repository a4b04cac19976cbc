"""Patterns of ``.gitignore`` as regular expressions that match in time polynomial in their length.

A pattern in a downloaded folder is not to be trusted: the usual translation of ``*a*a*a*b`` (that
of pathspec) tries every way to distribute the stars. Here each star but the last one takes the
first place where what follows it matches, which is enough, and never tries another. Rules as in
https://git-scm.com/docs/gitignore: a class that is not closed matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

LONGEST = 1000
"""Characters of a pattern; a name has 255 at most."""

_POSIX = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": " \\t\\n\\r\\f\\v",
    "blank": " \\t",
    "punct": "!-.:-@\\[-`{-~",
    "xdigit": "0-9a-fA-F",
}
_TRAILING_SPACES = re.compile(r"(?:(?<![\\ ])|(?<=\\ )) +\Z")
_CLASS_ITEM = re.compile(
    r"\[:(?P<name>\w+):\]|(?P<first>\\.|[^\\])-(?P<last>\\.|[^\\\]])|(?P<one>\\.|[^\\])", re.DOTALL
)
_NEVER = "(?!)"


@dataclass(frozen=True, slots=True)
class GlobPattern:
    """One line of an ignore file. ``includes``: it begins with "!", so what it matches is kept."""

    regex: re.Pattern[str]
    includes: bool

    def matches(self, path: str) -> bool:
        """Return whether the pattern matches a path itself.

        Paths are relative to the ignore file; those of folders end in "/". What lies below an
        ignored folder is ignored because nobody enters the folder: as in git, "!folder/" keeps a
        folder and decides nothing about its files.
        """
        return self.regex.match(path) is not None


class GlobPatterns:
    """The patterns of a file, of which the last one that matches decides."""

    def __init__(self, patterns: Iterable[GlobPattern]) -> None:
        self._patterns = tuple(patterns)

    def verdict(self, path: str) -> bool | None:
        """Return whether a path is selected; None if no pattern matches the path itself."""
        for pattern in reversed(self._patterns):
            if pattern.matches(path):
                return not pattern.includes
        return None

    def match_file(self, path: str) -> bool:
        """Return whether a file is selected; a pattern that matches a folder selects its files."""
        above = [path[: at + 1] for at, sign in enumerate(path) if sign == "/"]
        for pattern in reversed(self._patterns):
            if any(map(pattern.matches, (path, *above))):
                return not pattern.includes
        return False


def compiled(line: str) -> GlobPattern | None:
    """Compile a line of an ignore file; None for a comment or an empty line.

    Raises ValueError for a pattern that is too long, or has nothing between "/" and the end.
    """
    if line.startswith("#"):
        return None
    text = _TRAILING_SPACES.sub("", line.rstrip("\r\n"))
    if not text:
        return None
    includes = text.startswith("!")
    text = text[includes:]
    if len(text) > LONGEST:
        raise ValueError(f"a pattern of {len(text):,} characters; at most {LONGEST:,} are read")
    if not text.strip("/"):
        raise ValueError(f"{text or '!'!r} names no file")
    body = text.removesuffix("/")
    parts = body.removeprefix("/").split("/")
    if "/" not in body:
        parts.insert(0, "**")
    # No path has an empty name.
    made = _path(parts, folders_only=text.endswith("/")) if all(parts) else _NEVER
    return GlobPattern(re.compile(made, re.DOTALL), includes)


def _path(parts: list[str], folders_only: bool) -> str:
    """The regular expression of a path of several names; "**" stands for any number of names."""
    inside = _is_any_names(parts[-1])  # everything in the folder, but not the folder itself
    groups: list[list[str]] = [[]]
    for part in parts[:-1] if inside else parts:
        if _is_any_names(part):
            groups.append([])
        else:
            groups[-1].append(_name(part))
    first, *others = ["/".join(group) for group in groups]
    made = first
    for number, (before, group) in enumerate(pairwise((first, *others)), start=2):
        slash = "/" if before else ""
        if not group:
            continue
        skipped = f"{slash}(?:[^/]+/)*?{group}(?=/|\\Z)"
        made += skipped if number == len(groups) else f"(?>{skipped})"
    if inside:
        below = ".+/\\Z" if folders_only else ".+"
        return f"{made}/{below}" if any(groups) else below
    return f"{made}/\\Z" if folders_only else f"{made}/?\\Z"


def _is_any_names(part: str) -> bool:
    return len(part) > 1 and not part.strip("*")


def _name(glob: str) -> str:
    """The regular expression of one name."""
    chunks = _chunks(glob)
    if chunks is None:
        return _NEVER
    first, *others = chunks
    if not others:
        return first
    *middle, last = others
    stars = "".join(f"(?>[^/]*?{chunk})" for chunk in middle if chunk)
    # A star matches the empty text, but no name is empty.
    return f"(?=[^/]){first}{stars}[^/]*{last}(?=/|\\Z)"


def _chunks(glob: str) -> list[str] | None:
    """Split a name at its stars, each part as an expression of fixed length; None: no match."""
    chunks = [""]
    at = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "*":
            chunks.append("")
        elif char == "?":
            chunks[-1] += "[^/]"
        elif char == "[":
            end = _class_end(glob, at)
            if end < 0:
                return None
            chunks[-1] += _class(glob[at:end])
            at = end + 1
        elif char == "\\":
            if at == len(glob):
                return None
            chunks[-1] += re.escape(glob[at])
            at += 1
        else:
            chunks[-1] += re.escape(char)
    return chunks


def _class_end(glob: str, at: int) -> int:
    """Where the class that begins at ``at`` ends, -1 if it does not."""
    begin = at + (glob[at : at + 1] in ("!", "^"))
    at = begin
    while at < len(glob):
        if glob[at] == "]" and at > begin:
            return at
        if glob[at] == "\\":
            at += 1
        elif glob.startswith("[:", at) and (close := glob.find(":]", at + 2)) >= 0:
            at = close + 1
        at += 1
    return -1


def _class(content: str) -> str:
    negated = content[:1] in ("!", "^")
    items = []
    for item in _CLASS_ITEM.finditer(content[negated:]):
        if item["name"]:
            items.append(_POSIX.get(item["name"], ""))
        elif item["one"]:
            items.append(re.escape(item["one"][-1]))
        else:  # of a range that ends before it begins, git takes the first character
            first, last = item["first"][-1], item["last"][-1]
            items.append(f"{re.escape(first)}-{re.escape(last if last > first else first)}")
    members = "".join(items)
    if negated:
        return f"[^/{members}]"
    return f"(?!/)[{members}]" if members else _NEVER
