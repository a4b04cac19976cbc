"""The sentences of a text that can say what it is: real ones, of its paragraphs.

A heading, a list, a table, code, a question, a line of a form or a notice of rights introduces
nothing. Structure decides: how the lines are laid out, and whether a sentence is made of words.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Sequence

from ragcli.text.lines import ADORNMENT, TextLine, lines_of
from ragcli.text.markup import is_heading
from ragcli.text.sentences import sentences
from ragcli.text.shown_lines import shown_words
from ragcli.text.spans import Span

FEWEST_WORDS, MOST_WORDS = 5, 70

_WORDY = 0.8
"""The share of a sentence's words, but for its numbers, that are made of letters."""

_NUMBERS = 0.4
"""The share of a sentence's words that may be numbers: dates and times of a report."""

_LOWER = 0.5
"""The share of a sentence's words that begin with no capital; lists of names have fewer."""

_RIGHTS = re.compile(
    r"©|\bcopyright|\blicen[cs]|\bwarrant|\brights?\b[^.]{0,60}\breserved", re.IGNORECASE
)
_CODE = re.compile(r"[{}<>=|\\]|;\s*(?:\n|\Z)|\w\(\w*\)\.|://\S+\s*\Z")
_LITERAL = re.compile(r"``[^`\n]+``|`[^`\n]+`|\bhttps?://[^\s()]+")
_NUMBER = re.compile(r"[^\w\s]*\d[\d.,:/–-]*\W*\Z")
_ITSELF = re.compile(r"This (?:is|(?!also )\w+ (?:is|(?!does )\w+s|will)) ")
_WORD = re.compile(r"[^\w\s]*[^\W\d_]+(?:['’./&+-]{1,2}[^\W_]+)*[^\w\s]*\Z")
_STOPPED = re.compile(r"[.!…。！][\"'”’»)\]*_`]*\Z")
_OPENING = re.compile(
    r"""[ \t]*(?:[rRuUbB]?(?:\"{3}|'{3}))?(?:[/#%;*-]{1,3}[ \t]+)?[ \t]*(?:\*{1,3}(?=\w))?"""
)
"""The mark of a string, a remark of a program or emphasis before its first word."""

_DIRECTIVE = ".."
"""What begins a remark or a directive of reStructuredText; what is deeper below belongs to it."""

_STRINGS = ('"' * 3, "'" * 3)

_DEFINED = re.compile(
    r"\s*[\w:./+-]{2,40}(?:, [\w:./+-]{2,40}){0,5} (?:--?|–|—) [^\W\d_].{15,200}\Z"
)
"""The line of a manual page that says what it is about: "less - opposite of more"."""


def introducing(
    text: str, laid: Collection[Span] = (), headings: Collection[int] = ()
) -> Iterator[Span]:
    """The spans of the sentences of ``text`` that can introduce it, in order.

    ``laid`` are the spans of its tables, lists and code; ``headings`` are offsets at which headings
    begin, besides those with a mark of their own.

    >>> text = "# Boats\\n\\nSee also:\\n\\n- one\\n\\nThe guide tells how boats are built. Go on."
    >>> [text[a:b] for a, b in introducing(text, [(21, 26)])]
    ['The guide tells how boats are built.']
    """
    marked: int | None = None
    for lines in _paragraphs(text, laid, headings):
        first = lines[0]
        if marked is not None and first.indent > marked:
            continue
        marked = first.indent if first.bare.startswith(_DIRECTIVE) else None
        if marked is None:
            yield from _of_paragraph(text, lines)


def _paragraphs(
    text: str, laid: Collection[Span], headings: Collection[int]
) -> Iterator[list[TextLine]]:
    """Lines that stand together, outside of what is laid out otherwise."""
    spans = deque(sorted(laid))
    found: list[TextLine] = []
    for line in lines_of(text):
        while spans and spans[0][1] <= line.start:
            spans.popleft()
        inside = bool(spans) and spans[0][0] < line.end
        if line.bare and not inside and not _is_heading(line, headings):
            found.append(line)
        elif found:
            yield found
            found = []
    if found:
        yield found


def _is_heading(line: TextLine, headings: Collection[int]) -> bool:
    marked = line.text.startswith("#") and is_heading(line.text)
    adorns = ADORNMENT.match(line.bare) is not None
    return marked or adorns or line.start in headings or line.begin in headings


def _of_paragraph(text: str, lines: Sequence[TextLine]) -> Iterator[Span]:
    first, last = lines[0].start, lines[-1].end
    paragraph = text[first:last]
    if _RIGHTS.search(paragraph):
        return
    if len(lines) == 1 and _DEFINED.match(paragraph):
        yield first + len(paragraph) - len(paragraph.lstrip()), last
        return
    for start, end in sentences(paragraph):
        begin, end = _bare(paragraph, start, end)
        if is_prose(paragraph[begin:end]):
            yield first + begin, first + end


def _bare(text: str, start: int, end: int) -> Span:
    """A sentence without what marks a string or a remark of a program."""
    mark = _OPENING.match(text, start)
    begin = mark.end() if mark else start
    closing = [at for mark in _STRINGS if (at := text.find(mark, begin, end)) > 0]
    return begin, min(closing, default=end)


def defines(text: str) -> bool:
    """Whether a line is of the form "less - opposite of more"."""
    return _DEFINED.match(text) is not None


def is_of_itself(sentence: str) -> bool:
    """Whether a text speaks of itself: "This chapter explains", "This folder contains"."""
    return _ITSELF.match(sentence) is not None


def is_prose(sentence: str) -> bool:
    """Whether a sentence is one of words, and whole. One in which a text speaks of itself may name
    others, in capitals, and go without a stop.

    >>> is_prose("The boats lie in the old harbour."), is_prose("int main(void) { return 0; }")
    (True, False)
    >>> is_prose("This folder holds the data of [How Boats Are Built](https://a.b/c)")
    True
    """
    shown = shown_words(_LITERAL.sub("literal", sentence))
    words = shown.split()
    whole = is_of_itself(shown)
    if not FEWEST_WORDS <= len(words) <= MOST_WORDS or not (whole or _STOPPED.search(shown)):
        return False
    first = sentence.lstrip("\"'“‘«¿¡*_")[:1]
    named = first == "`" or (first.isalpha() and not first.islower())
    if not named or shown.count('"') % 2 or _CODE.search(shown):
        return False
    lower = sum(not word.lstrip("\"'“‘«(")[:1].isupper() for word in words)
    wordy = sum(_WORD.match(word) is not None for word in words)
    numbers = sum(_NUMBER.match(word) is not None for word in words)
    if numbers > _NUMBERS * len(words) or wordy < _WORDY * (len(words) - numbers):
        return False
    return whole or lower >= _LOWER * len(words)
