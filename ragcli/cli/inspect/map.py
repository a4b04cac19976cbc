"""The map of the documents: what there is, part by part."""

from __future__ import annotations

from typing import Annotated

import typer

from ragcli.cli import completion, inputs, options, render


def map_(
    of: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="A folder, a document or a heading; without it, all documents.",
            callback=inputs.as_text,
            autocompletion=completion.documents,
        ),
    ] = None,
    store: options.Stores = None,
    json: options.Json = False,
) -> None:
    """Show what the documents are about: the parts, what introduces them, names and dates.

    NAME may be spelled a little differently.
    """
    from ragcli.asking.answer_json import map_reply_json
    from ragcli.cli.answer_text import show_reply

    with inputs.open_stores(store, inputs.settings()) as opened:
        reply = opened.map(of or "")
        if json:
            render.print_json(map_reply_json(reply))
        else:
            show_reply(reply, opened.file_of)
