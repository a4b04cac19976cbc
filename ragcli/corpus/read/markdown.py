"""Reads Markdown: finds headings, code blocks and tables, and leaves the text unchanged.

This is not a full Markdown parser. One pattern finds what chunking needs, in a twentieth of the
time of markdown-it-py. It matches a code block as a whole, so a comment inside it is no heading.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ragcli.corpus.read import text
from ragcli.corpus.read.file_text import FileText, Heading
from ragcli.corpus.read.front_matter import fields
from ragcli.text.markup import FRONT_MATTER

_FRONT_TITLE = re.compile(r"^title[ \t]*:[ \t]*(?P<title>\S.*)$", re.MULTILINE)
_PART = re.compile(
    r"""^(?:
      (?P<fence>
          [ \t]* (?P<mark> `{3,}(?=[^`\n]*$) | ~{3,} ) .*     # open; "```x``` y" is inline code
          (?: \n.* )*?
          (?: \n[ \t]*(?P=mark)[`~]*[ \t]*$ | \Z )            # close, or end of document
      )
    | (?P<table>
          [^|\n]*\|.*\n
          (?=[^|\n]*\|) [ \t|]*+ :?-++:? [ \t]*+ (?: \| [ \t]*+ :?-++:? [ \t]*+ )*+ \|? [ \t]*+ $
          (?: \n[^|\n]*\|.* )*
      )
    | [ ]{0,3} (?P<marks> \#{1,6} ) (?=[ \t]|$) (?P<atx>.*) $
    | (?<![^\n]\n) (?P<setext> [^\s#>|].* ) \n (?P<under> =+ | -{2,} ) [ \t]* $
    )""",
    re.VERBOSE | re.MULTILINE,
)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\((?:(?!\]\()[^)])*\)|\[[^\[\]]*\])")
_ANCHOR = re.compile(r"(?:(?<![ \t])[ \t]+)?\{#[^{}]*\}$")
_LONGEST_TITLE = 200


def read(content: bytes, _path: str) -> FileText:
    """The text of a Markdown file."""
    return structured(text.load(content))


def structured(document: FileText) -> FileText:
    """Return ``document`` with the title, headings, protected blocks and fields of its Markdown.

    The title is the first heading of level 1, or else the ``title`` of the YAML front matter.
    Fenced code blocks and tables are protected.
    """
    headings: list[Heading] = []
    protected: list[tuple[int, int]] = []
    front = FRONT_MATTER.match(document.text)
    for part in _PART.finditer(document.text, front.end() if front else 0):
        if part["fence"] or part["table"]:
            protected.append(part.span())
        elif part["marks"]:
            headings.append((part.start(), len(part["marks"]), _plain(_unclosed(part["atx"]))))
        else:
            headings.append((part.start(), 1 + (part["under"][0] == "-"), _plain(part["setext"])))
    title = next((name for _, level, name in headings if level == 1 and name), "")
    return replace(
        document,
        title=title or _front_title(front),
        headings=tuple(headings),
        protected=tuple(protected),
        fields=fields(front[0]) if front else (),
    )


def _front_title(front: re.Match[str] | None) -> str:
    """Return the ``title`` of the front matter, "" if there is none."""
    found = _FRONT_TITLE.search(front[0]) if front else None
    return found["title"].strip().strip("\"'") if found else ""


def _plain(heading: str) -> str:
    """Return a heading without its markup: "The `run` [page](x)" -> "The run page"."""
    heading = heading.strip()[:_LONGEST_TITLE]
    words = _LINK.sub(r"\1", _ANCHOR.sub("", heading))
    return words.replace("__", "").replace("*", "").replace("`", "").strip()


def _unclosed(heading: str) -> str:
    """Return a heading without closing marks: " Title ##" -> " Title"."""
    open_end = heading.rstrip().rstrip("#")
    return open_end if not open_end or open_end[-1] in " \t" else heading
