"""ragcli ask: answer a question with citations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import ragcli
from ragcli.cli import options, render
from ragcli.config import MODES
from ragcli.errors import InputError
from ragcli.overwriting import is_page, refuse_to_lose
from ragcli.text.markup import restyled
from ragcli.text.words import one_line
from ragcli.types import Answer, Citation, Scope, ShortAnswer
from ragcli.types.places import place_of

if TYPE_CHECKING:
    from rich.text import Text

    from ragcli.config import Settings

NEGATIVE = 1


def ask(
    question: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUESTION", help="The question, in quotes or not; - reads it from stdin."
        ),
    ] = None,
    store: options.Store = None,
    mode: Annotated[str | None, typer.Option(help=f"How to retrieve: {', '.join(MODES)}.")] = None,
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
        bool, typer.Option("--explain", help="Show why each passage was found.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            parser=options.path,
            metavar="FILE",
            help="Write an HTML page that shows the graph and how retrieval used it.",
        ),
    ] = None,
    force: options.Force = False,
    no_input: Annotated[bool, typer.Option("--no-input", help="Never prompt.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Answer a question from the store and cite the sources with exact quotes.

    Without QUESTION on a terminal, start a conversation that resolves "it" and "he".

    Exit code 1 if the documents contain no answer.
    """
    from ragcli.asking.answer_json import answer_json

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
    if not question and not (no_input or json) and sys.stdin.isatty():
        return _converse(options.existing_store(store), settings, scope, explain, quiet)
    text = _question(question or [])
    if html is not None and not force:
        refuse_to_lose(html, is_page, "a page")
    folder = options.existing_store(store)
    with (
        render.ProgressBar(quiet or json) as progress,
        ragcli.Store.open(folder, settings, progress) as opened,
    ):
        if html is None:
            result = opened.ask(text, scope=scope)
        else:
            result = _ask_and_draw(opened, text, scope, html)
    if json:
        render.print_json(answer_json(result))
    else:
        _show(result, explain, quiet)
    found = result.hits if settings.answer == "none" else not result.reply.abstained
    return 0 if found else NEGATIVE


def _ask_and_draw(store: ragcli.Store, text: str, scope: Scope, file: Path) -> Answer:
    """Answer a question, and write an HTML page of the graph that shows the retrieval."""
    result, page = store.ask_and_draw(text, scope=scope)
    file.write_text(page, encoding="utf-8")
    render.note(f"wrote {file}")
    return result


def _question(words: list[str]) -> str:
    given = sys.stdin.read() if words == ["-"] else " ".join(words)
    text = (options.as_text(given) or "").strip()
    if not text:
        raise InputError("no question given", 'for example: ragcli ask "Who founded it?"')
    return text


def _converse(store: Path, settings: Settings, scope: Scope, explain: bool, quiet: bool) -> int:
    """Answer questions from the terminal until an empty line."""
    with ragcli.Store.open(store, settings) as opened:
        conversation = opened.conversation(scope=scope)
        if not quiet:
            render.note("Ask a question; an empty line ends the conversation.")
        while text := _line():
            result = conversation.ask(text)
            if result.question != text and not quiet:
                render.note(f"understood as: {result.question}")
            _show(result, explain, quiet)
    return 0


def _line() -> str:
    """The next line; "" at the end of the input."""
    sys.stderr.write("\n> ")
    sys.stderr.flush()
    return (options.as_text(sys.stdin.readline()) or "").strip()


def _show(result: Answer, explain: bool, quiet: bool) -> None:
    print_ = render.out().print
    reply = result.reply
    if reply.short:
        print_(_headline(reply.short))
        print_()
    if reply.text:
        print_(reply.text, markup=False)
    if reply.note:
        render.note(reply.note)
    for c in reply.citations:
        above = f" ({one_line(c.heading)})" if c.heading else ""
        print_(f"\n[{c.n}] {_place(c)}{above}", markup=False)
        print_(_quote(c, reply.short))
    if explain or reply.by == "none":
        _show_hits(result, explain)
    if not quiet:
        spent = ", ".join(f"{k} {v:.0f} ms" for k, v in result.timings_ms.items())
        render.note(f"\n{len(result.hits)} passages, {result.context_tokens} tokens; {spent}")


def _headline(short: ShortAnswer) -> Text:
    """The short answer in bold, its citation and how sure it is."""
    from rich.text import Text

    return Text.assemble(
        (restyled(one_line(short.text)), "bold"),
        f" [{short.n}]",
        (f" (confidence {short.confidence:.0%})", "dim"),
    )


def _quote(citation: Citation, short: ShortAnswer | None) -> Text:
    """The quote on one line, indented, the short answer in it in bold."""
    from rich.text import Text

    if short is None or short.n != citation.n:
        return Text(f"    {one_line(citation.quote)}")
    at, end = short.start - citation.start, short.end - citation.start
    before, after = citation.quote[:at], citation.quote[end:]
    spaces = (" " * before[-1:].isspace(), " " * after[:1].isspace())
    return Text.assemble(
        f"    {one_line(before)}{spaces[0]}",
        (one_line(short.text), "bold"),
        f"{spaces[1]}{one_line(after)}",
    )


def _place(c: Citation) -> str:
    """The place of a citation: a page, slide, sheet and row or the like, otherwise the lines."""
    if place := place_of(c.doc, c.page, c.line_start, c.line_end):
        return f"{c.path}, {place}"
    lines = str(c.line_start) if c.line_start == c.line_end else f"{c.line_start}-{c.line_end}"
    return f"{c.path}:{lines}"


def _show_hits(result: Answer, explain: bool) -> None:
    print_ = render.out().print
    for hit in result.hits:
        print_(f"\n{hit.rank}. {hit.doc}:{hit.line_start}-{hit.line_end}", markup=False)
        if explain:
            for via in hit.via:
                print_(f"   {via.note}", markup=False)
        else:
            print_(f"   {' '.join(hit.text.split())[:300]}", markup=False)
    if explain and result.facts:
        print_("\nfrom the graph:", markup=False)
        for fact in result.facts:
            print_(f"   {fact}", markup=False)
    if explain and result.entities:
        print_(f"\nnamed in the question: {', '.join(result.entities)}", markup=False)
