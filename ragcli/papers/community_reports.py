"""What the reports on communities are made from: names, facts of the graph, and sentences.

Everything is derived from one generation of the store whenever it is needed, and nothing depends on
row numbers. So an update leads to the same communities as a fresh index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragcli.answer.candidates import Sentence, candidates
from ragcli.graph.cluster_text import aggregate_name, pair, times
from ragcli.graph.summary import SummarySettings, select
from ragcli.retrieve.context import fit
from ragcli.search.communities import communities, finest_cut
from ragcli.search.search_index import SearchIndex
from ragcli.text.names import locate

MOST_REPORTS = 32
"""Communities that get a report: those of the deepest level with no more than this."""

LEAST_MEMBERS = 3
"""Smaller communities are left out: what is known of two names is a relation."""

HEADS = 40
"""Members that a report may be about, those with most sentences in common with others first."""

PASSAGES = 6
SENTENCES = SummarySettings(chars=1200, sentences=8)
FACTS = 12

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CommunityOutline:
    """A community as a report presents it.

    ``level`` counts from 0 (all entities partitioned) and ``size`` its members. ``heads`` are the
    names of the best connected. ``facts`` are descriptions by a language model and the strongest
    relations, as lines. ``sentences`` are the documents' most central ones about the heads, those
    of one passage together; ``passages`` are the rows of these passages.
    """

    title: str
    level: int
    size: int
    heads: tuple[str, ...]
    facts: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    passages: tuple[int, ...]


def outlines(index: SearchIndex, most: int = MOST_REPORTS) -> Iterator[CommunityOutline]:
    """Yield what at most ``most`` reports are made from, the largest community first."""
    entities = index.snapshot.entities.recurring()
    rows = [row for row, _ in entities]
    place = {row: at for at, row in enumerate(rows)}
    related = index.snapshot.entities.relations_among(rows)
    # Nodes are numbered by the keys of their entities, since rows tell in what order files came.
    ends = np.sort(np.vectorize(place.__getitem__, otypes=[np.int64])(related[:, :2]), axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    edges, counts = ends[order], np.maximum(related[order, 2], 1)
    first = communities(len(rows), edges, counts)
    large = tuple(one for one in first if len(one.nodes) >= LEAST_MEMBERS)
    taken: set[str] = set()
    part = 0
    for community in finest_cut(large, most):
        inside = np.isin(edges, community.nodes).all(axis=1)
        links = np.column_stack([edges[inside], counts[inside]])
        heads = _heads(community.nodes, links)
        names = tuple(entities[node][1] for node in heads)
        title = aggregate_name(names, taken)
        taken.add(title.casefold())
        passages = _passages(index, [rows[node] for node in heads])
        sentences = _sentences(index, passages, names, part)
        part += len(passages)
        facts = _facts(index, [(rows[n], entities[n][1]) for n in heads], links, entities)
        yield CommunityOutline(
            title, community.level, len(community.nodes), names, facts, sentences, passages
        )


def _heads(nodes: Ints, links: Ints) -> list[int]:
    """The nodes with most sentences in common with others, at most HEADS; ties by key."""
    degrees = np.zeros(int(nodes[-1]) + 1, dtype=np.int64)
    np.add.at(degrees, links[:, 0], links[:, 2])
    np.add.at(degrees, links[:, 1], links[:, 2])
    return [int(n) for n in nodes[np.argsort(-degrees[nodes], kind="stable")][:HEADS]]


def _passages(index: SearchIndex, entities: Sequence[int]) -> tuple[int, ...]:
    """Passages that together name as many of the entities as possible, taken one after another.

    Of passages with equally many new ones, the first in the order of documents is taken.
    """
    named: dict[int, set[int]] = {}
    for entity in entities:
        for row in index.passages_of(entity)[0].tolist():
            named.setdefault(row, set()).add(entity)
    starts = index.snapshot.chunks.passage_starts(list(named))
    chosen: list[int] = []
    while named and len(chosen) < PASSAGES:
        best = min(named, key=lambda row: (-len(named[row]), starts[row]))
        held = named[best]
        chosen.append(best)
        named = {row: new for row, old in named.items() if (new := old - held)}
    return tuple(chosen)


def _sentences(
    index: SearchIndex, passages: Sequence[int], names: Sequence[str], before: int
) -> tuple[Sentence, ...]:
    """The most central sentences of the passages that name one of the heads, or of all.

    Their parts are numbered from ``before`` + 1.
    """
    hits = [index.passage_hit(row, 0.0, rank, ()) for rank, row in enumerate(passages, 1)]
    context = fit(hits, sum(len(hit.text) for hit in hits), len)
    parts = [replace(part, n=before + part.n) for part in context.parts]
    found = [sentence for part in parts for sentence in candidates(part)]
    naming = [sentence for sentence in found if locate(sentence.text, names)] or found
    return tuple(naming[at] for at in sorted(select([s.text for s in naming], SENTENCES)))


def _facts(
    index: SearchIndex,
    heads: Sequence[tuple[int, str]],
    links: Ints,
    entities: Sequence[tuple[int, str]],
) -> tuple[str, ...]:
    """Lines about the heads and about their strongest relations, FACTS at most of each."""
    profiles = index.snapshot.profiles
    described = [(name, profiles.entity(row).text) for row, name in heads[:FACTS]]
    lines = [f"{name}: {text}" for name, text in described if text]
    for a, b, count in links[np.argsort(-links[:, 2], kind="stable")][:FACTS].tolist():
        (row, name), (other, other_name) = entities[a], entities[b]
        text = profiles.relation_text(row, other)
        lines.append(f"{pair(name, other_name)}: {text or times(count)}")
    return tuple(lines)
