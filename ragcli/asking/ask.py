"""ask: open -> understand the question -> retrieve -> fit the context -> answer -> verify.

A question about a whole gets a map instead of an answer (``maps.py``).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from ragcli.answer import AnswerModels, How, answer
from ragcli.answer.ordering import reordered
from ragcli.answer.passages import PartAround, passages
from ragcli.asking.maps import map_reply, told
from ragcli.asking.opening import open_index
from ragcli.asking.scans import with_scans
from ragcli.asking.several import (
    NamedIndex,
    found_in,
    not_sought,
    with_mark,
    with_own_id,
    with_own_ids,
)
from ragcli.asking.spelling import corrected, note, read_as
from ragcli.asking.unread import unread_note
from ragcli.config import Settings
from ragcli.errors import InputError, ModelError, StoreDamaged
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.models.locate import embedder_folder, llm_file
from ragcli.models.open_llm import open_llm
from ragcli.models.open_reader import load_reader_ahead, open_reader
from ragcli.models.reading_scores import kept_score, may_answer
from ragcli.models.tokens import TokenOffsets
from ragcli.retrieve import Helpers, Retrieval
from ragcli.retrieve.context import fit
from ragcli.search.search_index import SearchIndex
from ragcli.stage_timer import StageTimer
from ragcli.store.snapshot import Snapshot
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.lines import goes_on
from ragcli.types import Answer, Context, Hit, Reply, Report, ShownPassage, overlap

if TYPE_CHECKING:
    from ragcli.models.llm import Llm

ALSO = 3
"""Further places named below an answer."""

_log = logging.getLogger(__name__)


def ignore(_text: str) -> None:
    """Take a piece of an answer and do nothing with it."""


@dataclass(frozen=True, slots=True)
class AskResult:
    """An answer with what it was made from."""

    answer: Answer
    retrieval: Retrieval
    context: Context


@contextmanager
def opened(
    store: Path, settings: Settings, report: Report, clock: StageTimer
) -> Iterator[tuple[SearchIndex, Helpers]]:
    """An open store (see ``open_index``); how long it takes to open counts as "open"."""
    with ExitStack() as stack:
        with clock.stage("open"):
            found = stack.enter_context(open_index(store, settings, report))
        yield found


def ask_in(
    index: SearchIndex,
    asked: AskedQuestion,
    settings: Settings,
    helpers: Helpers,
    clock: StageTimer | None = None,
    on_text: Callable[[str], None] = ignore,
) -> AskResult:
    """Answer a question in an open store (a conversation and ``eval`` open it only once)."""
    return ask_stores([NamedIndex("", index)], asked, settings, helpers, clock, on_text)


def ask_stores(
    stores: Sequence[NamedIndex],
    asked: AskedQuestion,
    settings: Settings,
    helpers: Helpers,
    clock: StageTimer | None = None,
    on_text: Callable[[str], None] = ignore,
) -> AskResult:
    """Answer a question from one store, or from several with the same embedder."""
    clock = clock or StageTimer()
    indexes = [store.index for store in stores]
    with clock.stage("answer"):
        how, llm = answerer(settings)
        # It also gives the keywords, in the modes that have some; a small one makes them up.
        if llm and llm.parameters >= BIG_MODEL_PARAMETERS:
            helpers = replace(helpers, model=llm)
        if reads(settings, how):
            load_reader_ahead()
    with clock.stage("retrieve"):
        english = asked.language == "en"
        words = read_as(indexes, asked, token_counter(settings)) if english else {}
        meant = corrected(asked, words)
        mapped = settings.mode == "auto" and how != "none"
        reply = map_reply(stores, asked.text) if mapped else None
        # A map is made of the documents, not of passages that were found.
        seek = not_sought if reply else found_in
        found, hits = seek(stores, meant, settings, helpers)
    with clock.stage("answer"):
        context = context_of(stores, found, hits, settings, llm)
        names = tuple(dict.fromkeys(chain.from_iterable(one.names for one in found)))
        models = answer_models(settings, how, helpers, llm)
        if reply and llm and not stores[0].name:
            reply = told(reply, meant, models, on_text)
        if reply is None:
            reply = answer(meant, context, how, models, entities=names, emit=on_text)
            hits = _as_read(hits, reply, found, settings)
            reply = with_own_ids(stores, reply)
        reply = verified(stores, reply)
        unread = [
            unread_note(meant, index.snapshot) for index in (indexes if reply.abstained else ())
        ]
        reply = with_notes(reply, note(words), *unread)
    timings = {k: v * 1000 for k, v in clock.stages.items()} | {"total": clock.total * 1000}
    result = Answer(
        asked.text,
        settings.mode,
        reply,
        tuple(with_own_id(stores, hit) for hit in hits),
        names,
        context.tokens,
        {k: round(v, 2) for k, v in timings.items()},
        indexes[0].snapshot.generation,
        facts=(*context.entities, *context.relations),
        stores=tuple((one.name, one.index.snapshot.generation) for one in stores if one.name),
        documents=sum(index.document_count for index in indexes),
    )
    return AskResult(result, found[0], context)


def _as_read(
    hits: list[Hit], reply: Reply, found: Sequence[Retrieval], settings: Settings
) -> list[Hit]:
    """The hits ordered by what was read of them, too, where their scores are odds."""
    odds = settings.mode == "auto" and not found[0].about_whole
    return reordered(hits, reply.read) if odds and len(found) == 1 else hits


def with_notes(reply: Reply, *notes: str) -> Reply:
    """The reply with further notes, which people are told in any case."""
    return replace(
        reply,
        note="; ".join(filter(None, (reply.note, *notes))),
        hint="; ".join(filter(None, (reply.hint, *notes))) if reply.abstained else "",
    )


def context_of(
    stores: Sequence[NamedIndex],
    found: Sequence[Retrieval],
    hits: Sequence[Hit],
    settings: Settings,
    llm: Llm | None,
) -> Context:
    """The passages within the budget; before them what is known, for a model that can use it."""
    count = token_counter(settings)
    indexes = [store.index for store in stores]
    if any(one.facts for one in found):
        from ragcli.papers.known import with_facts

        marked = partial(with_mark, stores)
        return with_facts(indexes, found, hits, settings.budget, count, marked)
    if llm is not None and any(one.selection for one in found):
        from ragcli.papers.known import with_background

        return with_background(indexes, found, hits, settings.budget, count)
    return fit(hits, settings.budget, count)


def answer_models(settings: Settings, how: How, helpers: Helpers, llm: Llm | None) -> AnswerModels:
    """The models to answer with; the reader is loaded only if something is to be read."""
    return AnswerModels(
        helpers.encode,
        open_reader() if reads(settings, how) else None,
        llm,
        settings.min_confidence,
        helpers.encode_passages,
        multilingual=settings.embedder != "default",
        excerpt=settings.llm_excerpt,
    )


def reads(settings: Settings, how: How) -> bool:
    """Whether a question is answered with the reader."""
    return settings.reader != "none" and how != "none"


def answerer(settings: Settings) -> tuple[How, Llm | None]:
    """How to answer, and the model for it; a model is loaded only if it may be used."""
    if settings.answer not in get_args(How):
        raise InputError(
            f"unknown way to answer {settings.answer!r}",
            f"choose one of: {', '.join(get_args(How))}",
        )
    how = cast(How, settings.answer)
    if how in ("extractive", "none"):
        return how, None
    file = llm_file(settings.llm)
    if file is None:
        if how == "llm":
            raise ModelError(
                "no language model to answer with",
                'name a GGUF file with --llm, or run: pip install "ragcli[smollm2]"',
            )
        return "extractive", None
    if how == "auto" and not may_answer(file):
        if settings.llm != "auto":
            _say_why_not(file)
        return "extractive", None
    return how, open_llm(file, settings)


@lru_cache(maxsize=1)
def _say_why_not(file: Path) -> None:
    """Warn, once, that a model that the user has named does not answer by itself."""
    score = kept_score(file)
    if score is None:
        _log.warning(
            "whether %s can answer has not been tested (ragcli models check %s); sentences of the "
            "documents answer, unless you ask with --answer llm",
            file.stem,
            file,
        )
    else:
        _log.warning(
            "%s got only %d of %d questions of the reading test right; sentences of the documents "
            "answer, unless you ask with --answer llm",
            file.stem,
            score.right,
            score.asked,
        )


def token_counter(settings: Settings) -> Callable[[str], int]:
    """The function that counts the tokens of a text."""
    offsets = _token_offsets(embedder_folder(settings.embedder))
    return lambda text: len(offsets(text))


# A conversation and ``eval`` ask many questions: what the first one loads serves them all.
@lru_cache(maxsize=1)
def _token_offsets(folder: Path) -> TokenOffsets:
    return TokenOffsets(folder)


def verified(stores: Sequence[NamedIndex], reply: Reply) -> Reply:
    """The reply in passages of its stores, unless it is a map, when all its quotes stand there."""
    named = {store.name: store.index for store in stores}
    if not reply.maps:
        reply = with_passages(reply, lambda name, *place: named[name].part_around(*place))
    for name, index in named.items():
        verify(index.snapshot, reply, name)
    return with_scans(reply, {name: index.snapshot for name, index in named.items()})


def with_passages(reply: Reply, part_around: PartAround) -> Reply:
    """The reply with its quotes shown in their context; one that a model wrote stays as it is."""
    if reply.by != "extractive":
        return reply
    shown = tuple(_marked(one, part_around) for one in passages(reply.citations, part_around))
    also = [one for one in reply.also if not any(overlap(one, passage) for passage in shown)][:ALSO]
    return replace(
        reply,
        passages=shown,
        also=tuple(replace(one, n=n) for n, one in enumerate(also, len(reply.citations) + 1)),
    )


def _marked(passage: ShownPassage, part_around: PartAround) -> ShownPassage:
    """The passage, which knows whether it is cut."""
    part = part_around(passage.store, passage.doc, passage.start, passage.end)
    return replace(passage, goes_on=goes_on(passage.text, part.text[passage.end - part.start :]))


def verify(snapshot: Snapshot, reply: Reply, store: str = "") -> None:
    """Every quote must be in its document, to the character. Raises StoreDamaged.

    Of a reply from several stores, those of ``store`` are looked at.
    """
    for n, doc, start, end, quote in _quoted(reply, store):
        if snapshot.documents.text(doc, start, end) != quote:
            raise StoreDamaged(
                f"the quote [{n}] does not stand at {doc} {start}:{end}",
                "run: ragcli inspect check",
            )


def _quoted(reply: Reply, store: str) -> Iterator[tuple[int, str, int, int, str]]:
    """All that a reply quotes from a store: number, document, start, end, text."""
    in_maps = (one for found in reply.maps for one in (*found.dates, *found.figures))
    for c in (*reply.citations, *reply.also, *in_maps):
        if c.store == store:
            yield c.n, c.doc, c.start, c.end, c.quote
    for p in reply.passages:
        if p.store == store:
            yield p.n, p.doc, p.start, p.end, p.text
            if p.head:
                yield p.n, p.doc, p.head.start, p.head.end, p.head.text
