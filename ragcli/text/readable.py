"""Text for people: Markdown without its marks, and tables as lines of words.

Answers quote documents, whose marks are noise on a terminal. The exact text stays in ``--json``.
"""

from __future__ import annotations

import re

# A link or an image with its target; "[1]" and "[1][2]" are marks of citations.
_LINK = re.compile(r"!?\[(?!\d+\])([^\[\]]*)\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\[\]]*\])")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]+\]:?")
_STRONG = re.compile(r"(\*\*\*?|__(?=[^_\s]*\s[^_]*__))(?=\S)(.+?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])")
# Half of a pair of marks, where a sentence was cut out of it.
_OPENED = re.compile(r"(?<![\w)\]*])\*\*(?=\w)|(?<=[\w.,;:!?)])\*\*(?![\w(*])")
# At the beginning of a text, of a line, or after the mark of a citation.
_START = r"(?:(?<=\A)|(?<=\n)|(?<=\] ))"
_HEADING = re.compile(rf"{_START}[ \t]*#{{1,6}}[ \t]+")
_RULE = re.compile(
    r"(?:\|[ \t]*+|(?<![ \t])[ \t]++)?:?(?<!-)-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-{2,}+:?[ \t]*+)+\|?"
)
_ROWS = re.compile(rf"{_START}[ \t]*\|(?:[^|\n]*\|)+")


def readable(text: str) -> str:
    """Markdown as it reads: the words of links and tables, without marks; lines stay lines.

    >>> readable("**Argus**, see [the log][] and [this page](x.html). [1]")
    'Argus, see the log and this page. [1]'
    >>> readable("| 17:00 | Bulletin issued | [1]"), readable("## Tests [1] ## Results")
    ('17:00 – Bulletin issued [1]', 'Tests [1] Results')
    """
    text = _ROWS.sub(_cells, _RULE.sub("", text))
    text = _HEADING.sub("", text)
    # An image may be the text of a link.
    text = _FOOTNOTE.sub("", _LINK.sub(r"\1", _LINK.sub(r"\1", text)))
    text = _STRONG.sub(r"\2", text)
    text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\2", text))
    return _OPENED.sub("", text).strip()


def _cells(rows: re.Match[str]) -> str:
    """The cells of a row, or of several rows on one line, separated for reading."""
    lines = [
        [cell.strip() for cell in row.split("|") if cell.strip()]
        for row in re.split(r"\|[ \t]*\|", rows[0].strip().strip("|"))
    ]
    return "; ".join(" – ".join(cells) for cells in lines if cells)
