"""The reply to a question that one query over one table answers: the value, and the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ragcli.answer.table_plan import planned
from ragcli.asking.several import NamedIndex, names_of
from ragcli.asking.tables import TablesOf
from ragcli.retrieve import Retrieval
from ragcli.text.asked_table import TableIntent
from ragcli.text.readable import readable
from ragcli.text.words import counted, one_line
from ragcli.types import Citation, Reply, ShortAnswer, ShortItem
from ragcli.types.tables import TableResult

SURE = 0.91
"""The share of such answers that were right (docs/adr/tables.md)."""

MOST_TABLES = 8
MOST_ROWS = 10_000
"""Tables among the hits that are looked at, and rows of one: a question is not to wait."""
MOST_ANSWERS = 5
"""Rows that share the highest or the lowest value."""


def table_reply(
    stores: Sequence[NamedIndex],
    intent: TableIntent,
    found: Sequence[Retrieval],
    least: float,
) -> Reply | None:
    """The reply from the only table among the hits that tells what is asked; None without one, or
    where an answer must be surer (``least``) than these are."""
    if least > SURE:
        return None
    names = [""] if not stores[0].name else names_of([Path(store.name) for store in stores])
    tables = TablesOf(stores, dict(zip((store.name for store in stores), names, strict=True)))
    results = list(_results(tables, intent, found))
    if len(results) != 1:
        return None
    return _reply(results[0])


def _results(
    tables: TablesOf, intent: TableIntent, found: Sequence[Retrieval]
) -> Iterator[TableResult]:
    """What the tables among the hits tell; nothing where no row does."""
    places = {
        (at, hit.doc, block.start): None
        for at, one in enumerate(found)
        for hit in one.hits
        for block in hit.blocks
        if block.kind == "table"
    }
    for place, content, about in tables.contents(list(places)[:MOST_TABLES], MOST_ROWS):
        if query := planned(intent, content, place.id, about):
            result = tables.query(query, MOST_ANSWERS + 1)
            told = [row for row in result.rows if row.values[-1] is not None and row.cited]
            if 0 < len(told) == len(result.rows) <= MOST_ANSWERS:
                yield result


def _reply(result: TableResult) -> Reply:
    cited = result.citations
    items = tuple(ShortItem(one.quote, one.doc, one.start, one.end, one.n) for one in cited)
    first, used = items[0], result.rows[0].used[0]
    rows = counted(sum(row.used[0].count for row in result.rows), "row")
    words = ", ".join(_said(result, row.values[0]) for row in result.rows)
    short = ShortAnswer(words, first.doc, first.start, first.end, SURE, first.n, "computed", items)
    note = f"computed from {rows} of {used.table}: {result.query}"
    notes = "; ".join(filter(None, (note, result.note)))
    return Reply(" ".join(map(_quoted, cited)), cited, "extractive", note=notes, short=short)


def _said(result: TableResult, value: object) -> str:
    """A value with the unit of its column."""
    if not isinstance(value, int | float):
        return str(value)
    shown = result.columns[0]
    columns = result.tables[0].columns
    unit = next((c.unit for c in columns if c.name == shown or f'"{c.name}"' in shown), "")
    number = f"{value:,.10g}" if isinstance(value, float) else str(value)
    return f"{number} {unit}".strip()


def _quoted(cited: Citation) -> str:
    return f"{one_line(readable(cited.quote))} [{cited.n}]"
