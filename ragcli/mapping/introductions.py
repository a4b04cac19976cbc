"""What introduces documents: their first real sentences, but for what several of them repeat."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from ragcli.corpus.read.code import SUFFIXES
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import ShelvedDocument
from ragcli.text.introducing import introducing
from ragcli.text.words import content_words, plain
from ragcli.types.document_ids import path_of, suffixes_of

READ = 8
"""Documents of a part that are read for a sentence."""

_BEGINNING = 6_000
"""Characters of a document that are read."""

_FIRST = 3
"""Sentences of a document among which one is looked for."""

CODE = {suffix[1:] for suffix in SUFFIXES}
"""Suffixes of programs."""

_LEADING = ("readme", "index", "introduction", "about", "overview")
"""Names of the files that by custom say what a folder is."""


_LATER = 0.5
"""What each sentence before another one takes from it."""

_LEAST_TOLD = 1.0

_DEFINES = re.compile(r"\b(?:is|are|was|were) (?:an?|the)\b|\b[Tt]his \w+ \w+s\b")
_TALKS = re.compile(r"\b(?:I|me|my|you|your)\b|\?|!")


@dataclass(frozen=True, slots=True)
class Introduction:
    """A sentence that says what a document is: ``text == document.text[start:end]``."""

    doc: str
    start: int
    end: int
    text: str


class Introductions:
    """The introductions of the parts of a map; all are read before one is chosen."""

    def __init__(self, index: SearchIndex, parts: Sequence[Sequence[ShelvedDocument]]) -> None:
        self._index = index
        self._read = {
            found.doc: self._first(found.doc) for documents in parts for found in read_of(documents)
        }

    def _first(self, doc: str) -> list[Introduction]:
        starts = [one.start for one in self._index.snapshot.shelf.headings(doc)]
        # What stands below a definition of a program is about that alone.
        inner = suffixes_of(doc) & CODE and next((at for at in starts if at), None)
        text = self._index.snapshot.documents.text(doc, 0, inner or _BEGINNING)
        spans = islice(introducing(text, starts), _FIRST)
        return [Introduction(doc, start, end, text[start:end]) for start, end in spans]

    @cached_property
    def _repeated(self) -> set[str]:
        """Sentences that begin more than one document: notices, letterheads."""
        said = Counter(
            words for found in self._read.values() for words in {plain(one.text) for one in found}
        )
        return {words for words, count in said.items() if count > 1}

    def of_leading(self, documents: Sequence[ShelvedDocument]) -> Introduction | None:
        """The sentence of the file that by its name says what some documents are."""
        lead = leading(documents)
        own = self._own(lead.doc) if lead else []
        return own[0] if own else None

    def of(self, documents: Sequence[ShelvedDocument], about: Sequence[str]) -> Introduction | None:
        """The sentence that introduces some documents; ``about`` are terms that set them apart.

        That of the file that leads the folder, else the one that tells most of them.
        """
        if lead := self.of_leading(documents):
            return lead
        terms = {*content_words(" ".join(about))}
        if len(documents) == 1:
            return self._first_of(documents[0])
        told = [
            (self._told(one, terms | {*content_words(document.title)}) - _LATER * n, one)
            for document in read_of(documents)
            for n, one in enumerate(self._own(document.doc))
        ]
        score, best = max(told, key=lambda found: found[0], default=(0.0, None))
        return best if score >= _LEAST_TOLD else None

    def _first_of(self, document: ShelvedDocument) -> Introduction | None:
        """The first sentence of one document, if it can be one that talks to nobody."""
        own = self._own(document.doc)
        told = (one for one in own if not _TALKS.search(one.text))
        return next(told, own[0] if own else None)

    @staticmethod
    def _told(one: Introduction, terms: set[str]) -> float:
        """How much a sentence says of what it should: terms, a definition, no talk."""
        words = {*content_words(one.text)}
        defines = _DEFINES.search(one.text) is not None
        return len(words & terms) + defines - 2 * (_TALKS.search(one.text) is not None)

    def _own(self, doc: str) -> list[Introduction]:
        """The first sentences of a document that are its own."""
        return [one for one in self._read.get(doc, ()) if plain(one.text) not in self._repeated]


def read_of(documents: Sequence[ShelvedDocument]) -> list[ShelvedDocument]:
    """The documents that are read for all: the leading one, then some at equal distances."""
    first = leading(documents)
    others = [one for one in documents if one != first]
    step = max(1, -(-len(others) // READ))
    return [*([first] if first else ()), *others[::step]]


def leading(documents: Sequence[ShelvedDocument]) -> ShelvedDocument | None:
    """The file beside or above all other documents that by its name says what they are."""
    depth = min((_depth(one) for one in documents), default=0)
    found = [(_LEADING.index(_stem(one)), one) for one in documents if _stem(one) in _LEADING]
    return min((pair for pair in found if _depth(pair[1]) == depth), default=(0, None))[1]


def _stem(found: ShelvedDocument) -> str:
    return posixpath.splitext(posixpath.basename(path_of(found.doc)))[0].casefold()


def _depth(found: ShelvedDocument) -> int:
    return path_of(found.doc).count("/")
