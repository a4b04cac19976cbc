"""Retrieval over the hierarchy, after LeanRAG (section 3.2): from entities near the question up to
their lowest common ancestor, and the chunks that contain most of them.

Seeds are the entities named in the question, then those whose descriptions are nearest to it. The
paths from the seeds to their lowest common ancestor give the facts: descriptions of the entities on
the paths, and the relations between entities of one level. Passages come alternately from the walk
and from a ranking by words and by seeds, where passages that name a seed are ranked by the number
of seeds in their chunk (the paper's measure, which alone finds too little). Passages of the latter
are left out if they are much less similar to the question than the nearest passage.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from ragcli.errors import StoreError
from ragcli.graph.common_ancestor import lca_paths
from ragcli.papers.fuse import reciprocal_rank_fusion
from ragcli.papers.plain import bm25
from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.retrieve.walk import walk
from ragcli.search.evidence import Evidence
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.hierarchy import Place
from ragcli.text.sentences import sentences
from ragcli.types import Fact, Hit

# Number of base entities where paths start (the paper's n).
SEEDS = 10
# Entities named in the question that may be seeds; the others are the nearest.
NAMED = 5
# Each ranking is read this many times deeper than the number of passages asked for.
DEPTH = 3
# Passages found by words or seeds need at least this share of the nearest passage's cosine to the
# question. Passages of the walk do not, since an answer may be dissimilar to the question.
FLOOR = 0.6
# Share of the requested passages that is returned; facts replace the others.
PASSAGES = 0.8


def lean(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """At most PASSAGES of k passages, best first: alternately by the walk, and by words and seeds.

    Whole chunks use more tokens and contain fewer answers (docs/adr/hierarchy.md). The path leads
    from the seeds to their lowest common ancestor; the facts describe the nodes on it.
    """
    seeds = seeds_of(index, question)
    path = paths(index, seeds)
    finds = _finds(index, question, k, helpers, seeds)
    # Descriptions are made from all documents, so within a scope there are passages only.
    facts = tuple(_facts(index, path)) if index.whole else ()
    return Ranking(finds, facts, tuple(seeds), tuple(path))


def _finds(
    index: SearchIndex, question: Question, k: int, helpers: Helpers, seeds: Sequence[int]
) -> list[Found]:
    walked = walk(index, question, k * DEPTH, helpers).passages
    worded = bm25(index, question, k * DEPTH, helpers).passages
    nearest = [row for row, _ in index.passages.search(question.vector, k * DEPTH)]
    rows = np.array(sorted({*walked, *worded, *nearest}), dtype=np.int64)
    cosines = index.passages.similarities(question.vector, rows).tolist()
    near = dict(zip(rows.tolist(), cosines, strict=True))
    held = _seeds_by_passage(index, seeds, near)
    by_seeds = sorted(held, key=lambda row: (-len(held[row]), -near[row], row))[: k * DEPTH]
    least = FLOOR * max(near.values(), default=0.0)
    told = [row for row, _ in reciprocal_rank_fusion([worded, by_seeds]) if near[row] >= least]
    best = _in_turn(walked, told)[: max(1, round(k * PASSAGES))]
    return [
        Found(None, row, 1 / rank, _note(index, held.get(row, ())))
        for rank, row in enumerate(best, 1)
    ]


def _in_turn(*lists: Sequence[int]) -> list[int]:
    """The best of each list, then the next best of each that is not included yet, and so on.

    >>> _in_turn([1, 2, 3], [2, 5, 6])
    [1, 2, 3, 5, 6]
    """
    found: dict[int, None] = {}
    waiting = [iter(rows) for rows in lists]
    while waiting:
        for rows in list(waiting):
            fresh = next((row for row in rows if row not in found), None)
            if fresh is None:
                waiting.remove(rows)
            else:
                found[fresh] = None
    return list(found)


def _seeds_by_passage(
    index: SearchIndex, seeds: Sequence[int], rows: Iterable[int]
) -> dict[int, list[int]]:
    """Passages that name a seed -> all seeds in their chunk."""
    chunks: dict[int, list[int]] = defaultdict(list)
    naming: set[int] = set()
    for seed in seeds:
        naming.update(index.passages_of(seed)[0].tolist())
        for chunk in index.chunks_mentioning(seed):
            chunks[chunk].append(seed)
    return {row: chunks[index.snapshot.chunks.chunk_of(row)] for row in rows if row in naming}


def seeds_of(index: SearchIndex, question: Question) -> list[int]:
    """Entity rows: those the question names, then those nearest by description; SEEDS in total.

    Raises StoreError if the store has no hierarchy.
    """
    if not index.snapshot.hierarchy.is_built():
        raise StoreError(
            "the store has no hierarchy, which the mode lean needs",
            "create one with: ragcli update --hierarchy",
        )
    named = [
        row
        for match in question.matches
        if match.named
        for row in match.rows
        if index.snapshot.hierarchy.is_member(row)
    ]
    nearest = [row for row, _ in index.members.search(question.vector, SEEDS)]
    return list(dict.fromkeys([*named[:NAMED], *nearest]))[:SEEDS]


def _note(index: SearchIndex, seeds: Sequence[int]) -> str:
    if not seeds:
        return "by words or walk"
    names = index.snapshot.entities.names(seeds)
    return "its chunk mentions " + ", ".join(names[row] for row in seeds)


def _facts(index: SearchIndex, path: Iterable[Place]) -> list[Fact]:
    """Facts about entities on the paths from the seeds to their lowest common ancestor, level by
    level, and about the relations within each level."""
    by_level: dict[int, list[int]] = defaultdict(list)
    for level, row in path:
        by_level[level].append(row)
    facts: list[Fact] = []
    for level in sorted(by_level):
        rows = by_level[level]
        names = index.snapshot.hierarchy.described(level, rows)
        facts += [Fact("entity", level, name, text, row) for row, (name, text) in names.items()]
        facts += [
            Fact("relation", level, f"{names[a][0]} – {names[b][0]}", text)
            for a, b, text in _relations(index, level, rows)
        ]
    return facts


def paths(index: SearchIndex, seeds: Iterable[int]) -> list[Place]:
    """The nodes on the shortest paths from the seeds to their lowest common ancestor."""
    starts = [(0, seed) for seed in seeds]
    parents: dict[Place, Place] = {}
    for start in starts:
        node = start
        while node not in parents:
            above = index.snapshot.hierarchy.parent(node)
            if above is None:
                break
            parents[node] = (node[0] + 1, above)
            node = parents[node]
    return lca_paths(parents, starts)


def _relations(index: SearchIndex, level: int, rows: Sequence[int]) -> list[tuple[int, int, str]]:
    """(a, b, in words) of the relations between nodes of one level, strongest first."""
    from ragcli.graph.cluster_text import TAU, relation_text

    hierarchy = index.snapshot.hierarchy
    out = []
    for a, b, links, weight, text in hierarchy.relations_among(level, rows):
        if not level:
            text = "in one sentence" if weight == 1 else f"in {weight:,} sentences"
        elif text is None:
            text = relation_text(hierarchy.links_below(level, a, b, TAU), links)
        out.append((a, b, text))
    return out


def evidence(index: SearchIndex, facts: Iterable[Fact]) -> list[Hit]:
    """The sentences of the documents that are sources of facts about single entities, in order.

    A description in a model's own words occurs in no document; its source is the sentence of its
    chunk that names the entity.
    """
    found: list[Evidence] = []
    for fact in facts:
        if fact.kind == "entity" and not fact.level and fact.row is not None:
            chunk = index.snapshot.hierarchy.chunk_behind(fact.row)
            said = [fact.text[a:b] for a, b in sentences(fact.text)]
            standing = index.sentences_saying(chunk, said) if chunk is not None else []
            behind = None if standing else index.sentence_with((fact.row,))
            found += standing or ([behind] if behind else [])
    return [index.span_hit(e.chunk, e.start, e.end, rank) for rank, e in enumerate(found, 1)]
