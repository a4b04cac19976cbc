"""Levels made from clusters: names, descriptions, relations, and when it ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragcli.graph.cluster_text import aggregate_name, cluster_texts, relation_text
from ragcli.graph.hierarchy_levels import TOP, base_layer, build, lift, raise_level


def test_one_level_by_hand() -> None:
    """Two clusters of three: the best bound come first; relations across are counted and summed."""
    names = ["Ann", "Bob", "Cid", "Rome", "Oslo", "Paris"]
    texts = [f"{name} is known for many things in this story." for name in names]
    layer = base_layer(names, texts, [5, 9, 1, 4, 4, 4])
    edges = np.array([[0, 1, 2], [0, 2, 7], [0, 3, 1], [1, 3, 1], [2, 5, 3], [3, 4, 1]])
    level, above = raise_level(layer, np.array([0, 0, 0, 1, 1, 1]), edges, cluster_texts)
    people, places = level.aggregates
    assert people.name == "Ann, Cid and Bob"  # bound by 9, 7 and 2 inside
    assert places.name == "Rome, Oslo and Paris"  # 1, 1 and 0; then by number
    assert people.findings[0] == "Ann – Cid: together in 7 sentences"
    assert "Ann is known" in people.text
    assert level.relations.tolist() == [[0, 1, 3, 5]]
    assert list(above.weights) == [15, 12]


@given(st.integers(1, 40), st.integers(0, 60), st.integers(0, 5))
def test_every_edge_is_inside_or_across_once(n: int, m: int, seed: int) -> None:
    """Nothing is lost and nothing counted twice, against a loop over the edges."""
    rng = np.random.default_rng(seed)
    edges = np.column_stack([rng.integers(0, n, (m, 2)), rng.integers(1, 9, m)])
    parents = rng.integers(0, 4, n)
    inside, across = lift(edges, parents)
    wanted: dict[tuple[int, int], list[int]] = {}
    for a, b, weight in edges.tolist():
        x, y = sorted((int(parents[a]), int(parents[b])))
        if x != y:
            pair = wanted.setdefault((x, y), [0, 0])
            pair[0] += 1
            pair[1] += weight
    assert {(a, b): [c, w] for a, b, c, w in across.tolist()} == wanted
    assert len(inside) + across[:, 2].sum() == m


def test_levels_end_at_few_clusters_and_names_are_new() -> None:
    """600 entities around 30 themes: every level shrinks, no aggregate is called as a member is."""
    rng = np.random.default_rng(1)
    centres = rng.standard_normal((30, 32))
    vectors = (np.repeat(centres, 20, axis=0) + 0.3 * rng.standard_normal((600, 32))).astype(
        np.float32
    )
    names = [f"Entity {i}" for i in range(600)]
    texts = [f"{name} stands in the middle of tale {i % 30}." for i, name in enumerate(names)]
    pairs = np.unique(np.sort(rng.integers(0, 600, (3000, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    edges = np.column_stack([pairs, np.ones(len(pairs), dtype=np.int64)])

    def embed(said: Sequence[str]) -> NDArray[np.float32]:
        return rng.standard_normal((len(said), 32)).astype(np.float32)

    levels = build(base_layer(names, texts, [1] * 600), vectors, edges, embed, cluster_texts)
    assert len(levels[-1].aggregates) <= TOP
    below = names
    for level in levels:
        assert len(level.aggregates) < len(below) == len(level.parents)
        found = [a.name for a in level.aggregates]
        assert len(set(found)) == len(found)
        assert not {n.casefold() for n in found} & {n.casefold() for n in below}
        below = found


def test_few_entities() -> None:
    """None, or one, make no level; two make one cluster."""
    for n, wanted in ((0, 0), (1, 0), (2, 1)):
        layer = base_layer(["A", "B"][:n], ["", ""][:n], [1, 1][:n])
        rows = np.eye(2, dtype=np.float32)[:n]
        edges = np.empty((0, 3), dtype=np.int64)
        made = build(layer, rows, edges, lambda t: np.ones((len(t), 2), np.float32), cluster_texts)
        assert len(made) == wanted


def test_a_member_that_is_called_like_its_cluster() -> None:
    """ "Sodom and Gomorrah" beside Sodom and Gomorrah: the cluster is called otherwise."""
    heads = ["Sodom", "Gomorrah"]
    assert aggregate_name(heads, {"sodom and gomorrah"}) == "Sodom and Gomorrah (2)"
    assert aggregate_name([*heads, "Lot", "Zoar"], {"sodom, gomorrah and lot"}) == (
        "Sodom, Gomorrah, Lot and Zoar"
    )


def test_relations_in_words() -> None:
    """Up to three are listed, more are summed up."""
    pairs = [("A", "X", 4), ("B", "Y", 2), ("C", "Z", 1)]
    assert relation_text(pairs, 3) == "A – X (4), B – Y (2), C – Z (1)"
    assert relation_text(pairs, 12).startswith("12 relations, among them A – X (4)")
