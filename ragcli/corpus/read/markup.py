"""Reads text with marks for headings: reStructuredText, AsciiDoc, Org, YAML, TOML and INI.

The text stays as it is, so offsets and lines are those of the file; docutils gives lines of some
nodes only. What a directive of reStructuredText describes (an option, a setting, a function) is a
heading, too; ``.. role::`` describes nothing, it makes a name for markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ragcli.corpus.read import asciidoc, text
from ragcli.corpus.read.file_text import FileText, FormatReader, Heading
from ragcli.corpus.read.outline import TERM

_LONGEST_TITLE = 200
_ADORNED = re.compile(
    r"""^(?P<over>([!-/:-@\[-`{-~])\2{2,})?(?(over)[ \t]*\n)
    (?P<name>(?=[^\n]*\S)[^\n]+)\n
    (?P<under>([!-/:-@\[-`{-~])\5{2,})[ \t]*$""",
    re.VERBOSE | re.MULTILINE,
)
_ORG = re.compile(
    r"^(?P<marks>\*{1,8})[ \t]+(?:(?:TODO|DONE)[ \t]+)?(?P<name>\S.*?)(?<![ \t])"
    r"(?:[ \t]+:[\w@:]+:)?[ \t]*$",
    re.MULTILINE,
)
_ORG_TITLE = re.compile(r"^#\+title:[ \t]*(?P<name>\S.*)$", re.MULTILINE | re.IGNORECASE)
_YAML = re.compile(
    r"^(?P<indent>[ ]*)(?:- )?(?P<name>[^\s#:\-\"'{\[][^\n#:]{0,80}|\"[^\"\n]{1,80}\"):"
    r"[ \t]*(?:[&!]\S+[ \t]*)?(?:\#.*)?$",
    re.MULTILINE,
)
_SECTION = re.compile(r"^[ \t]*\[{1,2}(?P<name>[^\[\]\n]{1,100})\]{1,2}[ \t]*(?:[#;].*)?$", re.M)
_DIRECTIVE = re.compile(r"(?:\.\. |\s)")
_DESCRIBED = re.compile(
    r"(?P<indent>[ ]*)\.\.[ ](?!role::)(?:[a-z]+:)?"
    r"(?:(?:auto|cmd)?(?:function|method|class|attribute|data"
    r"|exception|module|property|decorator|option)|(?:static|class|async)method|coroutine(?:method)?"
    r"|envvar|confval|setting|describe|object|program|macro|member|type|struct|var|directive|role"
    r"|signal|event|command|variable)::[ ]+(?P<name>\S.*)"
)


def _rst(body: str) -> tuple[Heading, ...]:
    """Return headings by their adornment; the first kind of adornment is level 1, and so on."""
    levels: dict[tuple[str, bool], int] = {}
    found: list[Heading] = []
    for match in _ADORNED.finditer(body):
        name, under = match["name"], match["under"]
        over = match["over"] is not None
        if len(under) < len(name.rstrip()) or (not over and _DIRECTIVE.match(name)):
            continue
        if over and match["over"][0] != under[0]:
            continue
        if set(name) <= set("=- \t"):  # a row of a table
            continue
        level = levels.setdefault((under[0], over), len(levels) + 1)
        found.append((match.start(), level, name.strip()))
    return tuple(sorted([*found, *_described(body)], key=lambda heading: heading[0]))


def _described(body: str) -> list[Heading]:
    """Return what directives describe: the name at the directive, "" where its block ends."""
    found: list[Heading] = []
    indents: list[int] = []
    at = 0
    for line in body.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        while line.strip() and indents and indents[-1] >= indent:
            found.append((at, TERM + len(indents) - 1, ""))
            indents.pop()
        if match := _DESCRIBED.match(line):
            found.append((at + indent, TERM + len(indents), match["name"]))
            indents.append(indent)
        at += len(line) + 1
    return found


def _org(body: str) -> tuple[Heading, ...]:
    return tuple((m.start(), len(m["marks"]), m["name"]) for m in _ORG.finditer(body))


def _yaml(body: str) -> tuple[Heading, ...]:
    """Return the keys above other keys, with their depth as level."""
    found: list[Heading] = []
    indents: list[int] = []
    for match in _YAML.finditer(body):
        indent = len(match["indent"])
        while indents and indents[-1] >= indent:
            indents.pop()
        indents.append(indent)
        found.append((match.start("name"), len(indents), match["name"].strip("\"' ")))
    return tuple(found)


def _sections(body: str) -> tuple[Heading, ...]:
    """Return the sections of TOML and INI; a dot in the name separates levels in TOML."""
    return tuple(
        (m.start() + len(m[0]) - len(m[0].lstrip()), 1, m["name"].strip())
        for m in _SECTION.finditer(body)
    )


def _reader(headings_of: Callable[[str], tuple[Heading, ...]], titled: bool) -> FormatReader:
    """Return a reader that adds headings, and the first of level 1 as title if ``titled``."""

    def read(content: bytes, _path: str) -> FileText:
        loaded = text.load(content)
        found = headings_of(loaded.text)
        headings = tuple((at, level, name[:_LONGEST_TITLE]) for at, level, name in found)
        first = next((name for _, level, name in headings if level == 1), "") if titled else ""
        return replace(loaded, headings=headings, title=first)

    return read


read_rst = _reader(_rst, titled=True)
read_asciidoc = _reader(asciidoc.headings_in, titled=True)
read_yaml = _reader(_yaml, titled=False)
read_sections = _reader(_sections, titled=False)
_read_org = _reader(_org, titled=True)


def read_org(content: bytes, path: str) -> FileText:
    """The text of an Org file; ``#+title:`` gives its title."""
    found = _read_org(content, path)
    given = _ORG_TITLE.search(found.text)
    return replace(found, title=given["name"].strip()) if given else found
