"""What ``ragcli ask`` does, once its arguments are read.

Apart from ``ask.py``, so that a question does not wait for Typer (``plain_arguments.py``).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import ragcli
from ragcli.cli import inputs, render
from ragcli.cli.streaming import streamed
from ragcli.errors import InputError
from ragcli.overwriting import is_page, refuse_to_lose
from ragcli.text.words import counted
from ragcli.types import Answer, Scope

if TYPE_CHECKING:
    from ragcli.cli.places import FileOf
    from ragcli.config import Settings


@dataclass
class AskArguments:
    """The arguments and options of ``ragcli ask``, named as in ``cli/ask.py``."""

    question: list[str] | None = None
    store: list[Path] | None = None
    mode: str | None = None
    answer: str | None = None
    top_k: int | None = None
    budget: int | None = None
    min_confidence: float | None = None
    in_: list[str] | None = None
    type_: list[str] | None = None
    since: str | None = None
    where: list[str] | None = None
    fresh: bool | None = None
    llm: str | None = None
    embedder: str | None = None
    explain: bool = False
    html: Path | None = None
    session: Path | None = None
    format: str | None = None
    force: bool = False
    no_input: bool = False
    json: bool = False
    quiet: bool = False


def run_ask(given: AskArguments) -> int:
    """Answer a question, or hold a conversation; the exit code."""
    how = inputs.output_format(given.format, given.json)
    settings = inputs.settings(
        mode=given.mode,
        answer=given.answer,
        top_k=given.top_k,
        budget=given.budget,
        min_confidence=given.min_confidence,
        fresh=given.fresh,
        llm=given.llm,
        embedder=given.embedder,
    )
    scope = inputs.scope(given.in_, given.type_, given.since, given.where)
    if not given.question and not given.no_input and how == "plain" and sys.stdin.isatty():
        return _converse(given, settings, scope)
    text = inputs.words(
        given.question or [], 'for example: ragcli ask "Who founded it?"', given.no_input
    )
    if given.html is not None and not given.force:
        refuse_to_lose(given.html, is_page, "a page")
    inputs.freshen(given.store, settings, given.quiet)
    with (
        render.ProgressBar(given.quiet or how == "json") as progress,
        inputs.open_stores(given.store, settings, progress) as opened,
    ):
        written = streamed(settings, progress.stop) if how == "plain" and not given.html else None
        if given.html is None:
            result = opened.ask(text, scope=scope, on_text=written)
        else:
            result = _ask_and_draw(opened, text, scope, given.html)
        _print(result, opened.file_of, how, given.explain, written.text if written else "")
    if how == "plain" and given.explain and not given.quiet:
        spent = ", ".join(f"{k} {v:.0f} ms" for k, v in result.timings_ms.items())
        read = counted(result.context_tokens, "token")
        render.note(f"\n{counted(len(result.hits), 'passage')}, {read}; {spent}")
    found = result.hits if settings.answer == "none" else not result.reply.abstained
    return 0 if found else inputs.NEGATIVE


def _ask_and_draw(
    store: ragcli.Store | ragcli.Stores, text: str, scope: Scope, file: Path
) -> Answer:
    """Answer a question, and write an HTML page of the graph that shows the retrieval."""
    if isinstance(store, ragcli.Stores):
        raise InputError("--html draws the graph of one store", "name one --store")
    result, page = store.ask_and_draw(text, scope=scope)
    file.write_text(page, encoding="utf-8")
    render.note(f"wrote {file}")
    return result


def _print(result: Answer, file_of: FileOf, how: str, explain: bool, shown: str) -> None:
    """Print an answer in a format; ``shown``: see ``show_answer``."""
    from ragcli.asking.answer_json import answer_json
    from ragcli.cli.answer_text import as_markdown, as_org, show_answer

    if how == "json":
        render.print_json(answer_json(result))
    elif how == "plain":
        show_answer(result, file_of, explain, shown)
    else:
        for line in (as_markdown if how == "markdown" else as_org)(result, file_of):
            render.line(line)


def _converse(given: AskArguments, settings: Settings, scope: Scope) -> int:
    """Answer questions from the terminal."""
    from ragcli.cli.conversation import Chat
    from ragcli.cli.session import Session

    kept = Session(given.session)
    inputs.freshen(given.store, settings, given.quiet)
    with inputs.open_stores(given.store, settings) as opened:
        talk = opened.conversation(scope=scope)
        if last := kept.last():
            talk.remember(*last)
        stream = partial(streamed, settings, lambda: None)
        return Chat(opened, talk, kept, given.explain, given.quiet, stream).run()
