"""Paths in a forest to the lowest common ancestor (LeanRAG, section 3.2, equation 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def chain(parents: Mapping[Node, Node], node: Node) -> list[Node]:
    """A node, its parent, and so on to the root of its tree; roots have no entry in ``parents``."""
    found = [node]
    while found[-1] in parents:
        found.append(parents[found[-1]])
    return found


def lca_paths(parents: Mapping[Node, Node], seeds: Iterable[Node]) -> list[Node]:
    """All nodes on the shortest paths between seeds: from each up to their lowest common ancestor.

    Of seeds in several trees the paths go up to the roots, as if one node stood above them all.
    Order: the first seed and what lies above it, then what each next seed adds.

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
            # The first node that stands above every seed is where all of them meet.
            if above[node] == len(chains):
                break
    return list(found)
