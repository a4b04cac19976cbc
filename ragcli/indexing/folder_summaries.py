"""Updates the summary nodes of folders.

Only folders above a document that was added, changed or removed are summarised again. A subfolder
without changes is represented by its existing top node.
"""

from __future__ import annotations

from ragcli.graph import summary_tree
from ragcli.models.model_set import ModelSet
from ragcli.search.vector_cache import keep_vectors
from ragcli.store.documents import DocumentRow, PendingDocuments
from ragcli.store.tree_nodes import NodeSummary
from ragcli.store.writer import StoreWriter
from ragcli.types import Node
from ragcli.types.document_ids import folder_of, upward


def touched_folders(pending: PendingDocuments) -> set[str]:
    """Folders above the documents that the next generation adds or removes.

    The root is "". A folder is above itself.
    """
    found: set[str] = set()
    for document in (*pending.born, *pending.dying):
        found.update(upward(folder_of(document.doc)))
    return found


def fold_folders(store: StoreWriter, models: ModelSet, folders: set[str]) -> None:
    """Summarise these folders again; the set includes every parent. Nodes whose children did not
    change are kept."""
    leaves: list[summary_tree.Leaf] = []
    tops: dict[str, summary_tree.Leaf] = {}
    known: dict[str, Node] = {}
    for folder in sorted(folders):
        known |= store.nodes.in_folder(folder)
        for entry in store.documents.entries_of(folder):
            if isinstance(entry, DocumentRow):
                top = store.nodes.top_of_document(entry.row)
                leaves += [_leaf(top)] if top else []
            elif entry not in folders and (top := store.nodes.top_of_folder(entry)):
                tops[entry] = _leaf(top)
    wanted = {n.id: n for n in summary_tree.folder_nodes(leaves, known, tops)}
    store.nodes.drop_from_folders(sorted(known.keys() - wanted.keys()))
    new = [n for name, n in wanted.items() if name not in known]
    store.nodes.add_to_folders(new, keep_vectors(store, models, [n.text for n in new]))


def _leaf(top: NodeSummary) -> summary_tree.Leaf:
    return summary_tree.Leaf(top.id, top.doc, top.text)
