"""Questions for several things that a list or a column of a table answers as a whole.

"What are the recommendations of the report?" is answered by the items below the heading
"Recommendations", "Which stations are there?" by the column "Station". What the question names has
to stand in the line or heading above the list or in the head of the column, and most of its other
words there, in the headings above or in the title (figures: docs/adr/answers-by-reading.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ragcli.answer.heads import document_heads
from ragcli.answer.lookup.looked_up import LookedUp
from ragcli.answer.windows import Stretch
from ragcli.text.asked_lists import AskedList, asked_list
from ragcli.text.labelled import LabelledRecord, records
from ragcli.text.markup import without_emphasis
from ragcli.text.words import content_words, fold
from ragcli.types import Part

ITEMS_SURE = 0.7
COLUMN_SURE = 0.75
"""Confidence of a list whose lead names all of the question, and of a column."""

CUT = 0.7
"""What the confidence is multiplied by where the passage ends with the list: more may follow."""

LEAST_SHARE = 0.6
"""The share of the question's other words that must stand above a list."""

LEAST_COUNTED = 0.4
"""The same for a list with as many items as the question says."""

HEAD_CHARS = 600
"""Characters at the start of a document, and before a table, that say what it is about."""

MOST_ITEMS = 30
LONGEST_ITEM = 200

_MARK = re.compile(r"[ \t]*(?:[-*+•·–]|\(?(?:\d{1,2}|[a-z])[.)])[ \t]+(?=\S)")
_BOLD = re.compile(r"(?P<mark>\*\*|__|`)(?P<term>[^*_`\n]{1,80}?)[.:,]?(?P=mark)")
_TERM = re.compile(r"(?P<term>[^\s:.(–—][^:.(–—\n]{0,60}?)\s*(?::\s|\s\(|\s[-–—]{1,2}\s)")
_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{2})[.!?](?=[\s*_\"”]|\Z)|[.!?](?=\s*\Z)|[;,]\s*\Z")
_BLANK = re.compile(r"\s*\Z")
_BRACKETED = re.compile(r"\s*\([^()]*\)\Z")
_WHO = re.compile(r"\s*(?:who|whom)\b", re.IGNORECASE)
_NAME = re.compile(r"\W*(?:full )?(?:name|title)s?\W*\Z", re.IGNORECASE)
_SAYS_NAME = frozenset(content_words("names titles"))
_MOST_TERM_WORDS = 6


@dataclass(frozen=True, slots=True)
class _ItemList:
    """A list in a part: the line that leads to it, and where its items stand in the text."""

    start: int
    lead: str
    items: tuple[tuple[int, int], ...]


def list_answer(question: str, parts: Sequence[Part]) -> LookedUp | None:
    """The items of the list, or the cells of the column, that a question asks for; or None."""
    asked = asked_list(question)
    if asked is None or not (asked.noun or asked.count):
        return None
    heads = {
        doc: frozenset(content_words(text))
        for doc, text in document_heads(parts, HEAD_CHARS).items()
    }
    found = _items_answer(asked, parts, heads) or _column_answer(asked, parts, heads)
    if found and _WHO.match(question):
        return replace(found, places=tuple(map(_without_role, found.places)))
    return found


def _without_role(place: Stretch) -> Stretch:
    """A person without what stands in brackets after the name."""
    role = _BRACKETED.search(place.text)
    if role is None or not role.start():
        return place
    text, first = place.part.text, place.start - place.part.start
    start, end = _inner(text, first, first + role.start())
    return _stretch(place.part, start, end)


def _items_answer(
    asked: AskedList, parts: Sequence[Part], heads: Mapping[str, frozenset[str]]
) -> LookedUp | None:
    """The list whose lead is most about the question."""
    best: tuple[float, Part, _ItemList] | None = None
    for part in parts:
        for found in item_lists(part.text):
            share = _share(asked, part, found, heads[part.doc])
            if share and (best is None or share > best[0]):
                best = share, part, found
    if best is None:
        return None
    share, part, found = best
    places = tuple(_stretch(part, *_told(part.text, span, found)) for span in found.items)
    if len(places) > MOST_ITEMS or any(len(place.text) > LONGEST_ITEM for place in places):
        return None
    sure = ITEMS_SURE * share * (1.0 if asked.count else _cut(part, found.items[-1][1]))
    return LookedUp(places, sure, listed=True)


def _cut(part: Part, end: int) -> float:
    """``CUT`` if nothing stands in the part after ``end``, an offset into its text."""
    return 1.0 if part.text[end:].strip(" |\n") else CUT


def _share(asked: AskedList, part: Part, found: _ItemList, head: frozenset[str]) -> float:
    """How much of the question stands above a list, from 0 to 1; 0 if it is another list."""
    path = part.heading_at(part.start + found.start)
    near = set(content_words(f"{found.lead} {path.rpartition(' > ')[2]}"))
    above = near | head | set(content_words(path))
    counted = asked.count == len(found.items)
    if asked.count and not counted:
        return 0.0
    if (asked.noun and asked.noun not in near) or asked.names - above:
        return 0.0
    share = len(asked.words & above) / len(asked.words) if asked.words else LEAST_SHARE
    return share if share >= (LEAST_COUNTED if counted else LEAST_SHARE) else 0.0


def item_lists(text: str) -> Iterator[_ItemList]:
    """The lists of a text: two or more items, each with a mark, below one line.

    >>> [one] = item_lists("We need:\\n\\n- salt\\n- bread,\\n  fresh\\n\\nThat is all.")
    >>> one.lead, ["We need:\\n\\n- salt\\n- bread,\\n  fresh"[a:b] for a, b in one.items]
    ('We need:', ['salt', 'bread,\\n  fresh'])
    """
    lead, items, depth, begin = "", list[tuple[int, int]](), 0, 0
    at, blank = 0, False
    for line in [*text.splitlines(keepends=True), ""]:
        mark = _MARK.match(line)
        indent = len(line) - len(line.lstrip())
        if mark and (not items or indent <= depth):
            if not items:
                depth, begin = indent, at
            items.append((at + mark.end(), at + len(line.rstrip())))
        elif items and line and _BLANK.match(line):
            blank = True
            at += len(line)
            continue
        elif items and line and (indent > depth or (not blank and not line.startswith("#"))):
            items[-1] = items[-1][0], at + len(line.rstrip())
        else:
            if len(items) > 1:
                yield _ItemList(begin, lead, tuple(items))
            if items or not _BLANK.match(line):
                lead, items = ("" if _BLANK.match(line) else line.strip()), []
        blank = False
        at += len(line)


def _told(text: str, span: tuple[int, int], found: _ItemList) -> tuple[int, int]:
    """What an item of a list names: its term if all items have one, else its first sentence."""
    for pattern in (_BOLD, _TERM):
        terms = [_term(pattern, text[slice(*one)]) for one in found.items]
        if all(terms) and (term := terms[found.items.index(span)]):
            return span[0] + term[0], span[0] + term[1]
    shown = without_emphasis(text[slice(*span)])
    end = _SENTENCE_END.search(shown)
    kept = shown[: end.start() if end else len(shown)]
    start = len(kept) - len(kept.lstrip(" \t*_`"))
    return span[0] + start, span[0] + len(kept.rstrip(" \t*_`"))


def _term(pattern: re.Pattern[str], item: str) -> tuple[int, int] | None:
    """Where the term stands that an item begins with; None if it begins with none."""
    term = pattern.match(item)
    if term is None or len(term["term"].split()) > _MOST_TERM_WORDS:
        return None
    start, end = term.span("term")
    shown = term["term"].strip("`*_")
    start += term["term"].index(shown)
    return (start, start + len(shown)) if shown and end else None


def _column_answer(
    asked: AskedList, parts: Sequence[Part], heads: Mapping[str, frozenset[str]]
) -> LookedUp | None:
    """The column of the first table whose head and headings name what is asked for."""
    for part in parts:
        for table in _tables(part.text):
            if places := _column(asked, part, table, heads[part.doc]):
                end = table[-1].fields[-1].end
                sure = COLUMN_SURE * (1.0 if asked.count else _cut(part, end))
                return LookedUp(places, sure, listed=True)
    return None


def _tables(text: str) -> Iterator[list[LabelledRecord]]:
    """The rows of each table of a text."""
    rows: list[LabelledRecord] = []
    for record in records(text):
        labels = [one.label for one in record.fields]
        beside = rows and text[rows[-1].fields[-1].end : record.fields[0].start].count("\n") == 1
        if not (record.row and beside and labels == [one.label for one in rows[-1].fields]):
            if len(rows) > 1:
                yield rows
            rows = []
        if record.row:
            rows.append(record)
    if len(rows) > 1:
        yield rows


def _column(
    asked: AskedList, part: Part, rows: Sequence[LabelledRecord], head: frozenset[str]
) -> tuple[Stretch, ...] | None:
    """The cells of the column that is asked for; None if the table is about something else."""
    start = rows[0].fields[0].start
    labels = [set(content_words(one.label)) for one in rows[0].fields]
    path = part.heading_at(part.start + start)
    before = part.text[max(0, start - HEAD_CHARS) : start]
    above = head.union(content_words(f"{path} {before}"), *labels)
    if asked.words - _SAYS_NAME - above:
        return None
    kept, column = _rows_and_column(asked, part, rows, labels)
    if column is None or (asked.count and asked.count != len(kept)):
        return None
    places = (
        _stretch(part, *_inner(part.text, one.start, one.end))
        for one in (row.fields[column] for row in kept)
        if any(map(str.isalnum, part.text[one.start : one.end]))
    )
    distinct = {fold(place.text): place for place in places}
    return tuple(distinct.values()) if 1 < len(distinct) <= MOST_ITEMS else None


def _rows_and_column(
    asked: AskedList,
    part: Part,
    rows: Sequence[LabelledRecord],
    labels: Sequence[set[str]],
) -> tuple[Sequence[LabelledRecord], int | None]:
    """All rows and the column with the noun in its head; or the rows with the noun in a cell, and
    the column of names; None where neither is clear."""
    heads = [n for n, label in enumerate(labels) if asked.noun and asked.noun in label]
    if len(heads) == 1:
        return rows, heads[0]
    names = [n for n, one in enumerate(rows[0].fields) if _NAME.match(one.label)]
    kept = [
        row
        for row in rows
        if any(content_words(part.text[c.start : c.end]) == [asked.noun] for c in row.fields)
    ]
    return kept, names[0] if not heads and len(names) == 1 else None


def _inner(text: str, start: int, end: int) -> tuple[int, int]:
    """A cell without the marks of emphasis around it."""
    while start < end and text[start] in "*_` ":
        start += 1
    while end > start and text[end - 1] in "*_` ":
        end -= 1
    return start, end


def _stretch(part: Part, start: int, end: int) -> Stretch:
    return Stretch(part, part.start + start, part.start + end)
