"""ragcli table: the tables of the documents, and queries over them."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from ragcli.cli import completion, inputs, options, render
from ragcli.cli.places import Place
from ragcli.text.terminal import harmless_line
from ragcli.text.words import counted
from ragcli.types.tables import CellValue, ResultRow, StoredTable, TableColumn, TableResult

app = typer.Typer(
    help="List the tables of the documents, and ask queries of them.", no_args_is_help=True
)

FORMATS = ("plain", "markdown", "csv", "json")
_MOST = 100_000
_SHOWN_HEADS = 8

Rows = Annotated[int, typer.Option("--rows", "-n", min=1, max=_MOST, help="Most rows to print.")]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help=f"How to print: {', '.join(FORMATS)} (--json is short for json).",
        autocompletion=lambda incomplete: [x for x in FORMATS if x.startswith(incomplete)],
    ),
]


@app.command("list")
def list_(
    of: Annotated[
        str | None,
        typer.Argument(
            metavar="[DOCUMENT]",
            help="Only tables of this document or folder, or of files that match, as --in.",
            callback=inputs.as_text,
            autocompletion=completion.documents,
        ),
    ] = None,
    in_: options.In = None,
    type_: options.Type = None,
    since: options.Since = None,
    where: options.Where = None,
    store: options.Stores = None,
    json: options.Json = False,
) -> int:
    """List the tables: their id, a short name for queries, their rows and their columns.

    A name is printed only where no other document has it. Exit code 1 if there is no table.
    """
    scope = inputs.scope([*(in_ or ()), *([of] if of else ())], type_, since, where)
    with inputs.open_stores(store, inputs.settings()) as opened:
        tables = opened.tables(scope=scope)
    if json:
        render.print_lines(asdict(table) for table in tables)
    else:
        columns = ("id", "name", "rows", "columns", "about")
        render.table("", columns, [_listed(table) for table in tables])
    return 0 if tables else inputs.NEGATIVE


def _listed(table: StoredTable) -> tuple[object, ...]:
    more = len(table.heads) - _SHOWN_HEADS
    heads = ", ".join(table.heads[:_SHOWN_HEADS]) + (f" and {more} more" if more > 0 else "")
    return table.id, table.name, table.rows, heads, table.about


@app.command()
def show(
    table: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="The id or the name of a table.", callback=inputs.as_text
        ),
    ],
    rows: Rows = 10,
    format: Format = None,
    store: options.Stores = None,
    json: options.Json = False,
) -> None:
    """Show a table: its columns, as queries name them, with their units, and its first rows."""
    how = inputs.output_format(format, json, FORMATS)
    with inputs.open_stores(store, inputs.settings()) as opened:
        found = opened.table(table, rows=rows)
    if how == "plain":
        columns = [_described(column) for column in found.tables[0].columns]
        render.table("", ("column", "kind", "unit", "head"), columns)
        render.line("")
    _print(found, how)


def _described(column: TableColumn) -> tuple[str, ...]:
    kind = f"{column.kind}, {column.unread} unread" if column.unread else column.kind
    return column.name, kind, column.unit, column.head


@app.command()
def query(
    sql: Annotated[
        list[str] | None,
        typer.Argument(metavar="SQL", help="A SELECT, in quotes; - reads it from stdin."),
    ] = None,
    rows: Rows = 100,
    in_: options.In = None,
    type_: options.Type = None,
    since: options.Since = None,
    where: options.Where = None,
    fresh: options.Fresh = None,
    format: Format = None,
    store: options.Stores = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Ask a SELECT of tables: each row of the result with the rows of tables that it is from.

    A table is named by its id, in double quotes, or by its short name. Numbers have no units,
    dates are as 2026-01-31; table show lists the columns. Functions are those of SQLite that have
    no effects. Only tables that the query names are loaded.

    Exit code 1 if the result has no row.
    """
    how = inputs.output_format(format, json, FORMATS)
    text = inputs.words(sql or [], 'for example: ragcli table query "SELECT * FROM towns"')
    scope = inputs.scope(in_, type_, since, where)
    settings = inputs.settings(fresh=fresh)
    inputs.freshen(store, settings, quiet)
    with inputs.open_stores(store, settings) as opened:
        found = opened.query_tables(text, rows=rows, scope=scope)
    _print(found, how)
    if not quiet and how != "json":
        _note_limits(found)
    return 0 if found.rows else inputs.NEGATIVE


def _print(found: TableResult, how: str) -> None:
    if how == "json":
        from ragcli.asking.tables import table_result_json

        render.print_json(table_result_json(found))
    elif how == "csv":
        _print_csv(found)
    elif how == "markdown":
        for line in _markdown(found):
            render.line(line)
    else:
        places = {one.n: Place.of(one).first for one in found.citations}
        cells = zip(*(map(_shown, row.values) for row in found.rows), strict=True)
        values = zip(*map(_aligned, cells), strict=True)
        rows = [(*row, _from(one, places)) for row, one in zip(values, found.rows, strict=True)]
        render.table("", (*found.columns, "from"), rows)


def _shown(value: CellValue) -> str:
    """A value as it is: numbers may be years."""
    if isinstance(value, float):
        return f"{value:.12g}"
    return "" if value is None else harmless_line(str(value))


def _aligned(cells: tuple[str, ...]) -> list[str]:
    """A column with numbers at its right."""
    width = max(map(len, cells))
    numbers = all(not cell or cell.strip("-").replace(".", "").isdigit() for cell in cells)
    return [cell.rjust(width) if numbers else cell for cell in cells]


def _from(row: ResultRow, places: dict[int, str]) -> str:
    """Where a row of a result is from: a place, or how many rows of tables, and the first."""
    first = places[row.cited[0]] if row.cited else ""
    if all(used.count <= 1 for used in row.used):
        return ", ".join(places[n] for n in row.cited)
    counts = " and ".join(counted(used.count, "row") for used in row.used)
    return f"{counts}: {first}" if first else counts


def _print_csv(found: TableResult) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(map(harmless_line, found.columns))
    writer.writerows(map(_shown, row.values) for row in found.rows)


def _markdown(found: TableResult) -> Iterator[str]:
    yield _barred(found.columns)
    yield _barred(["---"] * len(found.columns))
    for row in found.rows:
        yield _barred([_shown(value) for value in row.values])


def _barred(cells: Sequence[str]) -> str:
    escaped = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _note_limits(found: TableResult) -> None:
    """Note what a result leaves out, and of what it cannot name the rows."""
    if found.more:
        render.note(f"the first {counted(len(found.rows), 'row')}; --rows prints more")
    if not found.traced:
        names = ", ".join(table.id for table in found.tables)
        render.note(f"from {names}; which rows is not known of this query")
    if found.note:
        render.note(found.note)
