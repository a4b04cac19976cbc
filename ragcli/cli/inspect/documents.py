"""Documents of a store: their status, their chunks and their summaries."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragcli.cli import completion, inputs, options, render
from ragcli.cli.index import not_read
from ragcli.text.terminal import harmless

if TYPE_CHECKING:
    from ragcli.store.snapshot import Snapshot
    from ragcli.types import Document, Node


def docs(
    unread: Annotated[
        bool, typer.Option("--unread", help="List the files that are not read, with the reason.")
    ] = False,
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """List the documents with their status; failed ones with the reason."""
    from ragcli.store import listings

    with inputs.open_snapshot(store) as snapshot:
        left_out = snapshot.documents.unread()
        if unread:
            files = [{"path": path, "reason": reason} for path, reason in left_out]
            render.rows(files, ("path", "reason"), json)
            return
        columns = ("doc", "status", "chunks", "size", "updated_at", "error")
        render.rows(map(asdict, listings.documents(snapshot)), columns, json)
    if left_out and not json:
        render.note(f"{not_read([reason for _, reason in left_out])} (--unread lists them)")


def doc(
    ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID...",
            help="The ids of documents.",
            autocompletion=completion.documents,
        ),
    ],
    text: Annotated[
        bool,
        typer.Option(
            "--text",
            help="Print the document's text and nothing else; of several, each below its id.",
        ),
    ] = False,
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """Show documents: their status, their fields, their summary and their chunks; or their text.

    The text is the one that offsets in --json refer to. For PDF, Word and other formats it is what
    ragcli has read. --json prints an object a line.
    """
    from ragcli.store import listings

    with inputs.open_snapshot(store) as snapshot:
        known = [listings.document(snapshot, inputs.as_text(id_) or "") for id_ in ids]
        for number, one in enumerate(known):
            if not text:
                _show(snapshot, one, json, first=number == 0)
                continue
            whole = snapshot.documents.text(one.doc, 0, sys.maxsize)
            if len(known) > 1:
                sys.stdout.write(f"{chr(10) if number else ''}==> {harmless(one.doc)} <==\n")
            sys.stdout.write(harmless(whole) if sys.stdout.isatty() else whole)


def _show(snapshot: Snapshot, document: Document, json: bool, first: bool) -> None:
    """Print what the store knows of a document."""
    from ragcli.store import listings

    found = asdict(document)
    found["language"] = listings.language(snapshot, document.doc)
    found["fields"] = snapshot.facts.fields_of(document.doc)
    found["thread"] = [mail._asdict() for mail in snapshot.facts.thread(document.doc)]
    chunks_ = [asdict(chunk) for chunk in listings.chunks(snapshot, document.doc)]
    if json:
        render.print_json({**found, "chunks": chunks_})
        return
    if not first:
        render.line("")
    fields = [(f"field {name}", value) for name, value in found.pop("fields")]
    mails = found.pop("thread")
    render.table("", ("", ""), [*((k, str(v)) for k, v in found.items()), *fields])
    if mails:
        render.table("\nthread", tuple(mails[0]), (mail.values() for mail in mails))
    columns = ("chunk", "line_start", "line_end", "tokens", "heading")
    render.table("\nchunks", columns, ([c[k] for k in columns] for c in chunks_))


def chunks(
    doc: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only of this document.", callback=inputs.as_text),
    ] = None,
    store: options.Store = None,
    json: options.Json = False,
) -> None:
    """List the chunks with their lines; --json includes their text."""
    from ragcli.store import listings

    with inputs.open_snapshot(store) as snapshot:
        if doc is not None:
            listings.document(snapshot, doc)
        columns = ("chunk", "line_start", "line_end", "tokens", "heading")
        render.rows(map(asdict, listings.chunks(snapshot, doc)), columns, json)


def tree(store: options.Store = None, json: options.Json = False) -> None:
    """Show the summary tree: folders, documents, and their summaries."""

    with inputs.open_snapshot(store) as snapshot:
        nodes = [_as_json(node) for node in snapshot.nodes.listing()]
    if json:
        render.print_lines(nodes)
    else:
        render.tree(nodes)


def _as_json(node: Node) -> dict[str, Any]:
    names = ("id", "doc", "level", "kind", "title", "text", "children", "by")
    return {name: getattr(node, name) for name in names}
