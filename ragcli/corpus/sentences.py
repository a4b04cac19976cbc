"""Rule-based sentence spans: the one splitter of the house.

Chunks, passages, summaries, co-occurrence and answers all cut at the same places, so a
sentence means the same thing everywhere. One compiled pattern finds every place where a
sentence may end; Python looks only at those, about one per sentence.

Two kinds of place end a sentence. A *break* is layout and always does: a blank line, a
heading, a list item, a table row, a fence, and every line end where lines are meant
(``lines.meant``). A *stop* is punctuation, and ``_ends`` judges it
by the word before and the word after.
"""

from __future__ import annotations

import re

from ragcli.corpus import words
from ragcli.corpus.lines import meant_ends

MAX_CHARS = 2000
"""No span is longer: text without punctuation is cut at a line break or a space."""

# Nobody wraps lines by hand at this width, so a line this long is a paragraph by itself.
_PARAGRAPH_LINE = 200

_LONE_LINE = r"""
      [ ]{0,3}\#{1,6}[ \t][^\n]*         # Markdown heading
    | [=\-*_~]{3,}[ \t]*(?=\n|\Z)        # rule, or underline of a setext heading
    | [ ]{0,3}(?:```|~~~)[^\n]*          # code fence
    | [ \t]*\|[^\n]*                     # table row
"""
_ITEM = r"[ \t]*(?:[-*+•‣◦▪]|\(?[0-9]{1,2}[.)]|\([a-z]\))[ \t]+\S"

_PLACES = rf"""
      (?P<stop>
          (?<![.!?…]) [.!?…‽؟।] [.!?…‽؟।"'”’»)\]}}*_`]{{0,40}}+
          (?: [ ][:;]-?[()DP](?=\s) )?
          (?: [ ]? \[ (?:                     # footnote marks: "was found.[12] [13]"
              [0-9a-z]{{1,4}} (?: [ ]?[,–-][ ]?[0-9]{{1,4}} )* | [a-z ]{{1,24}}needed
          ) \] )*
      ) (?=\s)
    | (?P<wide> [。！？｡]+[」』”’）】]* )       # scripts that put no space after a stop
    | \n (?:
          [ \t]*(?=\n)
        | (?=(?P<line>{_LONE_LINE}))
        | (?={_ITEM})
        | (?=[^\n]{{{_PARAGRAPH_LINE}}})
        | (?<=[^\n]{{{_PARAGRAPH_LINE}}}\n)
      )
"""
_PLACE = re.compile(_PLACES, re.VERBOSE)
# The same where some lines are meant: then every line end is looked at.
_PLACE_OR_LINE = re.compile(rf"{_PLACES} | (?P<feed>\n)", re.VERBOSE)
_ALONE = re.compile(rf"{_LONE_LINE} | {_ITEM}", re.VERBOSE)
_FIRST_LINE = re.compile(_LONE_LINE, re.VERBOSE)
_NEXT = re.compile(r"""\s+(?P<open>["'“‘«(\[{*_`¿¡—–-]*)(?P<word>[^\W_]+(?:['’][^\W_]+)?)?""")
_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"""[^\s"'“”‘’«»()\[\]{}*_—–]*\Z""")
_PIECE = re.compile(
    rf"""
      .{{1,{MAX_CHARS}}}\Z
    | .{{{MAX_CHARS // 4},{MAX_CHARS}}}(?=\n)
    | .{{1,{MAX_CHARS}}}(?=\s)
    | .{{1,{MAX_CHARS}}}(?![\u0300-\u036f\u200d\ufe0f])
    """,
    re.VERBOSE | re.DOTALL,
)
_LONE_FULL_STOP = re.compile(r"\.[^.!?…‽؟।]*\Z")
_INNER_STOPS = re.compile(r"(?:[A-Za-z]{1,3}\.)+[A-Za-z]{1,3}\Z")
_NUMBERING = re.compile(r"(?:[0-9]{1,3}(?:\.[0-9A-Za-z]{1,3})*|[IVXLC]{1,7}|[A-Za-z])\Z")
_SPEECH = re.compile(
    r"""\s+(?:I|(?:(?:Mr|Mrs|Ms|Dr|Miss|Sir|Lady|Lord)\.?\s)?[A-Z][a-z]+)\s
    (?:said|asked|cried|replied|answered|exclaimed|shouted|whispered|murmured|muttered|added
    |called|continued|repeated|returned|thought|screamed|yelled|demanded|inquired)\b""",
    re.VERBOSE,
)

_CLOSING_QUOTES = "\"'”’»"


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans ``(start, end)`` of the sentences of ``text``, in order.

    Offsets count characters. Spans do not overlap, have no whitespace at their edges, are at
    most ``MAX_CHARS`` long, and together hold every character that is not whitespace.

    >>> sentences('"Stop!" cried Mr. Fry. It hit 3.5 m.')
    [(0, 22), (23, 36)]
    """
    spans: list[tuple[int, int]] = []
    start = _after_space(text, 0)
    if first := _FIRST_LINE.match(text):
        start = _add(spans, text, start, first.end())
    meant = meant_ends(text, _ALONE, _PARAGRAPH_LINE) if "\n" in text else ()
    for place in (_PLACE_OR_LINE if meant else _PLACE).finditer(text, start):
        if meant and place["feed"] and place.start() not in meant:
            continue
        if place["stop"] and not _ends(text, start, place.start(), place.end()):
            continue
        start = _add(spans, text, start, place.end())
        if place["line"]:
            start = _add(spans, text, start, place.end("line"))
    _add(spans, text, start, len(text))
    return spans


def _after_space(text: str, at: int) -> int:
    """Return the first place from ``at`` on that holds no whitespace."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> int:
    """Append the sentence that fills ``text[start:end]``, in pieces if it is too long.

    ``start`` is no whitespace; returned is the start of the next sentence.
    """
    if end <= start:
        return start
    body = text[start:end].rstrip()
    if len(body) <= MAX_CHARS:
        spans.append((start, start + len(body)))
        return _after_space(text, end)
    at = 0
    while match := _PIECE.match(body, at):
        spans.append((start + at, start + at + len(match[0].rstrip())))
        at = _after_space(body, match.end())
    return _after_space(text, end)


def _ends(text: str, start: int, at: int, end: int) -> bool:
    """Tell whether the stop ``text[at:end]`` ends the sentence that began at ``start``."""
    following = _NEXT.match(text, end)
    if following is None:
        return True
    word = following["word"] or ""
    lower = word.islower() and not following["open"]
    careless = text[start : start + 1].islower()
    if not _LONE_FULL_STOP.match(text, at, end):
        return _ends_loudly(text, end, careless, lower)
    before = _word_before(text, start, at)
    if lower:  # careless typing, or an abbreviation
        plain = len(before) > 2 and before.isalpha() and before not in words.ALWAYS_OPEN
        return plain and (careless or word in words.LOWER_STARTERS)
    if before in words.ALWAYS_OPEN or (
        text[end - 1] in _CLOSING_QUOTES and _SPEECH.match(text, end)
    ):
        return False
    if before in words.OPEN_BEFORE_NUMBER and word[:1].isdigit():
        return False
    if at - start < 16 and _NUMBERING.match(text[start:at].lstrip("([*_")):
        return False  # "1. First", "IV. The siege": the number belongs to what it numbers
    doubtful = (
        before in words.OPEN_BEFORE_NAME
        or (len(before) == 1 and before.isalpha() and before != "I")
        or _INNER_STOPS.match(before) is not None
    )
    return not doubtful or word in words.STARTERS


def _word_before(text: str, start: int, at: int) -> str:
    """Return the word that ends at ``at``, without quotes and brackets, within the sentence."""
    match = _WORD.search(text[max(start, at - 24) : at])
    return match[0] if match else ""


def _ends_loudly(text: str, end: int, careless: bool, lower: bool) -> bool:
    """Judge a stop of more than one character, or one that is no full stop."""
    if lower:
        return careless and text[end - 1] in "?!"
    return not (text[end - 1] in _CLOSING_QUOTES and _SPEECH.match(text, end))
