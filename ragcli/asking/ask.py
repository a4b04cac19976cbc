"""ask: open -> understand the question -> retrieve -> fit the context -> answer -> verify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from ragcli.answer import How, answer
from ragcli.asking.opening import open_space
from ragcli.config import Settings
from ragcli.errors import InputError, ModelError, StoreDamaged
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.models.locate import embedder_folder, llm_file
from ragcli.models.open_llm import open_llm
from ragcli.models.tokens import TokenOffsets
from ragcli.retrieve import evidence, facts_of, retrieve
from ragcli.retrieve.auto import is_about_whole
from ragcli.retrieve.background import background
from ragcli.retrieve.context import beside, fit, fit_all
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space
from ragcli.stage_timer import Clock
from ragcli.types import Answer, Context, Hit, Reply, Report, silent

if TYPE_CHECKING:
    from ragcli.models.llm import Llm

# No model of a billion parameters fits in fewer bytes; smaller files need not be opened to know
# that they are too weak to answer.
_BILLION_PARAMETERS_BYTES = 250_000_000


def _ignore(_text: str) -> None:
    """Take a piece of an answer and do nothing with it."""


def ask(
    store: Path,
    text: str,
    settings: Settings,
    report: Report = silent,
    on_text: Callable[[str], None] = _ignore,
) -> Answer:
    """Answer one question. ``on_text`` receives the text of a generated answer as it comes."""
    clock = Clock()
    with ExitStack() as stack:
        with clock.stage("open"):
            space = stack.enter_context(open_space(store, settings, report))
        return ask_in(space, text, settings, clock, on_text)


def ask_in(
    space: Space,
    text: str,
    settings: Settings,
    clock: Clock | None = None,
    on_text: Callable[[str], None] = _ignore,
) -> Answer:
    """Answer a question in an open space (a conversation and ``eval`` open it only once)."""
    clock = clock or Clock()
    with clock.stage("answer"):
        how, llm = answerer(settings)
        # It also gives the keywords, in the modes that have some; a small one makes them up.
        space.model = llm if llm and llm.parameters >= BIG_MODEL_PARAMETERS else None
    with clock.stage("retrieve"):
        question = space.understand(text)
        hits = retrieve(space, question, settings.mode, settings.top_k)
        names = space.names_of(question.entities)
    with clock.stage("answer"):
        context = context_of(space, question, hits, settings, llm)
        reply = answer(
            question.text,
            context,
            how,
            encode=space.encode,
            llm=llm,
            entities=names,
            whole=settings.mode == "auto" and is_about_whole(question),
            emit=on_text,
        )
        _verify(space, reply)
    timings = {k: v * 1000 for k, v in clock.stages.items()} | {"total": clock.total * 1000}
    return Answer(
        text,
        settings.mode,
        reply,
        tuple(hits),
        tuple(names),
        context.tokens,
        {k: round(v, 2) for k, v in timings.items()},
        space.generation,
        facts=(*context.entities, *context.relations),
    )


def context_of(
    space: Space, question: Question, hits: Sequence[Hit], settings: Settings, llm: Llm | None
) -> Context:
    """The passages within the budget; before them what is known, for a model that can use it."""
    offsets = _token_offsets(embedder_folder(settings.embedder))

    def count(text: str) -> int:
        return len(offsets(text))

    if facts := facts_of(space, question, settings.mode):
        context = fit_all(hits, facts, settings.budget, count)
        return beside(context, evidence(space, context.facts))
    if llm is None:
        return fit(hits, settings.budget, count)
    known = background(space, question, settings.mode, settings.budget, count)
    context = fit(hits, settings.budget - known.tokens, count)
    return replace(
        context,
        tokens=context.tokens + known.tokens,
        entities=known.entities,
        relations=known.relations,
    )


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
    if how == "auto" and file.stat().st_size < _BILLION_PARAMETERS_BYTES:
        return "extractive", None
    return how, open_llm(file, settings)


# A conversation and ``eval`` ask many questions: what the first one loads serves them all.
@lru_cache(maxsize=1)
def _token_offsets(folder: Path) -> TokenOffsets:
    return TokenOffsets(folder)


def _verify(space: Space, reply: Reply) -> None:
    """Every quote must stand in its document, to the character."""
    for c in reply.citations:
        if space.text_of(c.doc, c.start, c.end) != c.quote:
            raise StoreDamaged(
                f"the quote [{c.n}] does not stand at {c.doc} {c.start}:{c.end}",
                "run: ragcli inspect check",
            )
