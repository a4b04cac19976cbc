"""Analyses a question without a language model: its words, its vector, its entities.

Entities are found by looking up every run of words among the names of the store, longest first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import InputError
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot import Snapshot
from ragcli.store.snapshot.entities import Entities
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.names import normalise, person_key
from ragcli.text.scripts import UNSPACED
from ragcli.text.words import STOP_WORDS, SURFACE_WORD, singular

# Words in a name at most; the longest names are titles of works.
MAX_WORDS = 12
# A name may refer to several entities ("Smith"); with more than this, only to the one of that name.
MAX_MEANINGS = 4


@dataclass(frozen=True, slots=True)
class Match:
    """Words ``question[start:end]`` that name the entities ``rows``; ``named`` if capitalised."""

    key: str
    rows: tuple[int, ...]
    start: int
    end: int
    named: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its unit vector (dim,) and the entities of a store that it names."""

    asked: AskedQuestion
    vector: NDArray[np.float32]
    matches: tuple[Match, ...]

    @property
    def entities(self) -> list[int]:
        """Rows of all entities named, without repeats, in order of appearance."""
        return list(dict.fromkeys(row for match in self.matches for row in match.rows))

    def in_store(self, snapshot: Snapshot) -> Question:
        """The question as another store with the same embedder understands it."""
        return replace(self, matches=find_entities(snapshot.entities, self.asked.text))

    @property
    def names(self) -> list[str]:
        """The capitalised names among its matches, as it writes them, each once."""
        named = (match for match in self.matches if match.named)
        return list(dict.fromkeys(self.asked.text[m.start : m.end] for m in named))

    @property
    def without_names(self) -> AskedQuestion:
        """The question without those names."""
        parts, at = [], 0
        for match in self.matches:
            if match.named:
                parts.append(self.asked.text[at : match.start])
                at = match.end
        return AskedQuestion(" ".join([*parts, self.asked.text[at:]]))


def understand(
    snapshot: Snapshot,
    asked: AskedQuestion,
    encode: Callable[[Sequence[str]], NDArray[np.float32]],
) -> Question:
    """The question with its vector, by ``encode``, and the entities of a store that it names."""
    return Question(asked, encode([asked.text])[0], find_entities(snapshot.entities, asked.text))


def entity_called(index: SearchIndex, name: str) -> int:
    """The entity row for a name, the most frequent of several. Raises InputError if none."""
    rows = [row for match in find_entities(index.snapshot.entities, name) for row in match.rows]
    in_graph = [row for row in rows if index.graph.has(row)]
    if not in_graph:
        raise InputError(f"no entity named {name!r}", "list them with: ragcli inspect entities")
    mentions = index.snapshot.chunks.mentioning
    return max(in_graph, key=lambda row: (sum(mentions(row).values()), -row))


def find_entities(entities: Entities, text: str) -> tuple[Match, ...]:
    """The store's entities that a text names; no two matches overlap, longer ones win."""
    spans = word_spans(text)
    runs = _runs(text, spans)
    own, known = entities.known_as(key for _, _, keys in runs for key in keys)
    taken: set[int] = set()
    found: list[Match] = []
    for first, last, keys in runs:
        if taken.intersection(range(first, last)):
            continue
        for key in keys:
            meanings = _meanings(own.get(key), known.get(key, []))
            if meanings:
                start, end = spans[first][0], spans[last - 1][1]
                named = any(c.isupper() for c in text[start:end])
                found.append(Match(key, tuple(meanings), start, end, named))
                taken.update(range(first, last))
                break
    return tuple(sorted(found, key=lambda m: m.start))


def word_spans(text: str) -> list[tuple[int, int]]:
    """The spans of the words of a question; in scripts without spaces each character is a word."""
    spans = []
    for found in SURFACE_WORD.finditer(text):
        at = found.start()
        for run in UNSPACED.finditer(text, found.start(), found.end()):
            spans += [(at, run.start())] if at < run.start() else []
            spans += [(place, place + 1) for place in range(run.start(), run.end())]
            at = run.end()
        spans += [(at, found.end())] if at < found.end() else []
    return spans


def _meanings(own: int | None, known: list[int]) -> list[int]:
    """The entities of a name: the entity of exactly that name, and a few with that alias."""
    first = [] if own is None else [own]
    return first + known if len(first) + len(known) <= MAX_MEANINGS else first


def _runs(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int, list[str]]]:
    """Word runs (first, last, candidate keys), longest first, then left to right."""
    runs = []
    for size in range(min(MAX_WORDS, len(spans)), 0, -1):
        for first in range(len(spans) - size + 1):
            words = text[spans[first][0] : spans[first + size - 1][1]]
            if size == 1 and words.casefold() in STOP_WORDS:
                continue
            key = normalise(words)
            keys = [key, person_key(words), singular(key)]
            runs.append((first, first + size, [k for k in dict.fromkeys(keys) if k]))
    return runs
