"""Builds the hierarchy above the entities level by level (LeanRAG, section 3.1).

Each level is made from the level below. The vectors of the descriptions are clustered. Every
cluster becomes one aggregated entity with a name, a description and findings. All relations
between the members of two clusters become one relation between the clusters. This repeats until
at most ``TOP`` clusters remain or clustering no longer shrinks the level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

import numpy as np
from numpy.typing import NDArray

from ragcli.graph.clustering import clusters

Ints = NDArray[np.int64]
Rows = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Rows]

# Approximate entities in a cluster (the paper's cluster size).
SIZE = 20
# A level of at most this many clusters is the last.
TOP = 4
# Most findings of a cluster; they describe the strongest relations inside it.
FINDINGS = 5


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregated entity. ``by`` names the author: "extractive" or a language model."""

    name: str
    text: str
    findings: tuple[str, ...]
    by: str = "extractive"


@dataclass(frozen=True, slots=True)
class EntityLayer:
    """The nodes of one level as input for the next; all sequences have length n.

    ``heads[i]`` are the names of base entities that represent node i, best first. ``weights`` are
    the mentions below each node.
    """

    names: Sequence[str]
    texts: Sequence[str]
    heads: Sequence[tuple[str, ...]]
    weights: Sequence[int]


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster to be described: its members, most central first, and its inner relations.

    ``relations`` are (name, name, number of common sentences), strongest first.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    heads: tuple[str, ...]
    relations: tuple[tuple[str, str, int], ...]


Describe = Callable[[Sequence[Group]], Sequence[Aggregate]]


@dataclass(frozen=True, slots=True)
class Level:
    """One level. ``parents[i]`` is the cluster of node i of the level below.

    ``relations`` (r, 4): clusters a < b, the number of relations between their members (the
    paper's lambda), and the sum of those relations' weights.
    """

    parents: Ints
    aggregates: tuple[Aggregate, ...]
    relations: Ints


def base_layer(names: Sequence[str], texts: Sequence[str], mentions: Sequence[int]) -> EntityLayer:
    """Return level 0: the entities themselves."""
    return EntityLayer(names, texts, [(name,) for name in names], mentions)


def build(
    layer: EntityLayer, vectors: Rows, edges: Ints, embed: Embed, describe: Describe
) -> list[Level]:
    """Return all levels above the base entities, lowest first; none for fewer than two entities.

    ``vectors`` (n, d) are the vectors of the descriptions. ``edges`` (m, 3) are nodes a < b and
    the number of sentences that mention both. ``embed`` returns vectors (n, d) for descriptions of
    aggregated entities.
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
    """Return the text that is embedded for an entity: its name, then its description."""
    return f"{name}: {text}" if text else name


def raise_level(
    layer: EntityLayer, parents: Ints, edges: Ints, describe: Describe
) -> tuple[Level, EntityLayer]:
    """Return the level that ``parents`` (n,) defines above a layer, and that level as a layer."""
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
    """Split edges (m, 3: a, b, weight) into those inside a cluster and sums between clusters.

    The sums are (r, 4): clusters a < b, the number of edges, the sum of their weights.
    """
    ends = np.sort(parents[edges[:, :2]], axis=1)
    same = ends[:, 0] == ends[:, 1]
    pairs, where, links = np.unique(ends[~same], axis=0, return_inverse=True, return_counts=True)
    weights = np.bincount(where.ravel(), edges[~same, 2], minlength=len(pairs))
    across = np.column_stack([pairs.reshape(-1, 2), links, weights.astype(np.int64)])
    return edges[same], across.astype(np.int64)


def make_groups(layer: EntityLayer, parents: Ints, inside: Ints) -> list[Group]:
    """Return the clusters of a layer. Members with most weight inside the cluster come first."""
    count = int(parents.max()) + 1 if len(parents) else 0
    ends = inside[:, :2].ravel()
    bound = np.bincount(ends, np.repeat(inside[:, 2], 2), minlength=len(parents))
    members: list[list[int]] = [[] for _ in range(count)]
    # By rising label, falling weight inside the cluster, falling mentions, rising number.
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
    """Return at most a dozen heads: the best head of every member, then the second, and so on."""
    rows = zip_longest(*heads)
    return tuple(dict.fromkeys(h for h in chain.from_iterable(rows) if h is not None))[:12]
