"""Tables of documents as tables of a database that is made for one query and kept in memory."""

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
