"""The hierarchy over the entities: clusters of descriptions become aggregated entities, level by
level, with aggregated relations between them (LeanRAG, section 3.1).

A level is made from the one below: the vectors of its descriptions are clustered, every cluster
becomes one entity with a name, a description and findings, and all relations between the members
of two clusters become one relation between the clusters. The next level is made from these, until
at most ``TOP`` clusters are left or clustering no longer shrinks the level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

import numpy as np
from numpy.typing import NDArray

from ragcli.graph.mixture import clusters

Ints = NDArray[np.int64]
Rows = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Rows]

# Entities in a cluster, about (the paper's cluster size).
SIZE = 20
# A level of so few clusters is the last.
TOP = 4
# Findings that tell of the strongest relations inside a cluster.
FINDINGS = 5


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregated entity. ``by`` tells what wrote it."""

    name: str
    text: str
    findings: tuple[str, ...]
    by: str = "extractive"


@dataclass(frozen=True, slots=True)
class EntityLayer:
    """The nodes of one level as the next level sees them; all of length n.

    ``heads[i]``: names of base entities that stand for node i, best first; ``weights``: mentions
    below each node.
    """

    names: Sequence[str]
    texts: Sequence[str]
    heads: Sequence[tuple[str, ...]]
    weights: Sequence[int]


@dataclass(frozen=True, slots=True)
class Group:
    """One cluster to be described: its members, most central first, and the relations inside.

    ``relations`` are (name, name, times in one sentence), strongest first.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    heads: tuple[str, ...]
    relations: tuple[tuple[str, str, int], ...]


Describe = Callable[[Sequence[Group]], Sequence[Aggregate]]


@dataclass(frozen=True, slots=True)
class Level:
    """One level: ``parents[i]`` is the cluster of node i of the level below.

    ``relations`` (r, 4): clusters a < b, relations between their members (the paper's lambda), and
    the sum of those relations' weights.
    """

    parents: Ints
    aggregates: tuple[Aggregate, ...]
    relations: Ints


def base_layer(names: Sequence[str], texts: Sequence[str], mentions: Sequence[int]) -> EntityLayer:
    """The entities themselves, level 0."""
    return EntityLayer(names, texts, [(name,) for name in names], mentions)


def build(
    layer: EntityLayer, vectors: Rows, edges: Ints, embed: Embed, describe: Describe
) -> list[Level]:
    """All levels above the base entities, lowest first; none for fewer than two entities.

    ``vectors`` (n, d) are those of the descriptions; ``edges`` (m, 3) are nodes a < b and in how
    many sentences they stand together; ``embed`` turns descriptions of aggregated entities into
    vectors (n, d).
    """
    levels: list[Level] = []
    while len(layer.names) > TOP or not levels:
        parents = clusters(vectors, SIZE)
        if not len(parents) or parents.max() + 1 >= len(parents):
            break
        level, layer = raise_level(layer, parents, edges, describe)
        levels.append(level)
        edges = level.relations[:, [0, 1, 3]]
        if len(layer.names) > TOP:
            vectors = embed([embedded(n, t) for n, t in zip(layer.names, layer.texts, strict=True)])
    return levels


def embedded(name: str, text: str) -> str:
    """What the embedder reads of an entity: its name, then its description."""
    return f"{name}: {text}" if text else name


def raise_level(
    layer: EntityLayer, parents: Ints, edges: Ints, describe: Describe
) -> tuple[Level, EntityLayer]:
    """The level that ``parents`` (n,) makes of a layer, and that level as a layer."""
    inside, across = lift(edges, parents)
    groups = make_groups(layer, parents, inside)
    aggregates = tuple(describe(groups))
    weights = np.bincount(parents, np.asarray(layer.weights, dtype=np.float64)).astype(np.int64)
    raised = EntityLayer(
        [a.name for a in aggregates],
        [a.text for a in aggregates],
        [g.heads for g in groups],
        weights.tolist(),
    )
    return Level(parents, aggregates, across), raised


def lift(edges: Ints, parents: Ints) -> tuple[Ints, Ints]:
    """Edges (m, 3: a, b, weight) inside one cluster, as they are; and those across, summed up.

    Those across come as (r, 4): clusters a < b, how many edges, the sum of their weights.
    """
    ends = np.sort(parents[edges[:, :2]], axis=1)
    same = ends[:, 0] == ends[:, 1]
    pairs, where, links = np.unique(ends[~same], axis=0, return_inverse=True, return_counts=True)
    weights = np.bincount(where.ravel(), edges[~same, 2], minlength=len(pairs))
    across = np.column_stack([pairs.reshape(-1, 2), links, weights.astype(np.int64)])
    return edges[same], across.astype(np.int64)


def make_groups(layer: EntityLayer, parents: Ints, inside: Ints) -> list[Group]:
    """The clusters of a layer; members that others of the cluster stand beside most come first."""
    count = int(parents.max()) + 1 if len(parents) else 0
    ends = inside[:, :2].ravel()
    bound = np.bincount(ends, np.repeat(inside[:, 2], 2), minlength=len(parents))
    members: list[list[int]] = [[] for _ in range(count)]
    # Rising label, then falling weight inside, then falling mentions, then rising number.
    order = np.lexsort((-np.asarray(layer.weights), -bound, parents))
    for node in order.tolist():
        members[parents[node]].append(node)
    relations: list[list[tuple[str, str, int]]] = [[] for _ in range(count)]
    for a, b, weight in inside[np.lexsort((inside[:, 1], inside[:, 0], -inside[:, 2]))].tolist():
        relations[parents[a]].append((layer.names[a], layer.names[b], weight))
    return [
        Group(
            tuple(layer.names[i] for i in nodes),
            tuple(layer.texts[i] for i in nodes),
            _heads([layer.heads[i] for i in nodes]),
            tuple(strongest[:FINDINGS]),
        )
        for nodes, strongest in zip(members, relations, strict=True)
    ]


def _heads(heads: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The best head of every member, then the second of every member, and so on; a dozen."""
    rows = zip_longest(*heads)
    return tuple(dict.fromkeys(h for h in chain.from_iterable(rows) if h is not None))[:12]
