"""Retrieval over the hierarchy, after LeanRAG (section 3.2): from entities near the question up to
where they meet, and the chunks that hold most of them.

Seeds are the entities whose descriptions are nearest to the question, those it names first. The
paths from the seeds to their lowest common ancestor give the facts: what is known of the entities
on them, and the relations between those of one level. The text is passages, in turn from the walk,
and from those by words and by seeds: of passages that name a seed, how many seeds their chunk holds
(the paper's measure, which alone finds too little). Among the latter one that is far from the
question, beside the nearest, is not sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from ragcli.errors import StoreError
from ragcli.graph.ancestor import lca_paths
from ragcli.graph.cluster_text import TAU, relation_text
from ragcli.retrieve.base import Found
from ragcli.retrieve.bm25 import bm25
from ragcli.retrieve.fuse import reciprocal_rank_fusion
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space
from ragcli.retrieve.walk import walk
from ragcli.search.evidence import Evidence, passages_saying, sentence_with
from ragcli.store.cluster_links import described, named, strongest
from ragcli.store.hierarchy import is_built
from ragcli.text.sentences import sentences
from ragcli.types import Fact, Hit

# Base entities that the paths start from (the paper's n).
SEEDS = 10
# Entities named in the question that may be seeds; the others are the nearest.
NAMED = 5
# Each ranking is read this many times deeper than the number of passages asked for.
DEPTH = 3
# A passage's cosine to the question, as a share of the nearest passage's, below which it is not
# sent for its words or seeds. The walk's are: what a question leads to may be unlike it.
FLOOR = 0.6
# Of the passages asked for, those that are given: facts take the place of the others.
PASSAGES = 0.8

# (level, row): an entity of the store at level 0, an aggregated entity above.
Node = tuple[int, int]


def lean(space: Space, question: Question, k: int) -> list[Found]:
    """At most PASSAGES of k passages, best first: in turn by the walk, and by words and seeds.

    Whole chunks would send more tokens and hold fewer answers (docs/adr/hierarchy.md).
    """
    seeds = seeds_of(space, question)
    walked, worded = (
        [find.passage for find in strategy(space, question, k * DEPTH) if find.passage is not None]
        for strategy in (walk, bm25)
    )
    nearest = [row for row, _ in space.passages.search(question.vector, k * DEPTH)]
    rows = np.array(sorted({*walked, *worded, *nearest}), dtype=np.int64)
    cosines = space.passages.similarities(question.vector, rows).tolist()
    near = dict(zip(rows.tolist(), cosines, strict=True))
    held = _seeds_by_passage(space, seeds, near)
    by_seeds = sorted(held, key=lambda row: (-len(held[row]), -near[row], row))[: k * DEPTH]
    least = FLOOR * max(near.values(), default=0.0)
    told = [row for row, _ in reciprocal_rank_fusion([worded, by_seeds]) if near[row] >= least]
    best = _in_turn(walked, told)[: max(1, round(k * PASSAGES))]
    return [
        Found(None, row, 1 / rank, _note(space, held.get(row, ())))
        for rank, row in enumerate(best, 1)
    ]


def _in_turn(*lists: Sequence[int]) -> list[int]:
    """The best of each list, then the next best of each that is not there yet, and so on.

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
    space: Space, seeds: Sequence[int], rows: Iterable[int]
) -> dict[int, list[int]]:
    """Those of the passages that name a seed -> all seeds that their chunk holds."""
    chunks: dict[int, list[int]] = defaultdict(list)
    naming: set[int] = set()
    for seed in seeds:
        naming.update(space.passages_of(seed)[0].tolist())
        for chunk in space.chunks_with(seed):
            chunks[chunk].append(seed)
    return {row: chunks[space.chunk_of(row)] for row in rows if row in naming}


def seeds_of(space: Space, question: Question) -> list[int]:
    """Entity rows: those the question names, then those nearest by description; SEEDS in all.

    Raises StoreError when the store has no hierarchy.
    """
    if not is_built(space.db):
        raise StoreError(
            "the store has no hierarchy, which lean goes by",
            "make one with: ragcli update --hierarchy",
        )
    named = [
        row
        for match in question.matches
        if match.named
        for row in match.rows
        if _is_member(space, row)
    ]
    nearest = [row for row, _ in space.members.search(question.vector, SEEDS)]
    return list(dict.fromkeys([*named[:NAMED], *nearest]))[:SEEDS]


def _is_member(space: Space, entity: int) -> bool:
    row = space.db.execute("SELECT 1 FROM hierarchy_members WHERE entity = ?", (entity,))
    return row.fetchone() is not None


def _note(space: Space, seeds: Sequence[int]) -> str:
    return "its chunk tells of " + ", ".join(space.names_of(seeds)) if seeds else "by words or walk"


def lean_facts(space: Space, question: Question) -> list[Fact]:
    """Entities on the paths from the seeds to where they meet, level by level, and the relations
    between those of each level."""
    by_level: dict[int, list[int]] = defaultdict(list)
    for level, row in paths(space, seeds_of(space, question)):
        by_level[level].append(row)
    facts: list[Fact] = []
    for level in sorted(by_level):
        rows = by_level[level]
        names = described(space.db, level, rows)
        facts += [Fact("entity", level, name, text, row) for row, (name, text) in names.items()]
        facts += [
            Fact("relation", level, f"{names[a][0]} – {names[b][0]}", text)
            for a, b, text in _relations(space, level, rows)
        ]
    return facts


def paths(space: Space, seeds: Iterable[int]) -> list[Node]:
    """The nodes on the shortest paths from the seeds to their lowest common ancestor."""
    starts = [(0, seed) for seed in seeds]
    parents: dict[Node, Node] = {}
    for start in starts:
        node = start
        while node not in parents:
            above = _parent(space, node)
            if above is None:
                break
            parents[node] = (node[0] + 1, above)
            node = parents[node]
    return lca_paths(parents, starts)


def _parent(space: Space, node: Node) -> int | None:
    level, row = node
    table, key = ("hierarchy_nodes", "id") if level else ("hierarchy_members", "entity")
    found = space.db.execute(f"SELECT parent FROM {table} WHERE {key} = ?", (row,)).fetchone()
    return None if found is None else found[0]


def _relations(space: Space, level: int, rows: Sequence[int]) -> list[tuple[int, int, str]]:
    """(a, b, in words) of the relations between nodes of one level, strongest first."""
    marks = ",".join("?" * len(rows))
    table, columns = ("hierarchy_relations", "links, weight, text")
    if not level:
        table, columns = "relations", "1, count, NULL"
    found = space.db.execute(
        f"SELECT a, b, {columns} FROM {table} WHERE a IN ({marks}) AND b IN ({marks})"
        " ORDER BY 4 DESC, a, b",
        (*rows, *rows),
    ).fetchall()
    out = []
    for a, b, links, weight, text in found:
        if not level:
            text = "in one sentence" if weight == 1 else f"in {weight:,} sentences"
        elif text is None:
            pairs = strongest(space.db, level, a, b, TAU)
            text = relation_text(named(space.db, level - 1, pairs), links)
        out.append((a, b, text))
    return out


def evidence(space: Space, facts: Iterable[Fact]) -> list[Hit]:
    """The sentences of the documents that facts of single entities were taken from, in order.

    A description that a model wrote in its own words stands nowhere: the sentence of its chunk
    that names the entity does.
    """
    found: list[Evidence] = []
    for fact in facts:
        if fact.kind == "entity" and not fact.level and fact.row is not None:
            (chunk,) = space.db.execute(
                "SELECT chunk FROM hierarchy_members WHERE entity = ?", (fact.row,)
            ).fetchone()
            said = [fact.text[a:b] for a, b in sentences(fact.text)]
            standing = passages_saying(space.db, chunk, said) if chunk is not None else []
            behind = None if standing else sentence_with(space.db, (fact.row,))
            found += standing or ([behind] if behind else [])
    return [space.span_hit(e.chunk, e.start, e.end, rank) for rank, e in enumerate(found, 1)]
