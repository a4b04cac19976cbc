"""What introduces documents: their first real sentences, but for what several of them repeat."""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from ragcli.corpus.read.code import SUFFIXES
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import ShelvedDocument
from ragcli.text.introducing import defines, introducing
from ragcli.text.spans import Span
from ragcli.text.words import content_words, plain
from ragcli.types.document_ids import path_of, suffixes_of

READ = 8
"""Documents of a part that are read for a sentence."""

_BEGINNING = 6_000
"""Characters of a document that are read."""

_PROGRAM = 40_000
"""Characters of a program that are read: its manual may stand at its end."""

_FIRST = 10
"""Sentences of a document among which one is looked for."""

CODE = {suffix[1:] for suffix in SUFFIXES}
"""Suffixes of programs."""

_LEADING = ("readme", "index", "introduction", "about", "overview")
"""Names of the files that by custom say what a folder is."""

_LIKELY = re.compile("|".join(_LEADING), re.IGNORECASE)

_MOST_TERMS = 2
"""Terms that count: a sentence with many is a list."""

_LATER = 0.2
"""What each sentence before another one takes from it."""

_LEAST_TOLD = 0.5
"""What the sentence of one document must tell to introduce several."""

_DEFINES = re.compile(
    r"(?P<subject>\S+(?: \([^()]{1,40}\))?(?: \S+){0,5}?) (?:is|are|was|were) (?:an?|the|one)\b"
)
_ITSELF = re.compile(r"This (?:is|\w+ (?:is|\w+s|will)) ")
"""How a text speaks of itself: "This chapter explains"."""

_ADDRESSES = re.compile(r"\b(?:you|your|[Pp]lease)\b|!")
_TALKS = re.compile(r"\b(?:I|me|my)\b")
_LEANS = re.compile(r"(?:It|They|He|She|These|Those|Its|Their|His|Her|But|And|Or|So|Also|Other)\b")
"""Begins a sentence that says nothing without the one before it."""


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
            return self._cut_out(doc, text, islice(spans, _FIRST))
        # What stands below a definition of a program is about that alone; a manual may end it.
        inner = next((at for at in starts if at), _BEGINNING)
        text = snapshot.documents.text(doc, 0, _PROGRAM)
        spans = introducing(text, self._laid(doc, _PROGRAM), starts)
        told = (one for one in spans if one[1] <= inner or defines(text[slice(*one)]))
        return self._cut_out(doc, text, islice(told, _FIRST))

    def _laid(self, doc: str, end: int) -> list[Span]:
        return [(one.start, one.end) for one in self._index.snapshot.chunks.laid_out(doc, 0, end)]

    @staticmethod
    def _cut_out(doc: str, text: str, spans: Iterable[Span]) -> list[Introduction]:
        return [Introduction(doc, start, end, text[start:end]) for start, end in spans]

    def of_document(self, document: ShelvedDocument) -> Introduction | None:
        """The sentence that introduces one document."""
        return self._best([document], ())

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
        return self._best([lead], ()) if lead else None

    def of(self, documents: Sequence[ShelvedDocument], about: Sequence[str]) -> Introduction | None:
        """The sentence that introduces some documents; ``about`` are terms that set them apart."""
        if len(documents) == 1:
            return self.of_document(documents[0])
        return self.of_leading(documents) or self._best(read_of(documents), about, _LEAST_TOLD)

    def _best(
        self, documents: Sequence[ShelvedDocument], about: Sequence[str], least: float = -math.inf
    ) -> Introduction | None:
        """The sentence that tells most, if it tells enough; of equal ones the first."""
        terms = {*content_words(" ".join(about))}
        told = [
            (_told(one.text, terms | {*content_words(title_of(document))}) - _LATER * n, one)
            for document in documents
            for n, one in enumerate(self._own(document.doc))
        ]
        score, best = max(told, key=lambda found: found[0], default=(0.0, None))
        return best if score >= least else None

    def _own(self, doc: str) -> list[Introduction]:
        """The first sentences of a document that are its own."""
        return [one for one in self._read.get(doc, ()) if plain(one.text) not in self._repeated]


def _told(text: str, terms: set[str]) -> float:
    """How much a sentence says of what it should: a definition, terms, nothing that leans on what
    stands before it, no talk."""
    held = min(len(terms & {*content_words(text)}), _MOST_TERMS) / 2
    leaning = 2 * bool(_LEANS.match(text)) + 2 * bool(_TALKS.search(text))
    return held + _defines(text, terms) - leaning - 0.8 * bool(_ADDRESSES.search(text))


def _defines(text: str, terms: set[str]) -> float:
    """Whether a sentence says what something is: the thing named by one word, or by a term."""
    if defines(text) or _ITSELF.match(text):
        return 2
    found = _DEFINES.match(text)
    if not found:
        return 0
    subject = content_words(found["subject"])
    first = found["subject"].split(" (")[0]
    return 2 if (" " not in first and subject) or terms & {*subject} else 0


def title_of(found: ShelvedDocument) -> str:
    """The title of a document, else the name of its file or its own id in the file."""
    return found.title or found.doc.rpartition("/")[2]


def read_of(documents: Sequence[ShelvedDocument]) -> list[ShelvedDocument]:
    """The documents that are read for all: the leading one, then some at equal distances."""
    first = leading(documents)
    others = [one for one in documents if one != first]
    step = max(1, -(-len(others) // READ))
    return [*([first] if first else ()), *others[::step]]


def leading(documents: Sequence[ShelvedDocument]) -> ShelvedDocument | None:
    """The file beside or above all other documents that by its name says what they are."""
    # Of many documents few have a name that holds one of these.
    likely = [one for one in documents if _LIKELY.search(one.doc)]
    found = [(_LEADING.index(stem), one) for one in likely if (stem := _stem(one)) in _LEADING]
    if not found:
        return None
    depth = min(_depth(one) for one in documents)
    return min((pair for pair in found if _depth(pair[1]) == depth), default=(0, None))[1]


def _stem(found: ShelvedDocument) -> str:
    return posixpath.splitext(posixpath.basename(path_of(found.doc)))[0].casefold()


def _depth(found: ShelvedDocument) -> int:
    return path_of(found.doc).count("/")
