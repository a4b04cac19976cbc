"""The nodes above the documents, brought in line with what changed.

Only folders above a document that came, changed or went are folded again; a subfolder in which
nothing did stands for itself with the node that is its top already.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ragcli.graph import tree
from ragcli.models.model_set import ModelSet
from ragcli.search.vector_cache import keep_vectors
from ragcli.store import read
from ragcli.store.sweep import Sweeper
from ragcli.store.writer import StoreWriter, node_row
from ragcli.text.sentences import sentences
from ragcli.types import Node
from ragcli.types.document_ids import folder_of


def touched_folders(db: sqlite3.Connection, pending: int) -> set[str]:
    """Folders above the documents that are born or die with a generation; before they are buried.

    The root is "". A folder is above itself.
    """
    found: set[str] = set()
    for (doc,) in db.execute(
        "SELECT doc FROM documents WHERE born = :g UNION SELECT doc FROM documents WHERE died = :g",
        {"g": pending},
    ):
        found.update(_upward(folder_of(doc)))
    return found


def _upward(folder: str) -> Iterator[str]:
    """A folder, its parent, and so on to the root."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def fold_folders(
    db: sqlite3.Connection, tools: ModelSet, sweeper: Sweeper, folders: set[str]
) -> None:
    """Fold these folders, of which every parent is one; nodes whose children stayed are kept."""
    leaves: list[tree.Leaf] = []
    tops: dict[str, tree.Leaf] = {}
    known: dict[str, Node] = {}
    for folder in sorted(folders):
        known |= read.folder_nodes(db, folder)
        for name, row in _below(db, folder):
            if row is not None:
                leaves += [tree.Leaf(*root) for root in read.document_root(db, row)]
            elif name not in folders and (top := read.folder_top(db, name)):
                tops[name] = tree.Leaf(*top)
    wanted = {n.id: n for n in tree.folder_nodes(leaves, known, sentences, tops)}
    sweeper.drop_nodes(sorted(known.keys() - wanted.keys()))
    new = [n for name, n in wanted.items() if name not in known]
    keys = keep_vectors(StoreWriter(db), tools, [n.text for n in new])
    db.executemany(
        "INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [node_row(n, None, key) for n, key in zip(new, keys, strict=True)],
    )


def _below(db: sqlite3.Connection, folder: str) -> Iterator[tuple[str, int | None]]:
    """(document, its row) of each document right in a folder, (subfolder, None) of each subfolder.

    What lies in a subfolder is jumped over in the index of names.
    """
    # "#" and "/" lead to what is in a folder, "0" follows them; a blob follows every text.
    low, high = (f"{folder}#", f"{folder}0") if folder else ("", b"\xff")
    seen: set[str] = set()
    while True:
        rows = db.execute(
            "SELECT doc, id FROM documents WHERE doc >= ? AND doc < ? ORDER BY doc", (low, high)
        )
        for doc, row in rows:
            way = list(_upward(folder_of(doc)))
            if way[0] == folder:
                yield doc, row
            elif folder in way:
                sub = way[way.index(folder) - 1]
                if sub not in seen:
                    seen.add(sub)
                    yield sub, None
                if doc.startswith(f"{sub}/"):
                    low = f"{sub}0"
                    break
        else:
            return
