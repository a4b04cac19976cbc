"""Finds the folder, document or section that words mean: by path, title or heading."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragcli.mapping.dated import date_in
from ragcli.mapping.leading import leading, visible_documents
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import ShelvedDocument
from ragcli.text.asked_whole import named_words
from ragcli.text.dates import MONTHS
from ragcli.text.near_words import nearest_word
from ragcli.text.words import fold
from ragcli.types import MapKind
from ragcli.types.document_ids import folder_of, path_of, upward

_SHARE = 0.5
"""The share of the words of a name from which a few of them stand for it; fewer do, where no other
name has them."""

_MOST_HEADINGS = 200
_BEGINNING = 4
"""Letters of a word that a name must hold before its words are compared."""

_WORD = re.compile(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True)
class Meant:
    """What a map is of. ``name``: a folder ("" is the store) or the path of a heading; ``doc``:
    the document, with ``start``, the place of the heading in it."""

    kind: MapKind
    name: str = ""
    doc: str = ""
    start: int = 0


_PlaceName = tuple[str, Meant]
"""One of the names of a place, and the place."""


def place_meant(index: SearchIndex, text: str) -> Meant | None:
    """The place that ``text`` means, the store for no word; None if it names no place.

    Each word must be in a name of the place, as it is or with a typing error.
    """
    if not text.strip():
        return Meant("store")
    documents = visible_documents(index)
    names = [*_folders(documents), *_documents(documents)]
    if any(month[:3] in fold(text) for month in MONTHS):
        names += _months(documents)
    exact = text.strip().removesuffix("/")
    if found := next((place for name, place in names if name == exact), None):
        return found
    asked = named_words(text)
    if not asked:
        return Meant("store")
    found = (
        _best(asked, names)
        or _best(asked, _headings(index, asked, documents))
        or _misspelt(asked, names)
    )
    return _led(found, documents) if found else None


def _led(found: Meant, documents: Sequence[ShelvedDocument]) -> Meant:
    """The folder that a document leads, as a title of it is that of the whole; else the place."""
    if found.kind != "document":
        return found
    folder = folder_of(found.doc)
    inside = [one for one in documents if not folder or one.doc.startswith(f"{folder}/")]
    lead = leading(inside)
    if lead is None or lead.doc != found.doc or len(inside) == 1:
        return found
    return Meant("folder", folder) if folder else Meant("store")


def _folders(documents: Sequence[ShelvedDocument]) -> Iterator[_PlaceName]:
    """The folders, under their path and their last name."""
    folders = dict.fromkeys(above for d in documents for above in upward(folder_of(d.doc)) if above)
    for folder in sorted(folders):
        place = Meant("folder", folder)
        yield folder, place
        yield posixpath.basename(folder), place


def _documents(documents: Sequence[ShelvedDocument]) -> Iterator[_PlaceName]:
    """The documents, under their title, their path, and the name of their file."""
    for found in documents:
        place = Meant("document", doc=found.doc)
        file = posixpath.basename(path_of(found.doc))
        for name in (found.title, found.doc, file, posixpath.splitext(file)[0]):
            if name:
                yield name, place


def _months(documents: Sequence[ShelvedDocument]) -> Iterator[_PlaceName]:
    """The documents whose name has a date, under name and title with the month in letters."""
    for found in documents:
        year, _, rest = date_in(found).partition("-")
        if rest:
            month = MONTHS[int(rest[:2]) - 1]
            name = f"{found.doc} {found.title} {month} {year}"
            yield name, Meant("document", doc=found.doc)


def _headings(
    index: SearchIndex, words: Sequence[str], documents: Sequence[ShelvedDocument]
) -> list[_PlaceName]:
    """The sections whose heading may have the words, under their last heading."""
    visible = {found.doc for found in documents}
    longest = max(words, key=len)[:-1] or words[0]
    found = index.snapshot.shelf.headings_with(longest, _MOST_HEADINGS)
    return [
        (one.path.rpartition(" > ")[2], Meant("section", one.path, one.doc, one.start))
        for one in found
        if one.doc in visible
    ]


def _best(words: Sequence[str], names: Iterable[_PlaceName]) -> Meant | None:
    """The place of the name with all the words and fewest others."""
    wanted = set(words)
    beginnings = [word[:_BEGINNING] for word in words]
    fits: list[tuple[float, int, Meant]] = []
    for name, place in names:
        folded = fold(name)
        if not all(beginning in folded for beginning in beginnings):
            continue
        held = set(named_words(name))
        if wanted <= held:
            fits.append((-len(wanted) / len(held), len(fits), place))
    if not fits:
        return None
    share, _, best = min(fits, key=lambda fit: fit[:2])
    alone = len({fit[2] for fit in fits}) == 1
    return best if -share >= _SHARE or alone else None


def _misspelt(words: Sequence[str], names: Sequence[_PlaceName]) -> Meant | None:
    """The place that words with typing errors mean."""
    known = {word for name, _ in names for word in _WORD.findall(fold(name))}
    stems = {stem for word in known for stem in named_words(word)}
    read = [word if word in stems else nearest_word(word, stems) for word in words]
    meant = [word for word in read if word]
    return _best(meant, names) if len(meant) == len(words) and meant != list(words) else None
