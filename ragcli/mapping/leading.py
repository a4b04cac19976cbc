"""The documents that an index shows: those that by custom say what a folder is, and the others."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from ragcli.search.scoped_index import ScopedIndex
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import ShelvedDocument
from ragcli.types.document_ids import folder_of, path_of

READ = 8
"""Documents of a part that are read for a sentence."""

_LEADING = ("readme", "index", "introduction", "about", "overview")
"""Names of the files that by custom say what a folder is."""

_LIKELY = re.compile("|".join(_LEADING), re.IGNORECASE)

_HOUSE_KEEPING = frozenset(
    (
        "license licence copying notice authors contributors contributing code_of_conduct"
        " code-of-conduct security codeowners maintainers"
    ).split()
)
"""Names of the files that say nothing of what a folder holds."""


def visible_documents(index: SearchIndex) -> list[ShelvedDocument]:
    """The documents of the store, or of the scope, by id."""
    found = index.snapshot.shelf.documents()
    if not isinstance(index, ScopedIndex):
        return found
    rows = set(index.documents.tolist())
    return [document for document in found if document.row in rows]


def title_of(found: ShelvedDocument) -> str:
    """The title of a document, else the name of its file or its own id in the file."""
    return found.title or found.doc.rpartition("/")[2]


def read_of(documents: Sequence[ShelvedDocument]) -> list[ShelvedDocument]:
    """The documents that are read for all: the leading one, then some at equal distances."""
    return spread(documents, READ)


def spread(documents: Sequence[ShelvedDocument], most: int) -> list[ShelvedDocument]:
    """The leading document, and at most ``most`` others at equal distances."""
    first = leading(documents)
    others = [one for one in documents if one != first]
    step = max(1, -(-len(others) // most))
    return [*([first] if first else ()), *others[::step]]


def leading(documents: Sequence[ShelvedDocument]) -> ShelvedDocument | None:
    """The file beside or above all other documents that by its name says what they are."""
    # Of many documents few have a name that holds one of these.
    likely = [one for one in documents if _LIKELY.search(one.doc)]
    found = [(_LEADING.index(stem), one) for one in likely if (stem := _stem(one.doc)) in _LEADING]
    above = [pair for pair in found if _is_above(pair[1].doc, documents)]
    return min(above, default=(0, None))[1]


def _is_above(doc: str, documents: Sequence[ShelvedDocument]) -> bool:
    """Whether all documents are in the folder of one."""
    folder = folder_of(doc)
    return not folder or all(one.doc.startswith(f"{folder}/") for one in documents)


def is_house_keeping(doc: str) -> bool:
    """Whether a document is one that every project has: its licence, its authors."""
    return _stem(doc) in _HOUSE_KEEPING


def _stem(doc: str) -> str:
    return posixpath.splitext(posixpath.basename(path_of(doc)))[0].casefold()
