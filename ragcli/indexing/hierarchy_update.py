"""The hierarchy at the commit point: describe -> cluster or assign -> aggregate -> write.

An update puts a new entity into the nearest cluster and writes anew what that touches; when too
many have come or gone since the last clustering, everything is clustered again. What that promises
is in docs/adr/hierarchy.md.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragcli.extract.codec import unpack
from ragcli.graph.cluster_text import describer
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
from ragcli.models.model_set import ModelSet
from ragcli.search.vector_cache import keep_vectors
from ragcli.store import hierarchy as kept
from ragcli.store import read
from ragcli.store.content_keys import text_hash
from ragcli.store.hierarchy import ClusterNode, HierarchyMember, HierarchyState
from ragcli.store.meta import generation
from ragcli.store.writer import StoreWriter
from ragcli.text.sentences import sentences
from ragcli.types import Event, Report

Ints = NDArray[np.int64]
Rows = NDArray[np.float32]

# Share of entities that may come or go before everything is clustered again.
MAX_DRIFT = 0.1
# Names said less often take no part: most are misread, and none has a description of its own.
MIN_MENTIONS = 2

# Entity, key, name, the chunk that says it most often, and a description if a model wrote one. One
# sort for each entity: a window over all of them would be written to a file of a megabyte and more.
_WANTED = """
SELECT e.id, e.key, e.name, c.id, c.doc, p.text FROM entities e
JOIN chunks c ON c.id =
    (SELECT x.chunk FROM chunk_entities x JOIN chunks y ON y.id = x.chunk
     JOIN documents d ON d.id = y.doc WHERE x.entity = e.id
     ORDER BY x.count DESC, d.doc, y.ordinal LIMIT 1)
LEFT JOIN entity_profiles p ON p.entity = e.id
WHERE e.kind = 'name' AND e.mentions >= ? ORDER BY e.key
"""


@dataclass(frozen=True, slots=True)
class _Base:
    """The entities that take part, by key: n of each, ``vectors`` (n, d), ``edges`` (m, 3)."""

    layer: EntityLayer
    members: list[HierarchyMember]
    vectors: Rows
    edges: Ints


def bring_in_line(db: sqlite3.Connection, tools: ModelSet, report: Report) -> None:
    """Make the hierarchy fit the entities as they are now, inside the caller's transaction."""
    known = kept.state(db)
    if known is None:
        return
    if known.unwanted:
        kept.clear(db)
        return
    report(Event("hierarchy", 0, 3, "descriptions"))
    before = kept.members(db)
    now = _members(db, tools, before)
    gone = sorted(before.keys() - {m.entity for m in now})
    kept.drop_members(db, gone)
    kept.put_members(db, [m for m in now if before.get(m.entity) != m])
    changed = sum(m.entity in before and before[m.entity].vector != m.vector for m in now)
    known = replace(known, left=known.left + len(gone), changed=known.changed + changed)
    base = _base(db)
    report(Event("hierarchy", 1, 3, f"{len(now):,} entities"))
    moved = sum(m.parent is None or m.late for m in now) + known.left + known.changed
    if not known.generation or known.asked or moved > MAX_DRIFT * known.entities:
        known = _cluster(db, tools, base, known)
    else:
        touched = {before[entity].parent for entity in gone}
        touched |= {m.parent for m in now if before.get(m.entity) != m}
        known = _assign(db, base, known, touched)
    kept.keep_state(db, known)
    report(Event("hierarchy", 3, 3))


def _members(
    db: sqlite3.Connection, tools: ModelSet, before: dict[int, HierarchyMember]
) -> list[HierarchyMember]:
    """Every entity that takes part, with its description; those new have no parent yet."""
    rows = db.execute(_WANTED, (MIN_MENTIONS,)).fetchall()
    texts: dict[int, str] = {}
    unread: dict[int, dict[str, int]] = defaultdict(dict)
    for entity, key, _, chunk, doc, profile in rows:
        old = before.get(entity)
        if profile is not None:
            texts[entity] = profile
        elif old is not None and old.chunk == chunk:
            texts[entity] = old.text
        else:
            unread[doc][key] = entity
    for doc, keys in unread.items():
        found = _described(db, doc, keys)
        texts |= {entity: found.get(key, "") for key, entity in keys.items()}
    hashes = _vectors(db, tools, before, [(r[0], embedded(r[2], texts[r[0]])) for r in rows])
    made = []
    for (entity, _, _, chunk, _, profile), vector in zip(rows, hashes, strict=True):
        old = before.get(entity)
        parent, late = (old.parent, old.late) if old else (None, False)
        source = None if profile is not None else chunk
        made.append(HierarchyMember(entity, parent, source, texts[entity], late, vector))
    return made


def _vectors(
    db: sqlite3.Connection,
    tools: ModelSet,
    before: dict[int, HierarchyMember],
    wanted: Sequence[tuple[int, str]],
) -> list[bytes]:
    """The hash of each entity's vector, made where it is not the one from before."""
    hashes = [text_hash(tools.embedder_print, text) for _, text in wanted]
    fresh = [
        text
        for (entity, text), key in zip(wanted, hashes, strict=True)
        if entity not in before or before[entity].vector != key
    ]
    keep_vectors(StoreWriter(db), tools, fresh)
    return hashes


def _described(db: sqlite3.Connection, docrow: int, keys: dict[str, int]) -> dict[str, str]:
    """What one document says of some entities."""
    rows = read.chunks_of(db, docrow)
    parts = [c.text[c.owned - c.start :] for _, c, _ in rows]
    extractions = [
        unpack(read.blob(db, "extractions", key), part)
        for (_, _, key), part in zip(rows, parts, strict=True)
    ]
    mentions = mentions_in([c for _, c, _ in rows], extractions)
    return describe(parts, mentions, keys, sentences)


def _base(db: sqlite3.Connection) -> _Base:
    """The entities that take part and the relations between them, as arrays."""
    rows = db.execute(
        "SELECT m.entity, m.parent, m.chunk, m.text, m.late, m.vector, e.name, e.mentions, v.vector"
        " FROM hierarchy_members m JOIN entities e ON e.id = m.entity"
        " JOIN vectors v ON v.hash = m.vector ORDER BY e.key"
    ).fetchall()
    members = [HierarchyMember(r[0], r[1], r[2], r[3], bool(r[4]), r[5]) for r in rows]
    vectors = [np.frombuffer(r[8], dtype=np.float16) for r in rows]
    at = {m.entity: i for i, m in enumerate(members)}
    edges = [
        (*sorted((at[a], at[b])), count)
        for a, b, count in db.execute(
            "SELECT r.a, r.b, r.count FROM relations r JOIN hierarchy_members x ON x.entity = r.a"
            " JOIN hierarchy_members y ON y.entity = r.b"
        )
    ]
    return _Base(
        base_layer([r[6] for r in rows], [m.text for m in members], [r[7] for r in rows]),
        members,
        np.array(vectors, dtype=np.float32).reshape(len(rows), -1),
        np.array(sorted(edges), dtype=np.int64).reshape(-1, 3),
    )


def _cluster(
    db: sqlite3.Connection, tools: ModelSet, base: _Base, known: HierarchyState
) -> HierarchyState:
    """Make all levels anew."""

    def embed(texts: Sequence[str]) -> Rows:
        return tools.embed(texts).astype(np.float32)

    levels = build(base.layer, base.vectors, base.edges, embed, describer(sentences))
    first, ids = 1, []
    for level in levels:
        ids.append(list(range(first, first + len(level.aggregates))))
        first += len(level.aggregates)
    _write(db, levels, ids, base, [replace(m, late=False) for m in base.members])
    distance = _distance(base.vectors, levels[0].parents) if levels else 0.0
    return HierarchyState(len(base.members), generation(db) + 1, 0, distance, distance, by=known.by)


def _assign(
    db: sqlite3.Connection, base: _Base, known: HierarchyState, touched: set[int | None]
) -> HierarchyState:
    """Put entities without a cluster into the nearest; describe anew what changed, and above."""
    nodes = {node.id: node for node in kept.nodes(db)}
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
    _write(db, levels, rows, base, members, same)
    return replace(known, distance_now=_distance(base.vectors, levels[0].parents))


def _partly(nodes: Sequence[ClusterNode], stale: set[int]) -> Describe:
    """Describes only the clusters whose nodes are stale; the others keep their words."""

    def describe_stale(groups: Sequence[Group]) -> list[Aggregate]:
        todo = [g for g, node in zip(groups, nodes, strict=True) if node.id in stale]
        made = iter(describer(sentences)(todo))
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


def _write(
    db: sqlite3.Connection,
    levels: Sequence[Level],
    ids: Sequence[Sequence[int]],
    base: _Base,
    members: Sequence[HierarchyMember],
    same: Collection[int] = (),
) -> None:
    """Write what differs: ``ids[l][i]`` is the row of node i of level l + 1.

    ``members`` are those of ``base`` with their new state; ``same`` as for ``kept.put_above``.
    """
    rows: list[ClusterNode] = []
    relations: list[kept.RelationRow] = []
    for at, level in enumerate(levels):
        above = levels[at + 1].parents.tolist() if at + 1 < len(levels) else None
        for i, a in enumerate(level.aggregates):
            parent = None if above is None else ids[at + 1][above[i]]
            rows.append(ClusterNode(ids[at][i], at + 1, parent, a.name, a.text, a.findings, a.by))
        relations += [
            (ids[at][a], ids[at][b], at + 1, links, weight)
            for a, b, links, weight in level.relations.tolist()
        ]
    kept.put_above(db, rows, relations, same)
    labels = levels[0].parents.tolist() if levels else []
    parents = [ids[0][label] for label in labels] if levels else [None] * len(members)
    placed = [replace(m, parent=parent) for m, parent in zip(members, parents, strict=True)]
    before = base.members
    kept.put_members(db, [m for m, old in zip(placed, before, strict=True) if m != old])
