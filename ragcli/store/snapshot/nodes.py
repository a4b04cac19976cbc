"""The summary tree of a snapshot: folders, documents, and their summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from ragcli.store.queries import Queries
from ragcli.store.records import NODE, node
from ragcli.types import Node


class Summary(NamedTuple):
    """A node's name ("" for the whole store), its level, and its text."""

    name: str
    level: int
    text: str


class Nodes(Queries):
    """Queries about nodes of the summary tree, by their row numbers."""

    def top(self) -> int | None:
        """The root node, which represents the whole store."""
        row = self._value(
            "SELECT rowid FROM live_nodes WHERE docrow IS NULL AND doc = '' ORDER BY level DESC"
            " LIMIT 1"
        )
        return None if row is None else int(row)

    def tops_of(self, documents: Sequence[int], k: int) -> list[int]:
        """The highest nodes of the k longest of some documents, given by their rows."""
        found = self._db.execute(
            "SELECT (SELECT n.rowid FROM live_nodes n WHERE n.docrow = d.id"
            " ORDER BY n.level DESC LIMIT 1) FROM live_documents d"
            " WHERE d.id IN (SELECT value FROM json_each(?)) ORDER BY d.size DESC, d.doc LIMIT ?",
            (orjson.dumps(documents).decode(), k),
        )
        return [row for (row,) in found if row is not None]

    def children(self, row: int) -> list[int]:
        """Rows of the nodes below a node; empty where chunks follow."""
        docrow, names = self._below(row)
        found = (self._row(name, docrow) for name in names)
        return [child for child in found if child is not None]

    def leaves(self, row: int, limit: int) -> list[int]:
        """Rows of the chunks below a node, at most ``limit``, in order."""
        docrow, names = self._below(row)
        found: list[int] = []
        for name in names:
            below = self._row(name, docrow)
            if below is not None:
                found += self.leaves(below, limit - len(found))
            else:
                ordinal = int(name.rpartition("@")[2])
                query = "SELECT id FROM live_chunks WHERE doc = ? AND ordinal = ?"
                found += self._column(query, (docrow, ordinal))
            if len(found) >= limit:
                break
        return found[:limit]

    def _below(self, row: int) -> tuple[int | None, list[str]]:
        """The document row of a node (None: a folder's), and the ids of its children."""
        query = "SELECT docrow, children FROM live_nodes WHERE rowid = ?"
        docrow, children = self._first(query, (row,))
        return docrow, orjson.loads(children)

    def _row(self, name: str, docrow: int | None) -> int | None:
        """The row of a node by its id; one of the same document, if ``docrow`` names one."""
        found = self._value(
            "SELECT rowid FROM live_nodes WHERE id = :name AND (:doc IS NULL OR docrow = :doc)",
            {"name": name, "doc": docrow},
        )
        return None if found is None else int(found)

    def summary(self, row: int) -> Summary:
        """The text of a node."""
        return Summary(
            *self._first(
                "SELECT CASE title WHEN '' THEN doc ELSE title END, level, text FROM live_nodes"
                " WHERE rowid = ?",
                (row,),
            )
        )

    def listing(self) -> Iterator[Node]:
        """All nodes, folders first, from the top down."""
        for row in self._db.execute(
            f"SELECT {NODE} FROM live_nodes n ORDER BY n.kind DESC, n.doc, n.level DESC, n.id"
        ):
            yield node(row)
