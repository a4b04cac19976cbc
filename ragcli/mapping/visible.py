"""The documents that an index shows."""

from __future__ import annotations

from ragcli.search.scoped_index import ScopedIndex
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import ShelvedDocument


def visible_documents(index: SearchIndex) -> list[ShelvedDocument]:
    """The documents of the store, or of the scope, by id."""
    found = index.snapshot.shelf.documents()
    if not isinstance(index, ScopedIndex):
        return found
    rows = set(index.documents.tolist())
    return [document for document in found if document.row in rows]
