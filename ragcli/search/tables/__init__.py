"""Runs queries over the tables of documents.

In: a SELECT over tables that it names by id. Out: rows, and the rows of documents behind each of
them. The tables are loaded into a database in memory for one query. Nothing but SELECT is allowed,
and a query that takes too long is stopped.
"""

from ragcli.search.tables.named import NamedTables, TablePlace
from ragcli.search.tables.query import QueryRows, Used, run_query
from ragcli.search.tables.read import TableContent
from ragcli.search.tables.sql_shape import LONGEST_QUERY

__all__ = [
    "LONGEST_QUERY",
    "NamedTables",
    "QueryRows",
    "TableContent",
    "TablePlace",
    "Used",
    "run_query",
]
