"""ragcli ask: answer a question with citations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import ragcli
from ragcli.cli import options, render
from ragcli.errors import InputError
from ragcli.overwriting import is_page, refuse_to_lose
from ragcli.types import Answer, Scope

if TYPE_CHECKING:
    from ragcli.cli.places import FileOf
    from ragcli.config import Settings

NEGATIVE = 1


def ask(
    question: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUESTION",
            help="The question, in quotes or not; - reads it from stdin, as does no question in a"
            " pipe.",
        ),
    ] = None,
    store: options.Stores = None,
    mode: options.Mode = None,
    answer: Annotated[
        str | None, typer.Option(help="How to answer: auto, extractive, llm, none.")
    ] = None,
    top_k: Annotated[
        int | None, typer.Option(min=1, help="Number of passages to retrieve.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(min=1, help="Tokens of context for the answer.")
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Confidence below which a short answer is withheld."),
    ] = None,
    in_: options.In = None,
    type_: options.Type = None,
    since: options.Since = None,
    where: options.Where = None,
    llm: options.Llm = None,
    embedder: options.Embedder = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the passages and why each was found.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            parser=options.path,
            metavar="FILE",
            help="Write an HTML page that shows the graph and how retrieval used it.",
        ),
    ] = None,
    session: Annotated[
        Path | None,
        typer.Option(
            parser=options.path,
            metavar="FILE",
            help="Keep the conversation in this file, and continue the one in it.",
        ),
    ] = None,
    format: options.Format = None,
    force: options.Force = False,
    no_input: Annotated[bool, typer.Option("--no-input", help="Never prompt.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Answer a question from the store and cite the sources with exact quotes.

    Without QUESTION on a terminal, start a conversation that resolves "it" and "he"; /help lists
    its commands.

    Exit code 1 if the documents contain no answer.
    """
    how = options.output_format(format, json)
    settings = options.settings(
        mode=mode,
        answer=answer,
        top_k=top_k,
        budget=budget,
        min_confidence=min_confidence,
        llm=llm,
        embedder=embedder,
    )
    scope = options.scope(in_, type_, since, where)
    if not question and not no_input and how == "plain" and sys.stdin.isatty():
        return _converse(store, settings, scope, session, explain, quiet)
    text = options.words(question or [], 'for example: ragcli ask "Who founded it?"', no_input)
    if html is not None and not force:
        refuse_to_lose(html, is_page, "a page")
    with (
        render.ProgressBar(quiet or how == "json") as progress,
        options.open_stores(store, settings, progress) as opened,
    ):
        if html is None:
            result = opened.ask(text, scope=scope)
        else:
            result = _ask_and_draw(opened, text, scope, html)
        _print(result, opened.file_of, how, explain)
    if how == "plain" and not quiet:
        spent = ", ".join(f"{k} {v:.0f} ms" for k, v in result.timings_ms.items())
        render.note(f"\n{len(result.hits)} passages, {result.context_tokens} tokens; {spent}")
    found = result.hits if settings.answer == "none" else not result.reply.abstained
    return 0 if found else NEGATIVE


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


def _print(result: Answer, file_of: FileOf, how: str, explain: bool) -> None:
    """Print an answer in a format."""
    from ragcli.asking.answer_json import answer_json
    from ragcli.cli.answer_text import as_markdown, as_org, show_answer

    if how == "json":
        render.print_json(answer_json(result))
    elif how == "plain":
        show_answer(result, file_of, explain)
    else:
        for line in (as_markdown if how == "markdown" else as_org)(result, file_of):
            render.line(line)


def _converse(
    store: list[Path] | None,
    settings: Settings,
    scope: Scope,
    session: Path | None,
    explain: bool,
    quiet: bool,
) -> int:
    """Answer questions from the terminal."""
    from ragcli.cli.conversation import Chat
    from ragcli.cli.session import Session

    kept = Session(session)
    with options.open_stores(store, settings) as opened:
        talk = opened.conversation(scope=scope)
        if last := kept.last():
            talk.remember(*last)
        return Chat(opened, talk, kept, explain, quiet).run()
