"""ask: open -> understand the question -> retrieve -> fit the context -> answer -> verify."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from ragcli.answer import AnswerModels, How, answer
from ragcli.asking.opening import open_index
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
from ragcli.retrieve import Helpers, Retrieval, retrieve, understand
from ragcli.retrieve.closings import with_closings
from ragcli.retrieve.context import beside, fit, fit_all
from ragcli.retrieve.release_heads import with_release_heads
from ragcli.retrieve.table_heads import with_table_heads
from ragcli.search.search_index import SearchIndex
from ragcli.stage_timer import StageTimer
from ragcli.store.snapshot import Snapshot
from ragcli.text.scripts import language_of_question
from ragcli.types import Answer, Citation, Context, Report, silent

if TYPE_CHECKING:
    from ragcli.models.llm import Llm

_log = logging.getLogger(__name__)


def ignore(_text: str) -> None:
    """Take a piece of an answer and do nothing with it."""


@dataclass(frozen=True, slots=True)
class AskResult:
    """An answer with what it was made from."""

    answer: Answer
    retrieval: Retrieval
    context: Context


def ask(
    store: Path,
    text: str,
    settings: Settings,
    report: Report = silent,
    on_text: Callable[[str], None] = ignore,
) -> Answer:
    """Answer one question. ``on_text`` receives the text of a generated answer as it comes."""
    clock = StageTimer()
    with opened(store, settings, report, clock) as (index, helpers):
        return ask_in(index, text, settings, helpers, clock, on_text).answer


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
    text: str,
    settings: Settings,
    helpers: Helpers,
    clock: StageTimer | None = None,
    on_text: Callable[[str], None] = ignore,
) -> AskResult:
    """Answer a question in an open store (a conversation and ``eval`` open it only once)."""
    clock = clock or StageTimer()
    with clock.stage("answer"):
        how, llm = answerer(settings)
        # It also gives the keywords, in the modes that have some; a small one makes them up.
        if llm and llm.parameters >= BIG_MODEL_PARAMETERS:
            helpers = replace(helpers, model=llm)
        if reads(settings, how):
            load_reader_ahead()
    with clock.stage("retrieve"):
        english = language_of_question(text) == "en"
        words = read_as(index, text, token_counter(settings)) if english else {}
        question = understand(index.snapshot, corrected(text, words), helpers.encode)
        found = retrieve(index, question, settings.mode, settings.top_k, helpers)
    with clock.stage("answer"):
        context = context_of(index, question.text, found, settings, llm)
        reply = answer(
            question.text,
            context,
            how,
            answer_models(settings, how, helpers, llm),
            entities=found.names,
            whole=found.about_whole,
            emit=on_text,
        )
        verify(index.snapshot, reply.citations)
        if words:
            reply = replace(reply, note="; ".join(filter(None, (reply.note, note(words)))))
        if reply.abstained and (unread := unread_note(question.text, index.snapshot)):
            reply = replace(reply, note="; ".join(filter(None, (reply.note, unread))))
    timings = {k: v * 1000 for k, v in clock.stages.items()} | {"total": clock.total * 1000}
    result = Answer(
        text,
        settings.mode,
        reply,
        found.hits,
        found.names,
        context.tokens,
        {k: round(v, 2) for k, v in timings.items()},
        index.snapshot.generation,
        facts=(*context.entities, *context.relations),
    )
    return AskResult(result, found, context)


def context_of(
    index: SearchIndex, question: str, found: Retrieval, settings: Settings, llm: Llm | None
) -> Context:
    """The passages within the budget; before them what is known, for a model that can use it."""
    count = token_counter(settings)
    if found.facts:
        from ragcli.retrieve.lean import evidence

        context = fit_all(found.hits, found.facts, settings.budget, count)
        return beside(context, evidence(index, context.facts))
    hits = with_closings(index, question, found.hits)
    hits = with_release_heads(index, question, hits)
    hits = with_table_heads(hits, index.snapshot.documents.text)
    if llm is None:
        return fit(hits, settings.budget, count)
    from ragcli.retrieve.background import background

    known = background(index, found.selection, settings.budget, count)
    context = fit(hits, settings.budget - known.tokens, count)
    return replace(
        context,
        tokens=context.tokens + known.tokens,
        entities=known.entities,
        relations=known.relations,
    )


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


def verify(snapshot: Snapshot, citations: Sequence[Citation]) -> None:
    """Every quote must stand in its document, to the character. Raises StoreDamaged."""
    for c in citations:
        if snapshot.documents.text(c.doc, c.start, c.end) != c.quote:
            raise StoreDamaged(
                f"the quote [{c.n}] does not stand at {c.doc} {c.start}:{c.end}",
                "run: ragcli inspect check",
            )
