"""What introduces documents: their first real sentences, but for what several of them repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from ragcli.corpus.read.code import SUFFIXES
from ragcli.mapping.leading import leading, read_of, title_of
from ragcli.mapping.telling import is_definition, scores, shared_words, words_of
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import ShelvedDocument
from ragcli.text.introducing import defines, introducing
from ragcli.text.spans import Span
from ragcli.text.words import plain
from ragcli.types.document_ids import suffixes_of

_BEGINNING = 6_000
"""Characters of a document that are read."""

_PROGRAM = 40_000
"""Characters of a program that are read: its manual may be at its end."""

_FIRST = 10
"""Sentences of a document among which one is looked for."""

CODE = {suffix[1:] for suffix in SUFFIXES}
"""Suffixes of programs."""

_LEAST_SHARED = 1.5
"""The least score of a sentence of one document that introduces several."""

_LEAST_ALONE = -0.6
"""The least score of a sentence that introduces its document."""


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
        snapshot = self._index.snapshot
        starts = [one.start for one in snapshot.shelf.headings(doc)]
        if not suffixes_of(doc) & CODE:
            text = snapshot.documents.text(doc, 0, _BEGINNING)
            spans = introducing(text, self._laid(doc, _BEGINNING), starts)
        else:
            # What is below a definition of a program is about that alone; a manual may end it.
            inner = next((at for at in starts if at), _BEGINNING)
            text = snapshot.documents.text(doc, 0, _PROGRAM)
            spans = introducing(text, self._laid(doc, _PROGRAM), starts)
            spans = (one for one in spans if one[1] <= inner or defines(text[slice(*one)]))
        return [Introduction(doc, *span, text[slice(*span)]) for span in islice(spans, _FIRST)]

    def _laid(self, doc: str, end: int) -> list[Span]:
        return [(one.start, one.end) for one in self._index.snapshot.chunks.laid_out(doc, 0, end)]

    def of_document(self, document: ShelvedDocument) -> Introduction | None:
        """The sentence that introduces one document."""
        return self._scored([document], words_of(title_of(document)), _LEAST_ALONE)[1]

    @cached_property
    def _repeated(self) -> set[str]:
        """Sentences that begin more than one document: notices, letterheads. What a thing is may
        be said in several."""
        said = Counter(
            words for found in self._read.values() for words in {plain(one.text) for one in found}
        )
        return {words for words, count in said.items() if count > 1}

    def _of_leading(self, documents: Sequence[ShelvedDocument]) -> Introduction | None:
        """The sentence of the file that by its name says what some documents are."""
        lead = leading(documents)
        return self.of_document(lead) if lead else None

    def of(
        self, documents: Sequence[ShelvedDocument], name: str, about: Sequence[str]
    ) -> Introduction | None:
        """The sentence that introduces some documents: of the file that leads them, else one that
        holds what they share. ``about`` are terms that set them apart."""
        if len(documents) == 1:
            return self.of_document(documents[0])
        shared = shared_words(documents, name, about)
        return self._of_leading(documents) or self._scored(read_of(documents), shared)[1]

    def of_all(
        self, documents: Sequence[ShelvedDocument], about: Sequence[str]
    ) -> Introduction | None:
        """The sentence that introduces all documents of a map, of those that are read."""
        read = [one for one in documents if one.doc in self._read]
        shared = shared_words(documents, "", about)
        return self._of_leading(documents) or self._scored(read, shared)[1]

    def example(self, documents: Sequence[ShelvedDocument]) -> Introduction | None:
        """The sentence that best introduces one of several documents."""
        each = (
            self._scored([one], words_of(title_of(one)), _LEAST_ALONE) for one in read_of(documents)
        )
        return max(each, key=lambda one: one[0])[1]

    def _scored(
        self,
        documents: Sequence[ShelvedDocument],
        shared: Mapping[str, float],
        least: float = _LEAST_SHARED,
    ) -> tuple[float, Introduction | None]:
        """The sentence with the best score, and the score, if it is enough; of equal ones the
        first."""
        found: list[tuple[float, Introduction | None]] = [(least, None)]
        for document in documents:
            own = self._own(document.doc)
            scored = scores([one.text for one in own], shared, len(documents) == 1)
            found += zip(scored, own, strict=True)
        return max(found, key=lambda one: one[0])

    def _own(self, doc: str) -> list[Introduction]:
        """The first sentences of a document that are its own."""
        return [
            one
            for one in self._read.get(doc, ())
            if plain(one.text) not in self._repeated or is_definition(one.text)
        ]
