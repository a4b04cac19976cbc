"""The map of a store, a folder, a document or a section: its parts, one by one.

In: an open index and what is meant (``places``). Out: a ``WholeMap``, made by ``folders`` or
``document``, in which every sentence is a quote (``quotes``). It may not answer questions about
facts or run a model.
"""

from __future__ import annotations

from ragcli.mapping.document import map_of_document
from ragcli.mapping.folders import map_of_folder
from ragcli.mapping.leading import visible_documents
from ragcli.mapping.places import Meant, place_meant
from ragcli.mapping.quotes import Quotes
from ragcli.search.search_index import SearchIndex
from ragcli.types import WholeMap


def map_of(index: SearchIndex, meant: Meant, quotes: Quotes) -> WholeMap:
    """The map of what is meant; ``quotes`` gets what it cites. That of one document is its own."""
    if meant.kind == "store" and index.document_count == 1:
        (alone,) = visible_documents(index)
        meant = Meant("document", doc=alone.doc)
    if meant.kind in ("document", "section"):
        return map_of_document(index, meant, quotes)
    return map_of_folder(index, meant.name, quotes)


__all__ = ["Meant", "Quotes", "map_of", "place_meant"]
