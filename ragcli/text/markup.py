"""Markup in running text: code, addresses, headings and list markers."""

from __future__ import annotations

import re

# YAML between two rules at the very beginning of a Markdown file.
FRONT_MATTER = re.compile(r"---[ \t]*\n(?=[\w\"'-]+[ \t]*:)(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
# Without the lookbehind, the search for a mail address would start again at each letter of a long
# run. An address can begin only where a run begins, or where its rest begins after noise.
_NOISE = re.compile(
    r"^(```|~~~).*?(?:^\1[`~]*\s*$|\Z)|`[^`\n]+`"
    r"|https?://\S+|(?<![^\s*_|`~])\S{1,64}@\S{1,200}\.\w+|^[ \t]*#+[ \t]|[*_|]{1,3}",
    re.MULTILINE | re.DOTALL,
)
_PAGE_LINE = re.compile(
    r"^(?P<page>[\w.:+-]{1,60}\(\d\w{0,5}\)).{0,100}(?P=page)$"
    r"|^\S.{0,100}\S {2,}(?:\S.{0,60})?\b[\w.:+-]{1,60}\(\d[A-Za-z]{0,5}\)$",
    re.MULTILINE,
)
# The level of a line in a log, which is a word in capitals after a time, or the first word.
_LEVEL = re.compile(
    r"^(?P<before>[ \t]*(?:\[?(?:\d|[A-Z][a-z]{2} [ \d]?\d )[^\n]{0,80}?[\s\[|<(])?\[?)"
    r"(?P<level>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)(?=[\]:|>)\s])",
    re.MULTILINE,
)
_MARKS = re.compile(
    r"""
      </?(?:a|abbr|b|br|code|dd|div|dl|dt|em|h[1-6]|i|img|kbd|li|ol|p|pre|samp|small|span|strong
        |sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var)(?:\s[^<>\n]*)?/?>
    | <!--|-->|&(?:[mn]dash|nbsp|lt|gt|amp|quot);
    | !?\[(?P<words>[^\[\]\n]{1,120})\]\((?:[^()\s]|\([^()\s]*\)){1,300}\)   # [text](address)
    | <<[\w.-]+,(?P<shown>[^<>\n]{1,80})>>                            # <<id,text>>
    | (?<!\w):[\w+.-]+(?::[\w+.-]+)?:                                   # :role:`text <target>`
        (?:`(?P<titled>[^`<>]{1,120}?)\s<[^`<>]{1,300}>` | (?=`[^`\n]))   # :role:`text`
    | `(?P<linked>[^`<>]{1,120}?)\s<[^`<>]{1,300}>`__?                  # `text <address>`_
    """,
    re.VERBOSE,
)
_EMPHASIS = re.compile(
    r"`{1,2}_{0,2}|(?<!\w)\*{2,3}(?=[^\s*][^*\n]{0,200}\*\*)|(?<=\S)\*{2,3}(?!\w)"
    r"|(?<![\w*])\*(?=[^\s*][^*\n]{0,80}(?<!\s)\*(?![\w*]))|(?<=[\w)\].])\*(?![\w*])"
)
_VISIBLE = re.compile(r"\S")
_HEADING = re.compile(r"#{1,6}\s")
_BULLET = re.compile(r"(?:\*\)|[-*+•‣◦▪–—]|\(?\d{1,2}[.)]|\([a-z]\))\s+(?=\S)")
_HEADING_WORDS = 9
"""A heading without a mark, or a line that introduces a list, has fewer words than this."""


def blank_noise(text: str) -> str:
    """Replace code, addresses, markup and levels of log lines by as many spaces: they contain no
    names.

    Line breaks and all offsets stay the same.

    >>> blank_noise("2026-01-31 10:00:01 [INFO] Ada saw `x`")
    '2026-01-31 10:00:01 [    ] Ada saw    '
    """
    text = _LEVEL.sub(lambda m: m["before"] + " " * len(m["level"]), text)
    return _NOISE.sub(lambda m: "".join(c if c == "\n" else " " for c in m.group()), text)


def without_page_lines(text: str) -> str:
    """Replace the heads and feet of manual pages by the same number of spaces.

    >>> without_page_lines("foo(1)   Manual   foo(1)\\nFoo does it.").strip()
    'Foo does it.'
    """
    return _PAGE_LINE.sub(lambda line: " " * len(line[0]), text)


def unmarked(text: str) -> str:
    """Replace tags, link targets and roles of Markdown, HTML, reStructuredText and AsciiDoc by the
    same number of spaces.

    A link leaves its text. Placeholders ("<path>") stay, and so do marks of emphasis and code: a
    reader goes by them (docs/adr/technical-documents.md).

    >>> one = unmarked("Set [`limit`](./Server.md#x) to **1** <a id='x'></a>kB.")
    >>> " ".join(one.split())
    'Set `limit` to **1** kB.'
    >>> " ".join(unmarked("See :setting:`task_time` and <<config_dir,*dir*>>, --in=<path>").split())
    'See `task_time` and *dir* , --in=<path>'
    """
    return _MARKS.sub(_only_words, text)


def _only_words(mark: re.Match[str]) -> str:
    """A mark as spaces, but for the words that it is about."""
    if not mark.lastgroup:
        return " " * len(mark[0])
    first, last = mark.span(mark.lastgroup)
    first, last = first - mark.start(), last - mark.start()
    before, words, after = mark[0][:first], mark[0][first:last], mark[0][last:]
    return " " * len(before) + unmarked(words) + _VISIBLE.sub(" ", after)


def without_emphasis(text: str) -> str:
    """Replace what ``unmarked`` does, and the marks of emphasis and code, by spaces.

    >>> without_emphasis("**Default:** `False`, 2**8, f(**kw)").split()
    ['Default:', 'False', ',', '2**8,', 'f(**kw)']
    """
    return _EMPHASIS.sub(lambda mark: " " * len(mark[0]), unmarked(text))


def is_heading(line: str) -> bool:
    """Return whether a line is a heading.

    A heading begins with a mark, or is short, in capitals, and ends without punctuation.
    """
    if _HEADING.match(line):
        return True
    unstopped = is_short(line) and line[-1:] not in ".!?:;|。！？："
    # Scripts without capitals have no lines in capitals.
    return unstopped and not any(c.isdigit() or (c.isalpha() and not c.isupper()) for c in line)


def is_short(line: str) -> bool:
    """Return whether a line is short enough to be a heading or to introduce a list."""
    return len(line.split()) < _HEADING_WORDS


def is_list_item(line: str) -> bool:
    """Return whether a line begins with the mark of a list item."""
    return _BULLET.match(line) is not None


def without_bullet(line: str) -> str:
    """Remove the mark of a list item.

    >>> without_bullet("2. The hut"), without_bullet("2 huts")
    ('The hut', '2 huts')
    """
    mark = _BULLET.match(line)
    return line[mark.end() :] if mark else line


_LIKE_MARKS = re.compile(r"[\[【［]\s*(\^?\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*)\s*[\]】］]")


def restyled(text: str) -> str:
    """Write what looks like a citation mark in round brackets: only ragcli refers to citations.

    >>> restyled("It rained [2][1, 3] in [May].")
    'It rained (2)(1, 3) in [May].'
    """
    return _LIKE_MARKS.sub(r"(\1)", text)
