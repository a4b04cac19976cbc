"""ragcli ask: answer a question with citations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.api import as_path
from ragcli.cli import options
from ragcli.cli.run_ask import AskArguments, run_ask


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
    fresh: options.Fresh = None,
    llm: options.Llm = None,
    embedder: options.Embedder = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show the passages, why each was found, and the time of each step."
        ),
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            parser=as_path,
            metavar="FILE",
            help="Write an HTML page that shows the graph and how retrieval used it.",
        ),
    ] = None,
    session: Annotated[
        Path | None,
        typer.Option(
            parser=as_path,
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
    return run_ask(AskArguments(**locals()))
