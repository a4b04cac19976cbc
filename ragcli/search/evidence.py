"""Finds the sentences of the documents that support entities and relations of the graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragcli.store.snapshot.chunks import Chunks
from ragcli.store.snapshot.entities import Entities
from ragcli.text.sentences import sentences

# Most chunks that are searched for a sentence with the wanted names.
_CHUNKS = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """A span of a chunk; ``start`` and ``end`` are offsets into the document."""

    chunk: int
    start: int
    end: int
    text: str


def sentence_with(chunks: Chunks, entities: Entities, rows: Sequence[int]) -> Evidence | None:
    """Return a sentence that names all entities, from a chunk that names them often, or None."""
    spellings = [entities.spellings(row) for row in rows]
    for chunk, base, text in chunks.mentioning_all(rows, _CHUNKS):
        for start, end in sentences(text):
            if all(any(_holds(text[start:end], s) for s in names) for names in spellings):
                return Evidence(chunk, base + start, base + end, text[start:end])
    return None


def _holds(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){spaced(name)}(?!\w)", text) is not None


def spaced(text: str) -> str:
    """Return a pattern that matches ``text`` with any white space between its words."""
    return r"\s+".join(re.escape(word) for word in text.split())


def passages_saying(chunks: Chunks, chunk: int, wanted: Iterable[str]) -> list[Evidence]:
    """Return where the wanted sentences occur in the chunk's document, without those not found.

    White space may differ. A final "…" marks a sentence that was cut. Lines without a final stop
    look like one sentence once they are joined; such a text is looked for line by line.
    """
    rows = chunks.beside(chunk)
    found = []
    for sentence in wanted:
        pattern = re.compile(spaced(sentence.removesuffix("…")))
        for row, base, text in rows:
            if match := pattern.search(text):
                start, end = match.span()
                if sentence.endswith("…"):
                    end = next((b for a, b in sentences(text) if a <= start < b), end)
                found.append(Evidence(row, base + start, base + end, text[start:end]))
                break
        else:
            found += _within(rows, sentence)
    return found


def _within(rows: Iterable[tuple[int, int, str]], joined: str) -> list[Evidence]:
    """The sentences of the texts that are in ``joined``, each once, in its order."""
    places: dict[str, tuple[int, Evidence]] = {}
    for row, base, text in rows:
        for a, b in sentences(text):
            said = " ".join(text[a:b].split())
            if said not in places and (at := joined.find(said)) >= 0:
                places[said] = at, Evidence(row, base + a, base + b, text[a:b])
    return [found for _, found in sorted(places.values(), key=lambda place: place[0])]
