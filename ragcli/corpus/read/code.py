"""Reads source code: the text as it is; functions, classes and the like are headings.

Patterns find the definitions in each family of languages; there is no parser. The body of a
definition stays whole in a chunk if it can.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from ragcli.corpus.read import text
from ragcli.corpus.read.file_text import FileText, Heading

_PYTHON = r"(?:async[ ]+)?(?P<kind>def|class)[ ]+(?P<name>\w+)"
_BRACES = r"""
    (?:(?:export|default|public|private|protected|internal|static|final|abstract|async
       |pub(?:\(\w+\))?|unsafe|extern|inline|virtual|override|sealed|partial|const|open|data|suspend
       |declare)[ ]+){0,5}
    (?: (?P<kind>class|interface|enum|struct|trait|union|namespace|module|object|record|impl|mod
               |type|protocol|extension)[ ]+(?:<[^>\n]{1,60}>[ ]*)?(?P<name>[A-Za-z_]\w*)
      | (?:function\*?|fn|func|fun|sub|def)[ ]+(?:\([^)\n]{0,80}\)[ ]*)?(?P<function>[A-Za-z_$]\w*)
      | (?:const|let|var)[ ]+(?P<arrow>\w+)[ ]*=[ ]*(?:async[ ]*)?
        (?:function\b|\([^)\n]{0,200}\)[ ]*(?::[^=\n]{1,60})?=>|\w+[ ]*=>)
      | (?!return|else|if|for|while|switch|throw|new|case|delete|goto|typedef)
        [A-Za-z_][\w<>,:*&\[\]?]*(?:[ ]+[\w<>,:*&\[\]?]+){0,4}[ ]+[*&]?
        (?P<method>~?[A-Za-z_][\w:~]*)[ ]*\([^;{}\n]{0,200}\)?[^;{}\n]{0,80}(?:\{|\n[ \t]*\{|,?$)
    )"""
_RUBY = r"(?P<kind>def|class|module)[ ]+(?P<name>[\w.:?!]+)"
_SHELL = r"(?:function[ ]+(?P<name>[\w-]+)|(?P<method>[\w-]+)[ ]*\(\))[ ]*(?:\(\))?\s*\{?"
_SQL = (
    r"create[ ]+(?:or[ ]+replace[ ]+)?(?:temp(?:orary)?[ ]+)?(?P<kind>table|view|function"
    r"|procedure|trigger|index|type)[ ]+(?:if[ ]+not[ ]+exists[ ]+)?(?P<name>[\w.\"`]+)"
)
_LISP = r"\((?:defun|defmacro|define|defn|defclass|defstruct)[ ]+\(?(?P<name>[^\s()]+)"
_R = r"(?P<name>[\w.]+)[ ]*(?:<-|=)[ ]*function\b"
_HASKELL = r"(?P<name>[a-z]\w*)[ ]+::|(?:data|newtype|class|instance|type)[ ]+(?P<function>\w+)"

_FAMILIES = {
    _PYTHON: "py pyi pyw pyx",
    _BRACES: "js mjs cjs jsx ts tsx java kt kts scala swift c h cc cpp cxx hpp hh cs go rs php dart"
    " groovy gradle pl pm lua jl zig m mm v",
    _RUBY: "rb rake ex exs",
    _SHELL: "sh bash zsh ksh",
    _SQL: "sql",
    _LISP: "lisp el clj cljs scm rkt",
    _R: "r",
    _HASKELL: "hs ml mli",
}
_LINE = r"^(?P<indent>[ \t]*)(?:{})"
_TAB = 4
_LONGEST_BODY = 8000  # characters: longer definitions are cut anywhere between lines


_OF_SUFFIX = {
    f".{suffix}": family for family, suffixes in _FAMILIES.items() for suffix in suffixes.split()
}
SUFFIXES = tuple(_OF_SUFFIX)


@cache
def _pattern(suffix: str) -> re.Pattern[str]:
    family = _OF_SUFFIX[suffix]
    flags = re.MULTILINE | re.VERBOSE | (re.IGNORECASE if family is _SQL else 0)
    return re.compile(_LINE.format(family).replace("{{", "{").replace("}}", "}"), flags)


def read(content: bytes, path: str) -> FileText:
    """The text of source code in the language that the suffix names."""
    return _outlined(text.load(content), _pattern(Path(path).suffix.lower()))


def _outlined(document: FileText, pattern: re.Pattern[str]) -> FileText:
    """Return ``document`` with a heading per definition, by indentation, and whole bodies."""
    headings: list[Heading] = []
    indents: list[int] = []
    for match in pattern.finditer(document.text):
        indent = len(match["indent"].expandtabs(_TAB))
        while indents and indents[-1] >= indent:
            indents.pop()
        indents.append(indent)
        names = [value for key, value in match.groupdict().items() if key not in _NOT_NAMES]
        name = next((value for value in names if value), "")
        kind = match.groupdict().get("kind") or ""
        shown = f"{kind} {name}" if kind not in ("", "def") else name
        headings.append((match.end("indent"), len(indents), shown))
    bounds = [*(at for at, _, _ in headings), len(document.text)]
    protected = tuple((at, end) for at, end in pairwise(bounds) if end - at <= _LONGEST_BODY)
    return replace(document, headings=tuple(headings), protected=protected)


_NOT_NAMES = ("indent", "kind")
