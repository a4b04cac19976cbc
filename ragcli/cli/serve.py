"""ragcli serve: serve a store to programs that use the Model Context Protocol."""

from __future__ import annotations

import sys

import ragcli
from ragcli.cli import options


def serve(
    store: options.Store = None, llm: options.Llm = None, embedder: options.Embedder = None
) -> None:
    """Serve the store to an assistant over standard input and output (MCP), read-only.

    Tools: search, ask, get_document, list_documents, neighbours, status. It opens no port.
    """
    from ragcli.serve.protocol import serve as run
    from ragcli.serve.tools import INSTRUCTIONS, Tools

    where = options.existing_store(store)
    settings = options.settings(llm=llm, embedder=embedder)
    # Report an unreadable store now, not at the first call.
    ragcli.Store.open(where, settings).close()
    # Standard output carries the protocol only; output of libraries goes to standard error.
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    run(sys.stdin.buffer, out, Tools(where, settings).all(), INSTRUCTIONS)
