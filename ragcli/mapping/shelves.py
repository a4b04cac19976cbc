"""The parts of a folder: what is in it, or groups of its documents by what they are about."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.mapping.dated import date_in
from ragcli.mapping.leading import is_house_keeping, leading
from ragcli.mapping.topics import topics
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import ShelvedDocument
from ragcli.types.document_ids import folder_of, path_of

MOST_PARTS = 12

_FEW = 4
"""Parts of which one may be shown by what is in it."""

_COVERED = 0.5
"""The share of the documents that the largest folders must hold to be the parts."""

_DATED = 0.9
"""The share of the documents that must have a year to be shown by years."""

_NEARLY_ALL = 0.8
"""The share of the documents from which a folder is shown by what is in it."""


@dataclass(frozen=True, slots=True)
class FolderPart:
    """Some documents under the name of a folder or a file; "" for a group by topic."""

    name: str
    documents: list[ShelvedDocument]


def shelves(
    index: SearchIndex, documents: Sequence[ShelvedDocument], folder: str
) -> tuple[list[FolderPart], int]:
    """The parts of a folder, the largest first, and the number of those left out.

    They are what is in it, but for the file that leads it and those that every project has;
    groups by topic if these are too many to show half of it.
    """
    if not documents:
        return [], 0
    lead = leading(documents)
    kept = [one for one in documents if one != lead and not is_house_keeping(one.doc)]
    kept = kept if len(kept) > 1 else [*documents]
    found = _children(kept, _common(kept, folder))
    largest = found[0]
    left = len(documents) - len(kept)
    if largest.name.endswith("/") and len(largest.documents) >= _NEARLY_ALL * len(kept):
        inner, more = shelves(index, largest.documents, largest.name[:-1])
        if len(found) <= _FEW:
            return [*inner, *found[1:]], left + more
    if len(found) <= MOST_PARTS:
        return sorted(found, key=lambda shelf: shelf.name), left
    shown = found[:MOST_PARTS]
    held_in = (len(shelf.documents) for shelf in shown if shelf.name.endswith("/"))
    if sum(held_in) >= _COVERED * len(kept):
        return shown, len(found) - len(shown) + left
    return _by_year(kept, folder) or _by_topic(index, kept), left


def _common(documents: Sequence[ShelvedDocument], folder: str) -> str:
    """The deepest folder that holds all documents."""
    folders = {folder_of(one.doc) for one in documents}
    return posixpath.commonpath([f"/{one}" for one in folders])[1:] if folders else folder


def _children(documents: Sequence[ShelvedDocument], folder: str) -> list[FolderPart]:
    """What is in a folder, the largest first."""
    held: dict[str, list[ShelvedDocument]] = defaultdict(list)
    for one in documents:
        held[_child(one.doc, folder)].append(one)
    found = [FolderPart(name, inside) for name, inside in held.items()]
    return sorted(found, key=lambda shelf: (-len(shelf.documents), shelf.name))


def _child(doc: str, folder: str) -> str:
    """The folder, with a slash, or the document in ``folder`` that a document is in."""
    rest = doc[len(folder) + 1 :] if folder else doc
    inner, slash, _ = path_of(rest).partition("/")
    if slash or path_of(rest) != rest:
        return f"{doc[: len(doc) - len(rest)]}{inner}/"
    return doc


def _by_year(documents: Sequence[ShelvedDocument], folder: str) -> list[FolderPart]:
    """The documents by the year in their name or title, if nearly all have one of several."""
    years: dict[str, list[ShelvedDocument]] = defaultdict(list)
    for one in documents:
        years[date_in(one)[:4]].append(one)
    dated = len(documents) - len(years.pop("", []))
    if dated < _DATED * len(documents) or not 1 < len(years) <= MOST_PARTS:
        return []
    above = f"{folder}/" if folder else ""
    return [FolderPart(f"{above} {year}".strip(), years[year]) for year in sorted(years)]


def _by_topic(index: SearchIndex, documents: Sequence[ShelvedDocument]) -> list[FolderPart]:
    by_row = {one.row: one for one in documents}
    groups = [[by_row[row] for row in sorted(group)] for group in topics(index, list(by_row))]
    return [FolderPart("" if len(group) > 1 else group[0].doc, group) for group in groups]
