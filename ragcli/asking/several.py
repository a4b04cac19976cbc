"""Asks several stores at once: retrieve in each -> one ranking -> one context -> one answer.

Ids of documents are unique in one store only. So inside these steps each id carries a mark of its
store: one character that is in no word, so that no step reads it as part of a name. The answer has
the ids of the stores again, and names the store beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from ragcli.answer import answer
from ragcli.asking.ask import (
    answer_models,
    answerer,
    ask_in,
    ignore,
    token_counter,
    verify,
)
from ragcli.asking.spelling import corrected, note, read_as
from ragcli.asking.unread import unread_note
from ragcli.config import Settings
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.retrieve import Helpers, Retrieval, retrieve_from_several
from ragcli.retrieve.background import background
from ragcli.retrieve.context import beside, fit, fit_all
from ragcli.retrieve.lean import evidence
from ragcli.search.search_index import SearchIndex
from ragcli.stage_timer import StageTimer
from ragcli.types import Answer, Citation, Context, Fact, Hit, Reply

if TYPE_CHECKING:
    from ragcli.models.llm import Llm

# The first of the characters that mark a store; all are for private use, and none is in a word.
_FIRST_MARK = 0xE000


@dataclass(frozen=True, slots=True)
class NamedIndex:
    """An open index and the folder of its store as it was given; "" if it is the only one."""

    name: str
    index: SearchIndex


def ask_stores(
    stores: Sequence[NamedIndex],
    text: str,
    settings: Settings,
    helpers: Helpers,
    on_text: Callable[[str], None] = ignore,
) -> Answer:
    """Answer a question from one store or from several with the same embedder."""
    if len(stores) == 1 and not stores[0].name:
        return ask_in(stores[0].index, text, settings, helpers, on_text=on_text).answer
    clock = StageTimer()
    with clock.stage("answer"):
        how, llm = answerer(settings)
        if llm and llm.parameters >= BIG_MODEL_PARAMETERS:
            helpers = replace(helpers, model=llm)
    indexes = [store.index for store in stores]
    with clock.stage("retrieve"):
        words = _read_as(indexes, text, settings)
        found, best = retrieve_from_several(
            indexes, corrected(text, words), settings.mode, settings.top_k, helpers
        )
        hits = tuple(replace(hit, doc=_marked(store, hit.doc)) for store, hit in best)
    with clock.stage("answer"):
        context = _context(indexes, found, hits, settings, llm)
        names = tuple(dict.fromkeys(chain.from_iterable(x.names for x in found)))
        reply = answer(
            found[0].question.text,
            context,
            how,
            answer_models(settings, how, helpers, llm),
            entities=names,
            whole=all(retrieval.about_whole for retrieval in found),
            emit=on_text,
        )
        reply = _unmarked_reply(stores, reply)
        for at, store in enumerate(stores):
            cited = tuple(c for c in reply.citations if c.store == store.name)
            verify(indexes[at].snapshot, cited)
        notes = [reply.note, note(words)]
        if reply.abstained:
            notes += [unread_note(found[0].question.text, index.snapshot) for index in indexes]
        reply = replace(reply, note="; ".join(filter(None, notes)))
    timings = {k: v * 1000 for k, v in clock.stages.items()} | {"total": clock.total * 1000}
    return Answer(
        text,
        settings.mode,
        reply,
        tuple(_unmarked(stores, hit) for hit in hits),
        names,
        context.tokens,
        {k: round(v, 2) for k, v in timings.items()},
        indexes[0].snapshot.generation,
        facts=(*context.entities, *context.relations),
        stores=tuple((store.name, store.index.snapshot.generation) for store in stores),
    )


def _read_as(indexes: Sequence[SearchIndex], text: str, settings: Settings) -> dict[str, str]:
    """The mistyped words of a question (see ``read_as``): no store has them."""
    count = token_counter(settings)
    words: dict[str, str] = {}
    for index in indexes:
        for word, meant in read_as(index, text, count).items():
            words.setdefault(word, meant)
    return {
        word: meant
        for word, meant in words.items()
        if not any(index.has_word(word) for index in indexes)
    }


def _context(
    indexes: Sequence[SearchIndex],
    found: Sequence[Retrieval],
    hits: Sequence[Hit],
    settings: Settings,
    llm: Llm | None,
) -> Context:
    """The hits within the budget; with the facts of every store, in turns."""
    count = token_counter(settings)
    in_turns = list(zip_longest(*(retrieval.facts for retrieval in found)))
    facts = [(at, fact) for turn in in_turns for at, fact in enumerate(turn) if fact is not None]
    if facts:
        context = fit_all(hits, [fact for _, fact in facts], settings.budget, count)
        used = {id(fact) for fact in context.facts}
        sources = [
            replace(hit, doc=_marked(at, hit.doc))
            for at, index in enumerate(indexes)
            for hit in evidence(index, _those_of(at, facts, used))
        ]
        return beside(context, sources)
    if llm is None:
        return fit(hits, settings.budget, count)
    share = settings.budget // len(indexes)
    known = [
        background(index, retrieval.selection, share, count)
        for index, retrieval in zip(indexes, found, strict=True)
    ]
    spent = sum(part.tokens for part in known)
    context = fit(hits, settings.budget - spent, count)
    return replace(
        context,
        tokens=context.tokens + spent,
        entities=tuple(line for part in known for line in part.entities),
        relations=tuple(line for part in known for line in part.relations),
    )


def _those_of(store: int, facts: Sequence[tuple[int, Fact]], used: set[int]) -> list[Fact]:
    """The facts of one store that are in the context."""
    return [fact for at, fact in facts if at == store and id(fact) in used]


def _marked(store: int, doc: str) -> str:
    return chr(_FIRST_MARK + store) + doc


def _unmarked(stores: Sequence[NamedIndex], hit: Hit) -> Hit:
    return replace(hit, doc=hit.doc[1:], store=stores[ord(hit.doc[0]) - _FIRST_MARK].name)


def _unmarked_reply(stores: Sequence[NamedIndex], reply: Reply) -> Reply:
    """The reply with the ids of the stores; notes may name a path, too."""
    marks = {_FIRST_MARK + at: None for at in range(len(stores))}
    short = reply.short and replace(
        reply.short,
        doc=reply.short.doc[1:],
        items=tuple(replace(item, doc=item.doc[1:]) for item in reply.short.items),
    )
    citations = tuple(_unmarked_citation(stores, citation) for citation in reply.citations)
    return replace(reply, citations=citations, short=short, note=reply.note.translate(marks))


def _unmarked_citation(stores: Sequence[NamedIndex], citation: Citation) -> Citation:
    store = stores[ord(citation.doc[0]) - _FIRST_MARK].name
    return replace(citation, doc=citation.doc[1:], store=store)
