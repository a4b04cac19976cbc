"""What the store holds of documents: their state, their chunks, what sums them up."""

from __future__ import annotations

from typing import Annotated

import typer

from ragcli.cli import options, render


def docs(store: options.Store = None, json: options.Json = False) -> None:
    """List the documents with their status; failed ones with the reason."""
    from ragcli.store import stats as of
    from ragcli.store.reading import reading

    with reading(options.existing_store(store)) as db:
        columns = ("doc", "status", "chunks", "size", "updated_at", "error")
        render.rows(of.documents(db), columns, json)


def doc(
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="The document's id.", callback=options.as_text)
    ],
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """Show one document: its status, its summary and its chunks."""
    from ragcli.store import stats as of
    from ragcli.store.reading import reading

    with reading(options.existing_store(store)) as db:
        found = of.document(db, id_)
        chunks_ = list(of.chunks(db, id_))
    if json:
        render.print_json({**found, "chunks": chunks_})
        return
    render.table("", ("", ""), [(k, str(v)) for k, v in found.items()])
    columns = ("chunk", "line_start", "line_end", "tokens", "heading")
    render.table("\nchunks", columns, ([c[k] for k in columns] for c in chunks_))


def chunks(
    doc: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Of this document only.", callback=options.as_text),
    ] = None,
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """List the chunks with their places; --json gives their text, too."""
    from ragcli.store import stats as of
    from ragcli.store.reading import reading

    with reading(options.existing_store(store)) as db:
        if doc is not None:
            of.document(db, doc)
        columns = ("chunk", "line_start", "line_end", "tokens", "heading")
        render.rows(of.chunks(db, doc), columns, json)


def tree(store: options.Store = None, json: options.Json = False) -> None:
    """Show the summary tree: folders, documents, and their summaries."""
    from ragcli.store import stats as of
    from ragcli.store.reading import reading

    with reading(options.existing_store(store)) as db:
        nodes = list(of.tree(db))
    if json:
        render.print_lines(nodes)
    else:
        render.tree(nodes)
