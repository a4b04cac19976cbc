"""ragcli inspect: shows the content of a store.

In: parsed arguments. Out: tables, or JSON. One module per subject; the commands are in the order of
the help. It may read a store and not write to it.
"""

from __future__ import annotations

import typer

from ragcli.cli.inspect import documents, entities, state
from ragcli.cli.inspect import map as map_

app = typer.Typer(help="Show the content of a store.", no_args_is_help=True)
for command in (
    state.stats,
    documents.docs,
    documents.doc,
    documents.chunks,
    entities.entities,
    entities.entity,
    entities.relations,
    entities.path,
    documents.tree,
    map_.map_,
    entities.hierarchy,
    entities.graph,
    state.digest,
    state.diff,
    state.check,
):
    app.command(command.__name__.strip("_"))(command)
