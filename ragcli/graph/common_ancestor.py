"""Finds paths to the lowest common ancestor in a forest (LeanRAG, section 3.2, equation 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def chain(parents: Mapping[Node, Node], node: Node) -> list[Node]:
    """Return a node, its parent, and so on up to the root, which has no entry in ``parents``."""
    found = [node]
    while found[-1] in parents:
        found.append(parents[found[-1]])
    return found


def lca_paths(parents: Mapping[Node, Node], seeds: Iterable[Node]) -> list[Node]:
    """Return the nodes on the paths from each seed up to the lowest common ancestor of all seeds.

    If the seeds are in several trees, the paths end at the roots, as if the roots had a common
    parent. Order: the path of the first seed, then the nodes that each further seed adds.

    >>> lca_paths({"a": "x", "b": "x", "c": "y", "x": "r", "y": "r", "r": "top"}, ["a", "b"])
    ['a', 'x', 'b']
    >>> lca_paths({"a": "x", "b": "x", "c": "y", "x": "r", "y": "r", "r": "top"}, ["a", "c"])
    ['a', 'x', 'r', 'c', 'y']
    """
    chains = [chain(parents, seed) for seed in dict.fromkeys(seeds)]
    above = Counter(node for nodes in chains for node in nodes)
    found: dict[Node, None] = {}
    for nodes in chains:
        for node in nodes:
            found[node] = None
            # The first node that is above every seed is their lowest common ancestor.
            if above[node] == len(chains):
                break
    return list(found)
