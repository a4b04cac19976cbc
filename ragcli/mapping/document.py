"""The map of a document or a section: its headings, a sentence each, its people, dates, figures."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from ragcli.errors import InputError
from ragcli.graph.summary import SummarySettings, select
from ragcli.mapping.introductions import CODE, Introductions
from ragcli.mapping.leading import visible_documents
from ragcli.mapping.places import Meant
from ragcli.mapping.quotes import Quotes
from ragcli.mapping.sections import Section, sections_of
from ragcli.mapping.telling import scores, words_of
from ragcli.mapping.terms import apart, named
from ragcli.search.search_index import SearchIndex
from ragcli.text.dates import DATE
from ragcli.text.introducing import introducing
from ragcli.text.spans import Span
from ragcli.text.words import fold, one_line, plain, singular
from ragcli.types import Citation, MapPart, WholeMap
from ragcli.types.document_ids import suffixes_of

MOST_SECTIONS = 20

MOST_VALUES = 8
"""Dates, and figures, that are named."""

_BEGINNING = 4_000
"""Characters of a section that are read for a sentence."""

_FIRST = 5
"""Sentences of a section among which one is looked for."""

_READ = 200_000
"""Characters that are read for dates, figures and central sentences."""

_LONG = 40_000
"""Characters of a text without sections from which no few sentences are central."""

_CENTRAL = SummarySettings(chars=1400, sentences=5, diversity=0.5, min_words=5)

_FIGURE = re.compile(
    r"(?<![\w.,/#:–-])(?:\d{1,3}(?:[, ]\d{3}){1,4}+|\d{1,9})(?:\.\d{1,4})?"
    r"(?: ?%| (?P<counted>[a-zà-ÿ]{3,20})\b)(?![(=])"
)


def map_of_document(index: SearchIndex, meant: Meant, quotes: Quotes) -> WholeMap:
    """The map of a document, or of the section of it that begins at ``meant.start``.

    Raises InputError for a document without text.
    """
    extent = index.snapshot.documents.extent(meant.doc)
    if extent is None or not extent.length:
        raise InputError(f"{meant.doc} has no text", "name another document")
    within = _within(index, meant, extent.length)
    sections = sections_of(index, meant.doc, within)
    first = _first(index, meant, within, sections)
    n = quotes.add(meant.doc, *first) if first else 0
    if sections:
        shown = sections[:MOST_SECTIONS]
        parts = [_part(index, meant.doc, section, quotes) for section in shown]
    elif within[1] - within[0] > _LONG:
        parts = []
    else:
        parts = [*_central(index, meant.doc, within, first, quotes)]
    row = index.snapshot.facts.called(meant.doc).tolist()
    names = index.snapshot.shelf.named_in(row)
    text = index.snapshot.documents.text(meant.doc, within[0], min(within[1], within[0] + _READ))
    if meant.kind == "section":
        names = [one for one in names if plain(one.name) in plain(text)]
    nouns = {singular(fold(one.name)) for one in names if one.noun}
    program = suffixes_of(meant.doc) & CODE
    people = () if program else named(names, ("PERSON",), 3)
    places = () if program else named(names, ("LOC",), 2)
    return WholeMap(
        meant.name if meant.kind == "section" else meant.doc,
        meant.kind,
        1,
        n=n,
        people=people,
        places=places,
        terms=tuple(
            term for term in apart(names, 1, index.document_count) if term not in (*people, *places)
        ),
        parts=tuple(parts),
        more=max(0, len(sections) - MOST_SECTIONS),
        dates=tuple(_dates(text, meant.doc, within[0], quotes)),
        figures=tuple(_figures(text, nouns, meant.doc, within[0], quotes)),
        title=extent.title if meant.kind == "document" else "",
    )


def _first(
    index: SearchIndex, meant: Meant, within: Span, sections: Sequence[Section]
) -> Span | None:
    """The sentence that introduces a document; that of a section is above its parts."""
    if meant.kind == "section":
        end = sections[0].start if sections else within[1]
        return _introduction(index, meant.doc, (within[0], end), meant.name)
    found = [one for one in visible_documents(index) if one.doc == meant.doc]
    said = Introductions(index, [found]).of_document(found[0])
    return (said.start, said.end) if said else None


def _within(index: SearchIndex, meant: Meant, length: int) -> Span:
    """The span of what is meant: the document, or the section up to the next that is not in it."""
    if meant.kind == "document":
        return 0, length
    for one in index.snapshot.shelf.headings(meant.doc):
        if one.start > meant.start and not one.path.startswith(f"{meant.name} > "):
            return meant.start, one.start
    return meant.start, length


def _part(index: SearchIndex, doc: str, section: Section, quotes: Quotes) -> MapPart:
    """A section with a real sentence, else the first item of a list in it, else with its heading as
    it is written there."""
    span = _introduction(index, doc, (section.start, section.end), section.name)
    span = span or _first_item(index, doc, section)
    if span is None:
        text = index.snapshot.documents.text(doc, section.start, section.end)
        start = section.start + len(text) - len(text.lstrip())
        span = start, start + len(text.strip().split("\n", 1)[0])
    return MapPart(section.name, n=quotes.add(doc, *span))


def _first_item(index: SearchIndex, doc: str, section: Section) -> Span | None:
    laid = index.snapshot.chunks.laid_out(doc, section.start, section.end)
    items = (item for one in laid if one.kind == "list" for item in one.of("item"))
    inside = (one for one in items if section.start <= one.start and one.end <= section.end)
    return next(((one.start, one.end) for one in inside), None)


def _introduction(index: SearchIndex, doc: str, within: Span, name: str) -> Span | None:
    """The sentence that says most about what is called ``name``, of the first real ones of
    ``[start:end]`` of a document."""
    end = min(within[1], within[0] + _BEGINNING)
    spans = [*islice(_real(index, doc, (within[0], end)), _FIRST)]
    texts = [index.snapshot.documents.text(doc, *span) for span in spans]
    scored = scores(texts, words_of(name), alone=True)
    return spans[scored.index(max(scored))] if scored else None


def _real(index: SearchIndex, doc: str, within: Span) -> Iterator[Span]:
    start, end = within
    text = index.snapshot.documents.text(doc, start, end)
    heads = [one.start - start for one in index.snapshot.shelf.headings(doc)]
    laid = index.snapshot.chunks.laid_out(doc, start, end)
    inside = [(one.start - start, one.end - start) for one in laid]
    for first, last in introducing(text, inside, [at for at in heads if 0 <= at < len(text)]):
        yield start + first, start + last


def _central(
    index: SearchIndex, doc: str, within: Span, first: Span | None, quotes: Quotes
) -> Iterator[MapPart]:
    """The central sentences of a document without sections, in their order."""
    end = min(within[1], within[0] + _READ)
    spans = [span for span in _real(index, doc, (within[0], end)) if span != first]
    texts = [one_line(index.snapshot.documents.text(doc, *span)) for span in islice(spans, 1000)]
    for at in sorted(select(texts, _CENTRAL)) if texts else ():
        yield MapPart("", n=quotes.add(doc, *spans[at]))


def _dates(text: str, doc: str, base: int, quotes: Quotes) -> Iterator[Citation]:
    found = {one_line(match[0]): match.span() for match in reversed([*DATE.finditer(text)])}
    yield from _cited(sorted(found.values()), doc, base, quotes)


def _figures(
    text: str, nouns: Collection[str], doc: str, base: int, quotes: Quotes
) -> Iterator[Citation]:
    """Numbers with the noun that they count, each once, that are no dates."""
    dated = [match.span() for match in DATE.finditer(text)]
    found: dict[str, Span] = {}
    for match in _FIGURE.finditer(text):
        inside = any(a < match.end() and match.start() < b for a, b in dated)
        counted = match["counted"]
        if not inside and (not counted or singular(fold(counted)) in nouns):
            found.setdefault(one_line(match[0]), match.span())
    yield from _cited([*found.values()], doc, base, quotes)


def _cited(spans: Sequence[Span], doc: str, base: int, quotes: Quotes) -> Iterator[Citation]:
    for start, end in spans[:MOST_VALUES]:
        yield quotes.cite(doc, base + start, base + end)
