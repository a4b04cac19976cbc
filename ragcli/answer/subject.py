"""Whether the document of an answer is about what a plain question names.

"How deep is Lac Corvane?" is answered where Lac Corvane is mentioned. A reader also finds "2.8
metres" in a report that knows no such lake. A question that describes what it asks about, or asks
for several things, may well be answered elsewhere than where its names stand; so only plain ones
are judged: a question word first, and few words beside names (docs/adr/answers-by-reading.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragcli.answer.answer_kind import has_no_short_answer
from ragcli.answer.view import asked_names
from ragcli.answer.windows import Stretch
from ragcli.text.dates import MONTHS
from ragcli.text.descriptions import innermost
from ragcli.text.identifiers import named_in
from ragcli.text.labelled import records
from ragcli.text.names import names_in
from ragcli.text.near_words import nearest_word
from ragcli.text.words import content_words
from ragcli.types import Context, Part

FEW_WORDS = 3
"""Content words of a plain question beside its names."""

LONG_SPAN = 30
"""Years between which not every year is told of: a life."""

_ASKS_FIRST = re.compile(
    r"\W*(?:(?:in|on|at|by|from|for|of|to|with|under|during|since|until) )?"
    r"(?:who|whom|whose|what|which|when|where|how)\b",
    re.IGNORECASE,
)


_YEAR = re.compile(r"\b(?:1[4-9]|20)\d\d\b")
_MONTH_ASKED = re.compile(
    r"\b(?P<month>January|February|March|April|May|June|July|August|September|October|November"
    r"|December)(?: of)? (?P<year>(?:1[4-9]|20)\d\d)\b"
)
_MONTH_STEMS = frozenset(
    content_words(f"{' '.join(MONTHS)} jan feb mar apr jun jul aug sep sept oct nov dec")
)
_SPAN_ASKED = re.compile(
    r"\b(?:from|between) (?:[^\W\d]+\.? ){0,2}(?P<first>(?:1[4-9]|20)\d\d)"
    r" (?:to|and|until|till|through) (?:[^\W\d]+\.? ){0,2}(?P<last>(?:1[4-9]|20)\d\d)\b",
    re.IGNORECASE,
)
_SPAN_TOLD = re.compile(
    r"\b(?P<first>(?:1[4-9]|20)\d\d)s?"
    r"(?: ?[–—-] ?| (?:to|and|until|till|through) )(?:[^\W\d]+\.? ){0,3}"
    r"(?P<last>(?:1[4-9]|20)\d\d)\b"
)
_SPAN_OF_YEARS = re.compile(r"\b((?:1[4-9]|20)\d\d)\s?[–/-]\s?(\d\d?)\b")


def strangers(question: str, places: Sequence[Stretch], context: Context) -> list[str]:
    """All names of a plain question, if none of them stands in the documents of an answer; else [].

    A name stands there if all its words do, in the text, the headings, the title or the path, or
    if its last word ends a name there ("Captain Weil" for "Anna Weil"). One word of several may be
    spelt a little differently there.
    """
    names = [
        name
        for name in dict.fromkeys([*asked_names(question), *named_in(question)])
        if not _MONTH_STEMS.issuperset(content_words(name))
    ]
    dates = [
        *_YEAR.findall(question),
        *(found["month"] for found in _MONTH_ASKED.finditer(question)),
    ]
    if not _is_plain(question, [*names, *dates]):
        return []
    documents = {place.part.doc for place in places}
    parts = [*(place.part for place in places), *context.parts, *context.behind]
    text = _said(part for part in parts if part.doc in documents)
    if others := _other_dates(question, text):
        return others
    if not names:
        return []
    rows = [_row_of(place) for place in places]
    if all(rows):
        heads = (f"{place.part.doc}\n{place.part.title}" for place in places)
        text = "\n".join([*heads, *rows])
    said = set(content_words(text))
    ends = {words[-1] for name in names_in(text) if (words := content_words(name))}
    for name in names:
        words = content_words(name)
        if words[-1] in ends or _all_stand(words, said):
            return []
    return names


def _all_stand(words: Sequence[str], said: set[str]) -> bool:
    """Whether all words are said; one of several may be spelt a little differently."""
    lacking = [word for word in words if word not in said]
    if len(words) > 1 and len(lacking) == 1:
        return nearest_word(lacking[0], said) is not None
    return not lacking


def _other_dates(question: str, text: str) -> list[str]:
    """Years and months of years in a question that a text with other years does not have.

    Of a span of years it has to have one. A text that tells of a span tells of the years between.
    """
    years = set(_YEAR.findall(re.sub(r"_", " ", text)))
    if not years:
        return []
    between = _between(text)
    years |= between
    ends = ((first, first[: -len(last)] + last) for first, last in _SPAN_OF_YEARS.findall(text))
    years |= {end for first, end in ends if end > first}  # "2020–21", not "2024-02"

    def told(span: re.Match[str]) -> str:
        """Nothing, if a year of the text lies in a span: its ends may be told otherwise."""
        return "" if any(span["first"] <= year <= span["last"] for year in years) else span[0]

    question = _SPAN_ASKED.sub(told, question)
    missing = [year for year in _YEAR.findall(question) if year not in years]
    months = (
        asked[0]
        for asked in _MONTH_ASKED.finditer(question)
        if asked["year"] not in between and not _has_month(asked, text)
    )
    return missing or list(months)


def _between(text: str) -> set[str]:
    """The years of the spans that a text tells of ("from May 2005 to 2007"), but for long ones."""
    found: set[str] = set()
    for span in _SPAN_TOLD.finditer(text):
        first, last = int(span["first"]), int(span["last"])
        if first < last <= first + LONG_SPAN:
            found.update(map(str, range(first, last + 1)))
    return found


def _has_month(asked: re.Match[str], text: str) -> bool:
    """Whether a text has a month of a year, by its name or in figures."""
    number = MONTHS.index(asked["month"].lower()) + 1
    figures = (
        rf"\b{asked['year']}[-/.]0?{number}\b|\b0?{number}[-/.](?:\d\d?[-/.])?{asked['year']}\b"
    )
    named = rf"\b{asked['month'][:3]}(?:{asked['month'][3:]}|t)?\b"
    return bool(re.search(named, text, re.IGNORECASE) or re.search(figures, text))


def _row_of(place: Stretch) -> str:
    """The row of a table that holds a place, "" if it stands in none."""
    text, first = place.part.text, place.part.start
    start = text.rfind("\n", 0, place.start - first) + 1
    end = text.find("\n", place.end - first)
    line = text[start : end if end >= 0 else len(text)]
    is_row = line.lstrip().startswith("|") or any(record.row for record in records(line))
    return line if is_row else ""


def _is_plain(question: str, names: Sequence[str]) -> bool:
    """Whether one passage about what a question names would answer it."""
    if not _ASKS_FIRST.match(question) or has_no_short_answer(question):
        return False
    beside = set(content_words(question)) - set(content_words(" ".join(names)))
    return len(beside) <= FEW_WORDS and innermost(question) is None


def _said(parts: Iterable[Part]) -> str:
    """What passages say, and what stands above them."""
    return "\n".join(
        "\n".join([part.doc, part.title, *dict(part.headings).values(), part.text])
        for part in dict.fromkeys(parts)
    )
