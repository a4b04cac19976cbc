"""The summary tree: document nodes belong to document rows, folder nodes are stored by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from ragcli.store import records
from ragcli.store.packing import pack_text
from ragcli.store.queries import Queries
from ragcli.types import Node

# The nodes of a folder, by the index of ids: these begin with the folder's name and "/^".
_IN_FOLDER = (
    " FROM nodes n WHERE +n.docrow IS NULL AND n.doc = :folder"
    " AND n.id >= :folder || '/^' AND n.id < :folder || '/_'"
)


@dataclass(frozen=True, slots=True)
class NodeSummary:
    """A node that represents a document, or a folder (``doc`` ends with a slash)."""

    id: str
    doc: str
    text: str


class TreeNodeWriter(Queries):
    """Nodes of documents and folders; everything happens inside the caller's transaction."""

    def in_folder(self, folder: str) -> dict[str, Node]:
        """Nodes of one folder above its documents, by id."""
        rows = self._db.execute(f"SELECT {records.NODE} {_IN_FOLDER}", {"folder": folder})
        return {n.id: n for n in map(records.node, rows)}

    def top_of_folder(self, folder: str) -> NodeSummary | None:
        """The node that represents a folder, if there is one."""
        return self._record(
            NodeSummary,
            f"SELECT n.id, n.doc || '/', plain_text(n.text) {_IN_FOLDER}"
            " ORDER BY n.level DESC LIMIT 1",
            {"folder": folder},
        )

    def top_of_document(self, docrow: int) -> NodeSummary | None:
        """The root of a document's tree, if it has one."""
        return self._record(
            NodeSummary,
            "SELECT id, doc, plain_text(text) FROM nodes WHERE docrow = ?"
            " ORDER BY level DESC LIMIT 1",
            (docrow,),
        )

    def add_to_folders(self, nodes: Sequence[Node], vectors: Sequence[bytes]) -> None:
        """Write nodes of folders, each with the hash of its vector."""
        self._db.executemany(
            "INSERT INTO nodes VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [node_row(n, None, v) for n, v in zip(nodes, vectors, strict=True)],
        )

    def drop_from_folders(self, ids: Sequence[str]) -> None:
        """Delete nodes of folders."""
        for id_ in ids:
            self._db.execute("DELETE FROM nodes WHERE id = ? AND docrow IS NULL", (id_,))


def node_row(node: Node, docrow: int | None, vector: bytes) -> tuple[object, ...]:
    """A node as a row of the table nodes, without its number."""
    children = orjson.dumps(node.children).decode()
    return (
        node.id,
        docrow,
        node.doc,
        node.level,
        node.kind,
        node.title,
        pack_text(node.text),
        children,
        node.by,
        vector,
    )
