"""The hierarchy at the commit point: describe -> cluster or assign -> aggregate -> write.

An update assigns a new entity to the nearest cluster and rewrites only what that affects. When too
many entities have come or gone since the last clustering, everything is clustered again. See
docs/adr/hierarchy.md for what is guaranteed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import StoreDamaged
from ragcli.graph.cluster_text import cluster_texts
from ragcli.graph.contribution import mentions_in
from ragcli.graph.entity_description import describe
from ragcli.graph.hierarchy_levels import (
    Aggregate,
    Describe,
    EntityLayer,
    Group,
    Level,
    base_layer,
    build,
    embedded,
    raise_level,
)
from ragcli.indexing.contributions import mentions_of
from ragcli.models.model_set import ModelSet
from ragcli.search.kept_vectors import KeptVectors
from ragcli.search.vector_cache import keep_vectors
from ragcli.store.content_keys import text_hash
from ragcli.store.documents import StoredDocument
from ragcli.store.hierarchy import (
    ClusterNode,
    ClusterRelation,
    HierarchyMember,
    HierarchyState,
    HierarchyWriter,
)
from ragcli.store.writer import StoreWriter
from ragcli.text.words import counted
from ragcli.types import Event, Report

Ints = NDArray[np.int64]
Rows = NDArray[np.float32]

# Share of entities that may come or go before everything is clustered again.
MAX_DRIFT = 0.1
# Rarer names are left out: most are extraction errors, and none has a description of its own.
MIN_MENTIONS = 2


@dataclass(frozen=True, slots=True)
class _Base:
    """The entities that take part, by key: n of each, ``vectors`` (n, d), ``edges`` (m, 3)."""

    layer: EntityLayer
    members: list[HierarchyMember]
    vectors: Rows
    edges: Ints


@dataclass(frozen=True, slots=True)
class _Placed:
    """The hierarchy as it is to be: ``ids[l][i]`` is the row of node i of level l + 1, ``members``
    are those of the base with their new state, ``same`` as for ``HierarchyWriter.put_clusters``."""

    levels: Sequence[Level]
    ids: Sequence[Sequence[int]]
    members: Sequence[HierarchyMember]
    same: Collection[int] = ()


def bring_in_line(
    store: StoreWriter, models: ModelSet, vectors: KeptVectors, report: Report
) -> None:
    """Update the hierarchy to the current entities, inside the caller's transaction."""
    kept = store.hierarchy
    known = kept.state()
    if known is None:
        return
    if known.unwanted:
        kept.clear()
        return
    report(Event("hierarchy", 0, 3, "descriptions"))
    before = kept.members()
    now = _members(store, models, before)
    gone = sorted(before.keys() - {m.entity for m in now})
    kept.drop_members(gone)
    kept.put_members([m for m in now if before.get(m.entity) != m])
    changed = sum(m.entity in before and before[m.entity].vector != m.vector for m in now)
    known = replace(known, left=known.left + len(gone), changed=known.changed + changed)
    base = _base(kept, vectors)
    report(Event("hierarchy", 1, 3, counted(len(now), "entity")))
    moved = sum(m.parent is None or m.late for m in now) + known.left + known.changed
    if not known.generation or known.asked or moved > MAX_DRIFT * known.entities:
        known = _cluster(store, models, base, known)
    else:
        touched = {before[entity].parent for entity in gone}
        touched |= {m.parent for m in now if before.get(m.entity) != m}
        known = _assign(kept, base, known, touched)
    kept.keep_state(known)
    report(Event("hierarchy", 3, 3))


def _members(
    store: StoreWriter, models: ModelSet, before: dict[int, HierarchyMember]
) -> list[HierarchyMember]:
    """Every member with its description; new ones have no parent yet."""
    candidates = store.hierarchy.candidates(MIN_MENTIONS)
    texts: dict[int, str] = {}
    unread: dict[int, dict[str, int]] = defaultdict(dict)
    for c in candidates:
        old = before.get(c.entity)
        if c.profile is not None:
            texts[c.entity] = c.profile
        elif old is not None and old.chunk == c.chunk:
            texts[c.entity] = old.text
        else:
            unread[c.docrow][c.key] = c.entity
    for docrow, keys in unread.items():
        found = _described(store.documents.stored(docrow), keys)
        texts |= {entity: found.get(key, "") for key, entity in keys.items()}
    wanted = [(c.entity, embedded(c.name, texts[c.entity])) for c in candidates]
    hashes = _vectors(store, models, before, wanted)
    made = []
    for c, vector in zip(candidates, hashes, strict=True):
        old = before.get(c.entity)
        parent, late = (old.parent, old.late) if old else (None, False)
        source = None if c.profile is not None else c.chunk
        made.append(HierarchyMember(c.entity, parent, source, texts[c.entity], late, vector))
    return made


def _vectors(
    store: StoreWriter,
    models: ModelSet,
    before: dict[int, HierarchyMember],
    wanted: Sequence[tuple[int, str]],
) -> list[bytes]:
    """The hash of each entity's vector; vectors that are new are embedded."""
    hashes = [text_hash(models.embedder_print, text) for _, text in wanted]
    fresh = [
        text
        for (entity, text), key in zip(wanted, hashes, strict=True)
        if entity not in before or before[entity].vector != key
    ]
    keep_vectors(store, models, fresh)
    return hashes


def _described(document: StoredDocument, keys: dict[str, int]) -> dict[str, str]:
    """What one document says of some entities."""
    parts = [c.chunk.text[c.chunk.owned - c.chunk.start :] for c in document.chunks]
    extractions = [mentions_of(c) for c in document.chunks]
    mentions = mentions_in([c.chunk for c in document.chunks], extractions)
    return describe(parts, mentions, keys)


def _base(kept: HierarchyWriter, known: KeptVectors) -> _Base:
    """The entities that take part and the relations between them, as arrays.

    Raises StoreDamaged if a vector is missing.
    """
    placed = kept.placed_members()
    members = [member for member, _, _ in placed]
    blobs = known.of(m.vector for m in members)
    if missing := sum(m.vector not in blobs for m in members):
        raise StoreDamaged(
            f"{missing} vectors of the hierarchy are missing", "run: ragcli inspect check"
        )
    vectors = [np.frombuffer(blobs[m.vector], dtype=np.float16) for m in members]
    at = {m.entity: i for i, m in enumerate(members)}
    edges = [(*sorted((at[a], at[b])), count) for a, b, count in kept.links_of_members()]
    return _Base(
        base_layer(
            [name for _, name, _ in placed], [m.text for m in members], [n for _, _, n in placed]
        ),
        members,
        np.array(vectors, dtype=np.float32).reshape(len(placed), len(vectors[0]) if vectors else 0),
        np.array(sorted(edges), dtype=np.int64).reshape(-1, 3),
    )


def _cluster(
    store: StoreWriter, models: ModelSet, base: _Base, known: HierarchyState
) -> HierarchyState:
    """Build all levels again."""

    def embed(texts: Sequence[str]) -> Rows:
        return models.embed(texts).astype(np.float32)

    levels = build(base.layer, base.vectors, base.edges, embed, cluster_texts)
    first, ids = 1, []
    for level in levels:
        ids.append(list(range(first, first + len(level.aggregates))))
        first += len(level.aggregates)
    members = [replace(m, late=False) for m in base.members]
    _write(store.hierarchy, _Placed(levels, ids, members), base)
    distance = _distance(base.vectors, levels[0].parents) if levels else 0.0
    return HierarchyState(len(members), store.generation + 1, 0, distance, distance, by=known.by)


def _assign(
    kept: HierarchyWriter, base: _Base, known: HierarchyState, touched: set[int | None]
) -> HierarchyState:
    """Assign entities without a cluster to the nearest one; describe changed clusters again, and
    those above them."""
    nodes = kept.nodes()
    new = [i for i, m in enumerate(base.members) if m.parent is None]
    if not nodes:
        return replace(known, left=0)
    parents = np.array([m.parent or 0 for m in base.members], dtype=np.int64)
    parents[new] = _nearest(base.vectors, parents, new)
    members = [
        replace(m, parent=int(parents[i]), late=m.late or m.parent is None)
        for i, m in enumerate(base.members)
    ]
    stale = {node for node in touched if node is not None} | set(parents[new].tolist())
    levels: list[Level] = []
    rows: list[list[int]] = []
    same: set[int] = set()
    layer, edges = base.layer, base.edges
    while len(parents):
        ids, labels = np.unique(parents, return_inverse=True)
        above = [nodes[i] for i in ids.tolist()]
        level, layer = raise_level(layer, labels.ravel(), edges, _partly(above, stale))
        levels.append(level)
        rows.append(ids.tolist())
        same.update(n.id for n in above if n.id not in stale)
        edges = level.relations[:, [0, 1, 3]]
        stale = {n.parent for n in above if n.id in stale and n.parent is not None}
        parents = np.array([n.parent for n in above if n.parent is not None], dtype=np.int64)
    _write(kept, _Placed(levels, rows, members, same), base)
    return replace(known, distance_now=_distance(base.vectors, levels[0].parents))


def _partly(nodes: Sequence[ClusterNode], stale: set[int]) -> Describe:
    """Describe only clusters whose nodes are stale; the others keep their texts."""

    def describe_stale(groups: Sequence[Group]) -> list[Aggregate]:
        todo = [g for g, node in zip(groups, nodes, strict=True) if node.id in stale]
        made = iter(cluster_texts(todo))
        return [
            next(made) if n.id in stale else Aggregate(n.name, n.text, n.findings, n.by)
            for n in nodes
        ]

    return describe_stale


def _nearest(vectors: Rows, parents: Ints, new: Sequence[int]) -> Ints:
    """The cluster whose centre is nearest to each new row; ``parents`` is 0 for these."""
    old = parents > 0
    ids, labels = np.unique(parents[old], return_inverse=True)
    return np.asarray(ids[np.argmax(vectors[new] @ _centres(vectors[old], labels).T, axis=1)])


def _centres(vectors: Rows, labels: Ints) -> Rows:
    """The mean direction (m, d) of each cluster."""
    sums = np.zeros((int(labels.max()) + 1, vectors.shape[1]), dtype=np.float32)
    np.add.at(sums, labels, vectors)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9))


def _distance(vectors: Rows, labels: Ints) -> float:
    """The mean cosine distance of a row to the centre of its cluster."""
    near = np.einsum("ij,ij->i", vectors, _centres(vectors, labels)[labels])
    return round(float(1 - near.mean()), 4)


def _write(kept: HierarchyWriter, placed: _Placed, base: _Base) -> None:
    """Write only rows that differ from the stored ones."""
    levels, ids = placed.levels, placed.ids
    rows: list[ClusterNode] = []
    relations: list[ClusterRelation] = []
    for at, level in enumerate(levels):
        above = levels[at + 1].parents.tolist() if at + 1 < len(levels) else None
        for i, a in enumerate(level.aggregates):
            parent = None if above is None else ids[at + 1][above[i]]
            rows.append(ClusterNode(ids[at][i], at + 1, parent, a.name, a.text, a.findings, a.by))
        relations += [
            ClusterRelation(ids[at][a], ids[at][b], at + 1, links, weight)
            for a, b, links, weight in level.relations.tolist()
        ]
    kept.put_clusters(rows, relations, placed.same)
    labels = levels[0].parents.tolist() if levels else []
    parents = [ids[0][label] for label in labels] if levels else [None] * len(placed.members)
    now = [replace(m, parent=parent) for m, parent in zip(placed.members, parents, strict=True)]
    kept.put_members([m for m, old in zip(now, base.members, strict=True) if m != old])
