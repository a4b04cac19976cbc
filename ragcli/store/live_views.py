"""Temporary views of the live rows of one generation.

A run writes documents, with their chunks, passages and summaries, before its commit. Until then
these rows are pending. Readers use the views ``live_documents``, ``live_chunks`` and so on instead
of the tables. All other tables change only in the transaction of a
commit, or are caches by hash.
"""

from __future__ import annotations

import sqlite3

from ragcli.store.generations import LIVE

VIEWED = (
    "documents",
    "chunks",
    "passages",
    "headings",
    "line_marks",
    "blocks",
    "scanned_lines",
    "nodes",
    "document_fields",
    "document_times",
)
"""The tables that also contain rows of other generations."""

# EXISTS prevents the planner from starting with the documents.
_OF_LIVE = "EXISTS (SELECT 1 FROM temp.live_documents AS d WHERE d.id = x.{column})"

_VIEWS = {
    "live_documents": f"SELECT d.* FROM main.documents AS d WHERE {LIVE}",
    "live_chunks": 'SELECT x.id, x.doc, x.ordinal, x.start, x."end", x.owned, x.line_start,'
    " x.line_end, x.page, x.heading, plain_text(x.text) AS text, x.tokens, x.extraction, x.findings"
    f" FROM main.chunks AS x WHERE {_OF_LIVE.format(column='doc')}",
    "live_passages": f"SELECT x.* FROM main.passages AS x WHERE {_OF_LIVE.format(column='doc')}",
    # Without "main", because a store of an earlier release has an empty temporary table.
    "live_headings": f"SELECT x.* FROM headings AS x WHERE {_OF_LIVE.format(column='doc')}",
    "live_line_marks": f"SELECT x.* FROM line_marks AS x WHERE {_OF_LIVE.format(column='doc')}",
    "live_blocks": "SELECT x.doc, x.start, plain_data(x.data) AS data FROM blocks AS x"
    f" WHERE {_OF_LIVE.format(column='doc')}",
    "live_scanned_lines": "SELECT x.* FROM scanned_lines AS x"
    f" WHERE {_OF_LIVE.format(column='doc')}",
    # A view has only the row numbers that it selects.
    "live_nodes": "SELECT x.rowid AS rowid, x.id, x.docrow, x.doc, x.level, x.kind, x.title,"
    ' plain_text(x.text) AS text, x.children, x."by", x.vector FROM main.nodes AS x'
    f" WHERE x.docrow IS NULL OR {_OF_LIVE.format(column='docrow')}",
    # A store of an earlier release has these two as empty temporary tables (store/migrations.py).
    "live_document_fields": "SELECT x.* FROM document_fields AS x"
    f" WHERE {_OF_LIVE.format(column='docrow')}",
    "live_document_times": "SELECT x.* FROM document_times AS x"
    f" WHERE {_OF_LIVE.format(column='docrow')}",
    "pending_documents": "SELECT d.* FROM main.documents AS d WHERE d.born > :g",
}


def show_generation(db: sqlite3.Connection, generation: int) -> None:
    """Define the views of a connection for one generation."""
    for name, query in _VIEWS.items():
        db.execute(f"DROP VIEW IF EXISTS temp.{name}")
        # A view takes no parameters.
        db.execute(f"CREATE TEMP VIEW {name} AS {query.replace(':g', str(generation))}")


def live_rows_only(
    action: int, table: str | None, _column: str | None, _database: str | None, view: str | None
) -> int:
    """Allow reading of a table with rows of other generations only through its view.

    An authorizer for a reader's connection (``sqlite3.Connection.set_authorizer``).
    """
    if action == sqlite3.SQLITE_READ and table in VIEWED and view is None:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK
