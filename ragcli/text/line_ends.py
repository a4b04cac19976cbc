"""Distinguishes intended line ends from line ends of wrapped prose.

Logs, tables, addresses, code and "Key: value" lines end where their content ends. Wrapped prose
ends a line when the next word does not fit. So the line ends of a block are intended if most of
its lines have room for the first word of the next line. In wrapped prose without empty lines, as
on PDF pages, a short line before a capital ends a heading or a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

# A wrapped line may be this many characters shorter than the width.
_MARGIN = 5
_SHARE = 2 / 3
"""Line ends are intended if at least this share of a block's lines had room for the next word."""

_FEWEST_PAIRS = 2

_UNBREAKABLE = re.compile(r"\S{30}|://|\]\(")
"""Links and long tokens, which may stand out of wrapped text."""
_WIDE_LINES = 0.1
"""The share of a block's lines that may be longer than its width."""

_SHORT_LINE = 0.6
"""A line of at most this share of the width ends a heading or a paragraph, before a capital."""
_SHORTEST_WIDTH = 40
_DEEPER = 2
"""Columns by which a definition is indented at least."""
_GOES_ON = re.compile(
    r"(?:[,;(–—-]|\b(?:a|an|and|as|at|by|for|from|in|is|of|on|or|the|to|was|with|St|Mr|Mrs|Dr))\Z"
)
_BEGINS = re.compile(r"[\"'“‘(\[]?(?:[^\W\d_a-z]|\d)")

_LETTER = re.compile(r"[\"'“‘«(\[`*_]{0,4}[^\W_]")
_ITEM_MARK = re.compile(r"[ \t]*(?:[-*+•‣◦▪]|\(?\d{1,2}[.)])[ \t]+")
_STOPPED = re.compile(r"[.!?…:]['\"”’»)\]*_`]{0,4}\Z|\\\Z")
_FULL_STOP = re.compile(r"[.!?]['\"”’»)\]*_`]{0,4}\Z")
_CLAUSE = 35
"""Characters of a line, on average, from which no verse goes on with a small letter."""
_CLAUSE_END = re.compile(r"[,;)–—][\"”’*_`]{0,3}\Z")
_CLAUSE_BEGIN = re.compile(
    r"(?:and|or|nor|but|which|that|whom?|whose|where|when|while|because|if|unless|until|so|than"
    r"|although|though|since|whether)\b"
)

_COLUMNS = re.compile(r"[,;\t]|[ ]\|[ ]")
_FEWEST_RECORDS = 4
_FEWEST_COLUMNS = 3
_CELLS = re.compile(r"\t| \| ")
"""What separates cells and hardly occurs in prose."""
_TWO_CELLS = re.compile(r"[^,;\s][^,;]*[,;](?! )[^,;]*")
_COMMENT = "#"
"""What begins a line that tells about the records below it."""

_NARROW = 25
"""Prose is not wrapped at so few characters, in so many lines: they are a list."""
_FEWEST_ITEMS = 8

_FIELD = re.compile(r"[*_ \t]{0,6}[A-Za-z][\w.-]{0,30}(?: [\w.-]{1,30}){0,2}:[*_]{0,3}(?:[ \t]|\Z)")
_DATED = re.compile(
    r"""[\[(<]?(?:
      \d{4}[-/.]\d\d[-/.]\d\d | \d\d[-/.]\d\d[-/.]\d{4} | \d\d?:\d\d:\d\d
    | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\ {1,2}\d\d?\ \d\d:\d\d
    )""",
    re.VERBOSE,
)


def meant(lines: Sequence[str]) -> bool:
    """Return whether the line ends of a block are intended.

    ``lines`` are two or more lines, none of them empty.

    >>> meant(["Name: orjson", "Summary: Fast, correct Python JSON library"])
    True
    >>> meant(["The bridge collapsed in a storm on the", "third of May."])
    False
    """
    if _are_records(lines):
        return True
    width = _width(lines) - _MARGIN
    pairs = list(pairwise(lines))
    # A term and its definition are indented differently: they say nothing about wrapping.
    level = [(line, following) for line, following in pairs if _indent(line) == _indent(following)]
    pairs = level if len(level) >= _FEWEST_PAIRS else pairs
    room = sum(_has_room(line, following, width) for line, following in pairs)
    return room >= _SHARE * len(pairs)


def _are_records(lines: Sequence[str]) -> bool:
    """Return whether each line stands for itself by its form: a log, fields, a table, a list."""
    if all(map(_DATED.match, lines)) or all(map(_FIELD.match, lines)) or _is_table(lines):
        return True
    return _width(lines) <= _NARROW and len(lines) >= _FEWEST_ITEMS


def _width(lines: Sequence[str]) -> int:
    """Return the width at which a block would be wrapped; single lines may stand out.

    Lines with a link do not count, because a link is not cut. Of ten other lines, one may be
    longer.
    """
    lengths = sorted(len(line) for line in lines if not _UNBREAKABLE.search(line))
    if len(lengths) < 2:
        return max(map(len, lines))
    return lengths[-1 - int(_WIDE_LINES * len(lengths))]


def _has_room(line: str, following: str, width: int) -> bool:
    """Return whether the first word of the following line would have fitted."""
    return len(line) + 1 + len(following.split(maxsplit=1)[0]) <= width


def _is_table(lines: Sequence[str]) -> bool:
    """Return whether all lines have the same number of columns, as in CSV."""
    if all(map(_CELLS.search, lines)):
        return True
    if len(lines) < _FEWEST_RECORDS:
        return False
    columns = len(_COLUMNS.findall(lines[0])) + 1
    if columns >= _FEWEST_COLUMNS:
        return all(len(_COLUMNS.findall(line)) + 1 == columns for line in lines)
    return all(map(_TWO_CELLS.fullmatch, lines)) or _has_fields(lines)


def _has_fields(lines: Sequence[str]) -> bool:
    """Return whether all lines have the same number of fields with colons between, as in
    /etc/passwd; comments do not count."""
    records = [line for line in lines if not line.startswith(_COMMENT)]
    colons = {line.count(":") for line in records}
    return len(records) >= _FEWEST_RECORDS and len(colons) == 1 and min(colons) > 0


def meant_ends(text: str, alone: re.Pattern[str], longest: int) -> frozenset[int]:
    """Return the offsets of the line feeds at which a block's content ends.

    These are all line feeds inside a block whose line ends are intended, and the ends of headings
    and paragraphs inside wrapped prose. Blocks are separated by empty lines and by lines of
    ``longest`` or more characters. A line that ``alone`` matches begins a new block.
    """
    found: list[int] = []
    for block in _blocks(text, alone, longest):
        if len(block) < 2:
            continue
        lines = [line for _, line in block]
        if meant(lines):
            within = frozenset() if _are_records(lines) else _inside_sentences(lines)
            found += [start - 1 for i, (start, _) in enumerate(block[1:]) if i not in within]
        else:
            width = _width(lines)
            hanging = alone.match(lines[0]) is not None
            found += [
                start - 1
                for i, (start, _) in enumerate(block[1:])
                if _ends_here(lines[i], lines[i + 1], width, hanging and i == 0)
            ]
    return frozenset(found)


def _inside_sentences(lines: Sequence[str]) -> frozenset[int]:
    """Return the indices of the lines whose sentence goes on in the next line.

    Such a sentence begins with a capital and ends with a stop, and each further line of it begins
    with a small letter. So verse and lists of words stay as they are; verse without capitals breaks
    short lines where no clause ends.
    """
    found: list[int] = []
    begin = 0
    for end in range(1, len(lines) + 1):
        if end < len(lines) and _may_go_on(lines[end - 1], lines[end]):
            continue
        sentence = lines[begin:end]
        if len(sentence) > 1 and _is_sentence(sentence):
            found += range(begin, end - 1)
        begin = end
    return frozenset(found)


def _may_go_on(line: str, following: str) -> bool:
    """Return whether a line may end inside a sentence, by the marks and columns around its end."""
    item = _ITEM_MARK.match(line)
    column = item.end() if item else _indent(line)
    letter = _LETTER.match(following.lstrip())
    goes_on = letter is not None and letter[0][-1].islower() and _indent(following) == column
    return goes_on and not _STOPPED.search(line) and not _FIELD.match(following)


def _is_sentence(lines: Sequence[str]) -> bool:
    """Return whether lines that may be one sentence are one: it is whole, and broken at clauses."""
    mark = _ITEM_MARK.match(lines[0])
    letter = _LETTER.match(lines[0], mark.end() if mark else _indent(lines[0]))
    if letter is None or letter[0][-1].islower() or not _FULL_STOP.search(lines[-1]):
        return False
    if sum(map(len, lines)) >= _CLAUSE * len(lines):
        return True
    return all(
        _CLAUSE_END.search(line) or _CLAUSE_BEGIN.match(following.lstrip())
        for line, following in pairwise(lines)
    )


def _ends_here(line: str, following: str, width: int, hanging: bool) -> bool:
    """Return whether a line of wrapped prose ends a heading, a term or a paragraph.

    Below a term its indented definition begins; below a definition comes the next term. A list
    item (``hanging``) is indented from its second line on, too.
    """
    if not _has_room(line, following, width - _MARGIN):
        return False
    deeper = _indent(following) - _indent(line)
    if abs(deeper) >= _DEEPER:
        return not hanging
    if width < _SHORTEST_WIDTH or len(line) > _SHORT_LINE * width:
        return False
    return bool(_BEGINS.match(following.lstrip())) and not _GOES_ON.search(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _blocks(text: str, alone: re.Pattern[str], longest: int) -> Iterator[list[tuple[int, str]]]:
    """Yield the lines of each block as (offset, line without trailing spaces)."""
    block: list[tuple[int, str]] = []
    for start, line in _numbered(text.split("\n")):
        if not line or len(line) >= longest:
            yield block
            block = []
        elif alone.match(line):
            yield block
            block = [(start, line)]
        else:
            block.append((start, line))
    yield block


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    at = 0
    for line in lines:
        yield at, line.rstrip()
        at += len(line) + 1
