"""The lines of a file as a reply shows them: markup as text, code as it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragcli.text.lines import FENCE, TextLine, lines_of
from ragcli.text.markup import without_emphasis
from ragcli.text.spans import Span

Run = tuple[str, bool]
"""Words, and whether they are marked."""

_BARE = re.compile(
    r"""
      ^[ \t]*\#{1,6}[ ]                               # a heading
    | ^[ \t]*\.\.[ ](?:_[^\n]*:|[\w:-]+::)(?=[ ]?)       # a directive, its argument stays
    | \[\^[^\[\]\s]+\]:?                                # a footnote
    | ^[ \t]*[|+:=\-~^*_][|+:=\-~^*_ \t]*$              # a rule
    """,
    re.VERBOSE | re.MULTILINE,
)
_LINK = re.compile(r"!?\[(?!\d+\])(?P<words>[^\[\]\n]+)\]\[[^\[\]\n]*\]")


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line in runs; ``code``: it is as in the file."""

    runs: tuple[Run, ...]
    code: bool = False

    @property
    def text(self) -> str:
        """The line without marks."""
        return "".join(words for words, _ in self.runs)


def shown_lines(
    text: str, marked: Sequence[Span] = (), code: Sequence[Span] = ()
) -> list[ShownLine]:
    """The lines of ``text``, the spans ``marked`` kept apart; without empty lines at its ends.

    The lines of ``code`` stay as they are, but for fences, which are not shown.

    >>> text = "See **this** [log][].\\n```sh\\nfoo --x\\n```"
    >>> for line in shown_lines(text, [(0, 12)], [(22, 39)]):
    ...     print(line.runs, line.code)
    (('See this', True), (' log.', False)) False
    (('foo --x', False),) True
    """
    lines = lines_of(text)
    numbers = frozenset(
        n for n, line in enumerate(lines) for a, b in code if line.start < b and a <= line.end
    )
    kept = _kept(text, lines, numbers)
    found: list[ShownLine] = []
    for n, line in enumerate(lines):
        if FENCE.match(line.text):
            continue
        runs = _runs(text, line, marked, kept)
        if line.text.strip() and not any(words.strip() for words, _ in runs):
            continue
        if runs or (found and found[-1].runs):
            found.append(ShownLine(runs, n in numbers))
    while found and not found[-1].runs:
        found.pop()
    return _outdented(found)


def shown_words(text: str) -> str:
    """The lines of a text as ``shown_lines`` gives them, as one.

    >>> shown_words(":mod:`email` has ``a")
    'email has a'
    """
    return " ".join(" ".join(line.text for line in shown_lines(text)).split())


def _kept(text: str, lines: Sequence[TextLine], code: Collection[int]) -> list[bool]:
    """Which characters are no markup."""
    bare = _LINK.sub(_only_words, _BARE.sub(_blank, without_emphasis(text)))
    kept = [one == other for one, other in zip(text, bare, strict=True)]
    for n in code:
        kept[lines[n].start : lines[n].end] = [True] * len(lines[n].text)
    return kept


def _blank(found: re.Match[str]) -> str:
    return "".join("\n" if one == "\n" else "\0" for one in found[0])


def _only_words(link: re.Match[str]) -> str:
    before, after = link.start("words") - link.start(), link.end() - link.end("words")
    return "\0" * before + link["words"] + "\0" * after


def _runs(
    text: str, line: TextLine, marked: Sequence[Span], kept: Sequence[bool]
) -> tuple[Run, ...]:
    edges = {line.start, line.end}
    edges.update(at for span in marked for at in span if line.start < at < line.end)
    inner = sorted(edges)
    found: list[Run] = []
    for start, end in pairwise(inner):
        words = "".join(text[at] for at in range(start, end) if kept[at])
        inside = any(a <= start and end <= b for a, b in marked)
        if words:
            found.append((words, inside and bool(words.strip())))
    if found:
        words, inside = found[-1]
        found[-1] = words.rstrip(), inside
    return tuple(run for run in found if run[0])


def _outdented(lines: Sequence[ShownLine]) -> list[ShownLine]:
    """The lines without the indent that all of them have."""
    indents = [len(line.text) - len(line.text.lstrip()) for line in lines if line.text.strip()]
    common = min(indents, default=0)
    found = []
    for line in lines:
        left, runs = common, []
        for words, inside in line.runs:
            cut = min(left, len(words))
            left -= cut
            if words[cut:]:
                runs.append((words[cut:], inside))
        found.append(ShownLine(tuple(runs), line.code))
    return found
