"""ragcli serve: serve a store to programs that use the Model Context Protocol."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

import ragcli
from ragcli.cli import options
from ragcli.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragcli.serve.desk import Desk

DEFAULT_PORT = 8765
INTERRUPTED = 130
TOKEN = "RAGCLI_HTTP_TOKEN"


def serve(
    port: Annotated[
        int | None,
        typer.Argument(
            metavar="[PORT]", help="With --http: the port; 0 takes a free one.", min=0, max=65535
        ),
    ] = None,
    http: Annotated[
        bool,
        typer.Option(
            "--http",
            help=f"Listen for HTTP on 127.0.0.1 (port {DEFAULT_PORT} unless given), "
            "for programs on this machine only.",
        ),
    ] = False,
    store: options.Stores = None,
    llm: options.Llm = None,
    embedder: options.Embedder = None,
) -> None:
    """Serve the store to an assistant over standard input and output (MCP), read-only.

    Tools: search, fetch, ask, get_document, list_documents, neighbours, status. Documents are
    resources. Without --http it opens no port. If the variable RAGCLI_HTTP_TOKEN is set, clients
    over HTTP must send its content as bearer token. The setting serve_seconds limits each request.
    """
    if port is not None and not http:
        raise InputError(f"unexpected argument: {port}", f"to listen on a port: --http {port}")
    from ragcli.serve.desk import Desk
    from ragcli.serve.protocol import Endpoint
    from ragcli.serve.resources import Resources
    from ragcli.serve.served import Served
    from ragcli.serve.tools import INSTRUCTIONS, Tools
    from ragcli.serve.worker import EndpointProcess

    settings = options.settings(llm=llm, embedder=embedder)
    # Report an unreadable store now, not at the first call.
    with options.open_stores(store, settings) as opened:
        several = opened.stores if isinstance(opened, ragcli.Stores) else (opened,)
        served = Served([one.path for one in several])
    endpoint = Endpoint(Tools(served, settings).all(), Resources(served), INSTRUCTIONS)
    folders = [str(folder.absolute()) for folder in served.folders.values()]
    worker = EndpointProcess(
        settings.serve_seconds, "ragcli.serve.worker:endpoint_of", folders, asdict(settings)
    )
    try:
        desk = Desk(endpoint, worker)
        if http:
            _listen(desk, DEFAULT_PORT if port is None else port)
        else:
            _converse(desk)
    finally:
        worker.end()


def _converse(desk: Desk) -> None:
    """Answer over standard input and output until the input ends."""
    from ragcli.serve.stdio import serve as run

    if sys.stdin.isatty():
        sys.stderr.write(
            "an assistant starts this command and talks to it over standard input "
            "(docs/how-to/agents.md); stop with Ctrl-D\n"
        )
    # Standard output carries the protocol only; output of libraries goes to standard error.
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    try:
        run(sys.stdin.buffer, out, desk)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _listen(desk: Desk, port: int) -> None:
    """Answer over HTTP until Ctrl-C."""
    from ragcli.serve.http import LoopbackServer

    token = os.environ.get(TOKEN, "")
    if token and not (token.isascii() and token.isprintable()):
        raise ConfigError(f"the variable {TOKEN} must be printable ASCII")
    try:
        server = LoopbackServer(desk, port, token)
    except OSError as error:
        raise InputError(
            f"cannot listen on port {port}: {error.strerror}", "name another port: --http PORT"
        ) from None
    sys.stderr.write(f"serving {server.url} (stop with Ctrl-C)\n")
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stderr.write("stopped\n")
