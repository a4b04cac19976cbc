"""Where an enumeration begins and ends: "Linux, macOS and Solaris" around "macOS".

Only marks, "and", "or" and the looks of words are used, so what is no plain list of few words is
left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragcli.text.spans import Span

_BRACKET = re.compile(r"\([^()\n]{0,80}\)|\[[^\[\]\n]{0,20}\]")
_JOINT = re.compile(
    r"\s*[,;]\s*(?:(?P<last>and|or|&|as well as)(?=\s))?\s*"
    r"|\s+(?P<only>and|or|&|as well as)\s+"
)
_ENDS = re.compile(r"[.:!?](?=\s|\Z)|\s(?:[–—]|-{1,2})\s|—|\n\s*\n|\|")
_WORD = re.compile(r"\S+")
_FUNCTION = frozenset(
    """is are was were be been being has have had which who whom that when where while because if
    but do does did will would can could may might must should shall it he she they we i you there
    then so than not also both either in on at by from with for to into onto over under as after
    before during since until through between among against within without about like including
    include includes such were via them him us me its his her their these those this called named
    became made""".split()
)
_SMALL = frozenset(
    "the a an of de la le du des von van der den and & al el dr mr mrs ms st".split()
)
_OBJECTS = frozenset("them him it us me the a an this that".split())
"""After the first words of an item these show that it is a verb."""
MOST_WORDS = 7
"""Words of the longest item."""


@dataclass(frozen=True, slots=True)
class _EnumeratedText:
    """What stands between two joints, and whether "and" or "or" stands before it."""

    start: int
    end: int
    joined: bool


def enumeration_around(text: str, start: int, end: int) -> Span:
    """The enumeration that ``text[start:end]`` is an item or several items of; (start, end) if it
    is in none.

    >>> text = "It runs on Linux, macOS and Solaris since May."
    >>> text[slice(*enumeration_around(text, 18, 23))]
    'Linux, macOS and Solaris'
    >>> text = "It came in May, and Ann left."
    >>> text[slice(*enumeration_around(text, 11, 14))]
    'May'
    """
    left = max((found.end() for found in _ENDS.finditer(text, 0, start)), default=0)
    stop = _ENDS.search(text, end)
    right = stop.start() if stop else len(text)
    segments = _segments(text, left, right)
    held = [n for n, one in enumerate(segments) if one.start < end and start < one.end]
    if not held:
        return start, end
    capital = _capital(text[start:end])
    last, until = _rightwards(text, segments, held[-1], end, capital)
    first, since = _leftwards(text, segments, held[0], start, capital)
    items = segments[first : last + 1]
    joined = any(one.joined for one in items[1:])
    # A comma before "and" begins a new clause, unless there are more items.
    clause = len(items) == 2 and "," in text[items[0].end : items[1].start]
    return (since, until) if joined and not clause else (start, end)


def _segments(text: str, left: int, right: int) -> list[_EnumeratedText]:
    """What stands between the joints of a clause; joints in brackets do not count."""
    masked = _BRACKET.sub(lambda found: "x" * len(found[0]), text[:right])
    found: list[_EnumeratedText] = []
    begin, joined = left, False
    for joint in _JOINT.finditer(masked, left):
        found.append(_EnumeratedText(begin, joint.start(), joined))
        begin, joined = joint.end(), bool(joint["last"] or joint["only"])
    found.append(_EnumeratedText(begin, right, joined))
    return found


def _rightwards(
    text: str, segments: list[_EnumeratedText], at: int, end: int, capital: bool
) -> tuple[int, int]:
    """The last segment that is an item after those before it, and where the item ends."""
    if text[end : segments[at].end].strip() and not _BRACKET.fullmatch(
        text[end : segments[at].end].strip()
    ):
        return at, end
    until = end
    for n in range(at + 1, len(segments)):
        one = segments[n]
        stop = _item_end(text, one, capital)
        if stop is None:
            break
        whole = stop == one.end
        if not (one.joined or whole):
            break
        at, until = n, stop
        if not whole:
            break
    return at, until


def _item_end(text: str, one: _EnumeratedText, capital: bool) -> int | None:
    """Where the item that begins a segment ends; None if it does not begin like one."""
    words = list(_WORD.finditer(text, one.start, one.end))
    if not words or (capital and not _capital(text[one.start : one.end])):
        return None
    kept = 0
    capital = capital and not words[0][0][0].isdigit()
    for word in words[:MOST_WORDS]:
        bare = word[0].strip("*_`\"“”'()").lower()
        if kept == 1 and bare in _OBJECTS and words[0][0].lower() not in _SMALL:
            return None
        if bare in _FUNCTION or (bare == "of" and not kept):
            break
        if capital and kept and bare not in _SMALL and not _capital(word[0]) and "(" not in word[0]:
            break
        kept += 1
    while kept and words[kept - 1][0].lower() in _SMALL:
        kept -= 1
    if not kept or (kept == MOST_WORDS and len(words) > kept):
        return None
    return one.end if kept == len(words) else words[kept - 1].end()


def _leftwards(
    text: str, segments: list[_EnumeratedText], at: int, start: int, capital: bool
) -> tuple[int, int]:
    """The first segment that is an item before those after it, and where the item begins."""
    if text[segments[at].start : start].strip(" *_`\"“”'"):
        return at, start
    since = start
    for n in range(at - 1, -1, -1):
        begin = _item_start(text, segments[n], capital)
        if begin is None:
            break
        at, since = n, begin
        if begin != segments[n].start:
            break
    return at, since


def _item_start(text: str, one: _EnumeratedText, capital: bool) -> int | None:
    """Where the item that ends a segment begins; None if it does not end like one."""
    words = list(_WORD.finditer(text, one.start, one.end))
    kept: list[re.Match[str]] = []
    for word in reversed(words):
        bare = word[0].strip("*_`\"“”'()").lower()
        if bare in _FUNCTION:
            break
        if capital and bare not in _SMALL and not _capital(word[0]) and "(" not in word[0]:
            break
        kept.insert(0, word)
    articles = [n for n, word in enumerate(kept) if word[0] in ("a", "an", "the")]
    if capital:
        while kept and kept[0][0] in _SMALL:
            kept.pop(0)
    elif articles:
        kept = kept[articles[-1] :]
    return kept[0].start() if 0 < len(kept) <= MOST_WORDS else None


def _capital(text: str) -> bool:
    """Whether the first word that is more than an article begins with a capital or a digit."""
    for word in _WORD.findall(text):
        bare = word.strip("*_`\"“”'()")
        if bare and bare not in _SMALL:
            return not bare[0].islower()
    return False
