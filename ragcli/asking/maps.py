"""The reply to a question about a whole: its map, and what a language model makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragcli.asking.folder_notes import note_on_folder
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.asked_whole import asked_as_whole, asks_for_whole
from ragcli.text.introducing import is_prose
from ragcli.text.markup import restyled
from ragcli.text.words import counted, one_line
from ragcli.types import Citation, Context, Part, Reply, WholeMap

if TYPE_CHECKING:
    from ragcli.answer import AnswerModels
    from ragcli.answer.check import Emit
    from ragcli.asking.several import NamedIndex
    from ragcli.store.snapshot import Snapshot

MOST_TYPES = 5
"""Suffixes that are named; the others are counted."""

_HOW = "Tell in three to six sentences what this is about."


def map_reply(stores: Sequence[NamedIndex], text: str) -> Reply | None:
    """The map that a question asks for; None if it asks for no map, of nothing known, or of what
    has no sentence to quote."""
    asked = asked_as_whole(text)
    if asked is None:
        return None
    found = reply_of_map(stores, asked)
    if found is None and asks_for_whole(text):
        found = reply_of_map(stores, "")
    return found if found and found.citations else None


def reply_of_map(stores: Sequence[NamedIndex], name: str) -> Reply | None:
    """The map of what ``name`` means in each store that has it; None if none has."""
    # Other questions do not wait for it.
    from ragcli.mapping import Quotes, map_of, place_meant

    maps: list[WholeMap] = []
    cited: list[Citation] = []
    for store in stores:
        meant = place_meant(store.index, name)
        if meant is None:
            continue
        quotes = Quotes(store.index, store.name, len(cited))
        found = replace(map_of(store.index, meant, quotes), store=store.name)
        maps.append(_described(found, store.index.snapshot))
        cited += quotes.found
    if not maps:
        return None
    said = [*map(head, maps), *_sentences(cited)]
    return Reply(" ".join(said), tuple(cited), "extractive", maps=tuple(maps))


def _described(found: WholeMap, snapshot: Snapshot) -> WholeMap:
    """The map with what the user says about its folders."""
    if found.kind not in ("store", "folder"):
        return found
    parts = [
        replace(part, about=note_on_folder(snapshot, part.name[:-1]))
        if part.name.endswith("/")
        else part
        for part in found.parts
    ]
    return replace(found, about=note_on_folder(snapshot, found.of), parts=tuple(parts))


def head(found: WholeMap) -> str:
    """What there is, as one line.

    >>> head(WholeMap("", "store", 3, (("md", 2), ("", 1)), "2020-01-02", "2021-03-04", True))
    '3 documents: 2 md, 1 without suffix; dated 2020-01-02 to 2021-03-04.'
    """
    if found.kind in ("document", "section"):
        sections = len([part for part in found.parts if part.name]) + found.more
        held = f": {counted(sections, 'section')}" if sections else ""
        titled = f"{found.title} ({found.of})" if found.title else found.of
        return f"{titled}{held}."
    named = [f"{n:,} {suffix or 'without suffix'}" for suffix, n in found.types[:MOST_TYPES]]
    if others := sum(n for _, n in found.types[MOST_TYPES:]):
        named.append(f"{others:,} others")
    types = ", ".join(named)
    span = found.since if found.since == found.until else f"{found.since} to {found.until}"
    dates = f"; {'dated' if found.dated else 'files of'} {span}" if found.since else ""
    where = f"{found.of}/: " if found.of else ""
    return f"{where}{counted(found.documents, 'document')}: {types}{dates}."


def _sentences(cited: Sequence[Citation]) -> Iterator[str]:
    for one in cited:
        if is_prose(one.quote):
            yield f"{restyled(one_line(one.quote))} [{one.n}]"


def told(reply: Reply, asked: AskedQuestion, models: AnswerModels, emit: Emit) -> Reply:
    """What the language model of ``models`` tells from the map of one store; the map where it
    tells nothing that its sentences support."""
    from ragcli.answer.generate import written

    assert models.llm is not None, "asked only where there is a model"
    parts = [_part(one) for one in reply.citations]
    shown = Context(tuple(parts), 0, entities=tuple(_lines(reply.maps)))
    made = written(
        AskedQuestion(f"{asked.text} {_HOW}"), shown, models.llm, reader=models.reader, emit=emit
    )
    return reply if made.abstained else made


def _part(cited: Citation) -> Part:
    place = cited.start, cited.end, cited.line_start, cited.line_end
    title = cited.heading or cited.doc
    return Part(cited.n, cited.doc, title, *place, cited.quote, cited.page, path=cited.path)


def _lines(maps: Sequence[WholeMap]) -> Iterator[str]:
    for found in maps:
        yield f"{head(found)} {found.about}".rstrip()
        for part in found.parts:
            said = (part.about, *part.titles, *part.terms)
            yield f"{part.name}: {', '.join(filter(None, said))}"
