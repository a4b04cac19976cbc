"""The passages that are compared for a question, and what is known of each before comparison.

They are the best of the walk, the nearest to the question, the best by its words and by those of
its steps, those that hold its identifiers, and the passages whose document is called what one of
the walk's first passages mentions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragcli.retrieve.base import Encode
from ragcli.retrieve.marked import marks_held, with_mark
from ragcli.retrieve.question import Question
from ragcli.retrieve.seeds import WORDED, Floats, Ints, Start, named_entities, rows_of
from ragcli.retrieve.walk import Walked
from ragcli.search.arrays import distinct
from ragcli.search.passage_graph import TITLE_WEIGHT
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.chunks import PassageText
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.words import stem

# Passages of the walk, by similarity, by the words of the question and of each step.
WALKED = 40
DIRECT = 15
# Passages whose document is called what one of the first passages mentions, at most.
LED_TO = 15
LEADING = 3
# A name in more passages than this leads nowhere.
RARE = 30
# A word in more passages than this is as frequent as any: counting takes time.
COUNTED = 10_000
# The lowest probability that counts: the walk does not reach every passage.
UNREACHED = 1e-7

_WORD = re.compile(r"\w+")

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class NamesOf:
    """The names in each of n passages.

    ``all`` are entity rows; ``titles`` those in its document's title that the question does not
    name; ``asked`` those that the question names. ``degrees``: passages of the store with a name.
    """

    all: Sequence[frozenset[int]]
    titles: Sequence[frozenset[int]]
    asked: frozenset[int]
    degrees: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class ComparedPassages:
    """n passages; ``share``, (n,): probability in the walk relative to the best, at least 1e-7.

    ``words``: BM25 of the question relative to the best of the store; ``cosines`` to the question.
    Of s steps: ``step_words`` and ``step_cosines``, (s, n); one step, the question itself, where it
    has none (``steps`` is 0). ``vectors``, (n, dim). ``marks``: identifiers held, relative to the
    most. ``terms``: the rarity of the question's stems, 0 to 1; ``places``: (place, stem number) of
    the words of each text that are stems of the question; ``above``: stems in its title and
    headings. ``titled``: how far documents are about the question's names; ``passages``: those of
    the store.
    """

    rows: Ints
    share: Floats
    words: Floats
    cosines: Floats
    step_words: Floats
    step_cosines: Floats
    vectors: NDArray[np.float32]
    marks: Floats
    texts: Sequence[PassageText]
    names: NamesOf
    terms: Floats
    places: Sequence[Sequence[tuple[int, int]]]
    above: Sequence[frozenset[int]]
    titled: float
    passages: int
    steps: int


@dataclass(frozen=True, slots=True)
class DirectlyFound:
    """Passages by words, of the question and of each step, with relative BM25 scores, best first;
    and those that hold its identifiers."""

    words: Mapping[int, float]
    steps: Sequence[Mapping[int, float]]
    marked: Sequence[int]

    @property
    def rows(self) -> list[int]:
        """Those that are compared in any case."""
        by_words = [row for one in (self.words, *self.steps) for row in list(one)[:DIRECT]]
        return [*by_words, *self.marked]


def directly_found(index: SearchIndex, question: Question) -> DirectlyFound:
    """What is found without the walk, but for the nearest passages."""
    steps = [_by_words(index, AskedQuestion(step)) for step in question.asked.steps]
    return DirectlyFound(_by_words(index, question.asked), steps, with_mark(index, question))


def _by_words(index: SearchIndex, asked: AskedQuestion) -> dict[int, float]:
    found = index.by_words(asked, WORDED)
    return {row: score / found[0][1] for row, score in found}


def compared_passages(
    index: SearchIndex,
    question: Question,
    direct: DirectlyFound,
    start: Start,
    walked: Walked,
    k: int,
    encode: Encode,
) -> ComparedPassages:
    """The passages to compare for a question after a walk, k or more of them if there are."""
    rows = _chosen(index, question, direct, start, walked, k)
    found = index.snapshot.chunks.passage_texts(rows.tolist())
    texts = [found[row] for row in rows.tolist()]
    terms = {stem(term): term for term in reversed(question.asked.terms)}
    places, above = _placed(list(terms), texts)
    cosines = index.passages.similarities(question.vector, rows).astype(np.float64)
    words = _scores(direct.words, rows)
    steps = question.asked.steps
    vectors = encode(steps) if steps else [question.vector]
    return ComparedPassages(
        rows,
        _share(walked, rows),
        words,
        cosines,
        np.array([_scores(one, rows) for one in direct.steps] or [words]),
        np.array([index.passages.similarities(one, rows) for one in vectors], dtype=np.float64),
        index.passages.of(rows),
        marks_held(question.asked, texts),
        texts,
        _names_of(index, question, rows),
        np.array([_rarity(index, term) for term in terms.values()]),
        places,
        above,
        start.titled,
        len(index.passages),
        len(steps),
    )


def _chosen(
    index: SearchIndex,
    question: Question,
    direct: DirectlyFound,
    start: Start,
    walked: Walked,
    k: int,
) -> Ints:
    """The rows to compare, each once."""
    first = walked.passages[walked.best(max(k, WALKED))].tolist()
    led_to = _led_to(index, question, walked)
    return rows_of(dict.fromkeys([*first, *start.nearest[:DIRECT], *direct.rows, *led_to]))


def _share(walked: Walked, rows: Ints) -> Floats:
    """The probability of each passage in the walk relative to the best one."""
    at = np.minimum(np.searchsorted(walked.passages, rows), len(walked.passages) - 1)
    reached = np.where(walked.passages[at] == rows, walked.scores[at], 0.0)
    return np.maximum(reached, UNREACHED) / max(float(reached.max()), UNREACHED)


def _rarity(index: SearchIndex, term: str) -> float:
    """The rarity of a term from 0 (in all passages, or in very many) to 1 (in one or none)."""
    most = max(min(len(index.passages), COUNTED), 2)
    return 1 - float(np.log(max(index.passages_with(term, most), 1)) / np.log(most))


def _scores(found: Mapping[int, float], rows: Ints) -> Floats:
    return np.array([found.get(row, 0.0) for row in rows.tolist()])


def _led_to(index: SearchIndex, question: Question, walked: Walked) -> list[int]:
    """Passages whose document is called what one of the first passages mentions, rarest first."""
    graph = index.passage_graph
    first = walked.passages[walked.best(LEADING)]
    names = distinct(graph.by_passage.of(first)[1])
    names = names[~np.isin(names, list(named_entities(question)))]
    degrees = graph.by_entity.degrees(names)
    names = names[np.lexsort((names, degrees))]
    names = names[np.sort(degrees) <= RARE]
    _, rows, weights = graph.by_entity.of(names)
    titled = rows[weights >= 1 + TITLE_WEIGHT]
    titled = titled[np.isin(titled, index.passages.ids)]  # those of the scope
    return list(dict.fromkeys(titled.tolist()))[:LED_TO]


def _placed(
    stems: Sequence[str], texts: Sequence[PassageText]
) -> tuple[list[list[tuple[int, int]]], list[frozenset[int]]]:
    """(place, number) of the stems in each text, and the numbers of those in what is above it."""
    number = {root: at for at, root in enumerate(stems)}
    bodies = [_WORD.findall(text.text.casefold()) for text in texts]
    heads = [_WORD.findall(f"{text.title} {text.heading}".casefold()) for text in texts]
    known: dict[str, int] = {}
    for word in set().union(*bodies, *heads):
        at = number.get(stem(word))
        if at is not None:
            known[word] = at
    places = [[(at, known[word]) for at, word in enumerate(b) if word in known] for b in bodies]
    above = [frozenset(known[word] for word in head if word in known) for head in heads]
    return places, above


def _names_of(index: SearchIndex, question: Question, rows: Ints) -> NamesOf:
    asked = frozenset(named_entities(question))
    at, ends, weights = index.passage_graph.by_passage.of(rows)
    every: list[set[int]] = [set() for _ in rows]
    titles: list[set[int]] = [set() for _ in rows]
    for place, name, weight in zip(at.tolist(), ends.tolist(), weights.tolist(), strict=True):
        every[place].add(name)
        if weight >= 1 + TITLE_WEIGHT and name not in asked:
            titles[place].add(name)
    known = rows_of(sorted(asked.union(*every)))
    degrees = index.passage_graph.by_entity.degrees(known)
    counts = dict(zip(known.tolist(), degrees.tolist(), strict=True))
    return NamesOf(list(map(frozenset, every)), list(map(frozenset, titles)), asked, counts)
