"""search: take the query apart -> retrieve -> keep what it accepts -> each passage once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragcli.asking.ask import ask_stores, token_counter
from ragcli.asking.several import NamedIndex
from ragcli.asking.spelling import read_as
from ragcli.config import Settings
from ragcli.retrieve import Helpers
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.search_query import SearchQuery, same_passages
from ragcli.types import Answer, Hit, Via

NEAR = 0.3
"""Similarity from which a passage is near to words that occur nowhere, for the built-in embedder:
words that are made up reach 0.27 in the sample corpus, "automobile" 0.32 for a van."""

SPARE, FILTERED = 2, 10
"""How many times as many passages are retrieved as are wanted: some repeat others, and of those
for a query with conditions most may not fulfil them."""

ALIKE = 0.8
"""The share of their words from which two passages of a document say the same."""


def search_stores(
    stores: Sequence[NamedIndex], query: SearchQuery, settings: Settings, helpers: Helpers
) -> Answer:
    """An answer without text, whose hits are the best passages of one store or several that a query
    accepts; none if no word of it occurs anywhere and no passage is near."""
    conditions = query.phrases or query.without
    most = settings.top_k * (FILTERED if conditions else SPARE)
    wide = replace(settings, answer="none", top_k=most)
    asked = AskedQuestion(query.text)
    answer = ask_stores(stores, asked, wide, helpers).answer
    if not any(_tells(store, asked, settings, helpers) for store in stores):
        return replace(answer, hits=())
    found = [*answer.hits]
    if query.phrases:
        found += [hit for store in stores for hit in _with_phrases(store, query, most)]
    kept: list[Hit] = []
    for hit in found:
        if len(kept) == settings.top_k:
            break
        if query.accepts(hit.text) and not any(_repeats(hit, one) for one in kept):
            kept.append(replace(hit, rank=len(kept) + 1))
    return replace(answer, hits=tuple(kept))


def _tells(store: NamedIndex, asked: AskedQuestion, settings: Settings, helpers: Helpers) -> bool:
    """Whether a word of a query occurs in a store, a passage is near to it, or it is about all."""
    index = store.index
    if settings.embedder != "default" or asked.about_whole or index.by_words(asked, 1):
        return True
    if read_as([index], asked, token_counter(settings)):
        return True
    nearest = index.passages.search(helpers.encode([asked.text])[0], 1)
    return bool(nearest) and nearest[0][1] >= NEAR


def _with_phrases(store: NamedIndex, query: SearchQuery, most: int) -> list[Hit]:
    """The passages with the first phrase of a query, best first."""
    found = store.index.with_phrase(query.phrases[0], most)
    return [
        replace(store.index.passage_hit(row, score, 0, (_BY_PHRASE,)), store=store.name)
        for row, score in found
    ]


_BY_PHRASE = Via("phrase", 1, "holds the phrase")


def _repeats(hit: Hit, other: Hit) -> bool:
    """Whether two passages of a document overlap by half, or say nearly the same."""
    if (hit.store, hit.doc) != (other.store, other.doc):
        return False
    both = min(hit.end, other.end) - max(hit.start, other.start)
    half = min(hit.end - hit.start, other.end - other.start) / 2
    return both > half or same_passages(hit.text, other.text, ALIKE)
