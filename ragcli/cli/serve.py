"""ragcli serve: serve a store to programs that use the Model Context Protocol."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragcli.cli import completion, inputs, options
from ragcli.ending import INTERRUPTED
from ragcli.errors import ConfigError, InputError
from ragcli.serve.assistants import ASSISTANTS

if TYPE_CHECKING:
    from ragcli.config import Settings
    from ragcli.serve.desk import Desk

DEFAULT_PORT = 8765
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
    fresh: options.Fresh = None,
    llm: options.Llm = None,
    embedder: options.Embedder = None,
    install: Annotated[
        str | None,
        typer.Option(
            metavar="ASSISTANT",
            help="Serve nothing; write this server into the configuration of an assistant, after a"
            f" question: {', '.join(ASSISTANTS)}.",
            autocompletion=completion.assistants,
        ),
    ] = None,
    uninstall: Annotated[
        str | None,
        typer.Option(
            metavar="ASSISTANT",
            help="Take this server out of the configuration of an assistant, after a question.",
            autocompletion=completion.assistants,
        ),
    ] = None,
    skill: Annotated[
        bool,
        typer.Option(
            "--skill",
            help="With --install and --uninstall: also a skill, which tells a coding agent when to"
            " use the commands.",
        ),
    ] = False,
    print_: Annotated[
        bool, typer.Option("--print", help="With --install: print what would be written.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --install and --uninstall: do not ask.")
    ] = False,
) -> int:
    """Serve the store to an assistant over standard input and output (MCP), read-only.

    Tools: search, fetch, ask, get_document, list_documents, list_tables, query_tables,
    neighbours, status. Documents are resources. Without --http it opens no port. If the variable
    RAGCLI_HTTP_TOKEN is set, clients over HTTP must send its content as bearer token. The setting
    serve_seconds limits each request.

    With --install it serves nothing and connects an assistant with the store: it shows the change
    of the assistant's own configuration, asks, and keeps a copy.
    """
    if port is not None and not http:
        raise InputError(f"unexpected argument: {port}", f"to listen on a port: --http {port}")
    if install or uninstall:
        given = {"llm": llm, "embedder": embedder}
        more = [f"--{name}={value}" for name, value in given.items() if value]
        more += ["--fresh"] if fresh else []
        return _connect(install or "", uninstall or "", store, more, skill, print_, yes)
    _serve(port, http, store, inputs.settings(fresh=fresh, llm=llm, embedder=embedder))
    return 0


def _connect(
    install: str,
    uninstall: str,
    store: list[Path] | None,
    more: list[str],
    skill: bool,
    print_: bool,
    yes: bool,
) -> int:
    """Connect an assistant with the stores, or disconnect it; the exit code."""
    from ragcli.cli import serve_install

    if install and uninstall:
        raise ConfigError("--install and --uninstall exclude each other", "leave one out")
    folders = store or [inputs.existing_store(None)]
    if print_:
        return serve_install.show_entry(install or uninstall, folders, more, skill)
    if install:
        return serve_install.install(install, folders, more, skill, yes)
    return serve_install.uninstall(uninstall, folders, skill, yes)


def _serve(port: int | None, http: bool, store: list[Path] | None, settings: Settings) -> None:
    """Answer requests until the input ends, or Ctrl-C."""
    from ragcli.serve.desk import Desk
    from ragcli.serve.protocol import Endpoint
    from ragcli.serve.resources import Resources
    from ragcli.serve.served import Served
    from ragcli.serve.tools import INSTRUCTIONS, Tools
    from ragcli.serve.worker import EndpointProcess

    # Report an unreadable store now, not at the first call.
    with inputs.open_stores(store, settings) as opened:
        served = Served([one.path for one in opened.stores])
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
