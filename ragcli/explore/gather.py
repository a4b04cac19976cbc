"""Reads what the page and GraphML show: entities, aggregated entities, relations and chunks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ragcli.search.communities import communities
from ragcli.store.snapshot import Snapshot
from ragcli.types.document_ids import folder_of

# Limits: the most mentioned entities, their strongest relations, and characters of chunk text.
MAX_ENTITIES = 5000
MAX_RELATIONS = 20_000
MAX_TEXT = 4_000_000
CHUNKS_EACH = 3


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A passage of an answer: ``text`` in parts, each with the number of the citation that quotes
    it, 0 for none. ``place`` and ``heading`` are for people."""

    place: str
    text: tuple[tuple[str, int], ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer came about: the entity rows at which retrieval started, all (level, row) on its
    path, and the passages. ``short`` is the short answer, "" for none."""

    question: str
    answer: str
    seeds: tuple[int, ...]
    path: tuple[tuple[int, int], ...]
    short: str = ""
    passages: tuple[MarkedPassage, ...] = ()


@dataclass(slots=True)
class Picture:
    """Nested nodes, edges between nodes of one level, and texts.

    The "community" of an entity counts from 0, the largest; its "folder" has the chunk that says it
    most. A node's ``key`` is (level, row); edges are (node, node, sentences); ``chunks`` are
    (document, first line, text), and a node's "chunks" are indices into them.
    """

    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[tuple[int, int, int]] = field(default_factory=list)
    chunks: list[tuple[str, int, str]] = field(default_factory=list)
    entities: int = 0
    trace: Trace | None = None


def gather(snapshot: Snapshot, trace: Trace | None = None) -> Picture:
    """The whole picture; it includes every entity in ``trace``, even rarely mentioned ones."""
    picture = Picture(trace=trace)
    at: dict[tuple[int, int], int] = {}
    if snapshot.hierarchy.is_built():
        for node in sorted(snapshot.hierarchy.nodes(), key=lambda n: (-n.level, n.id)):
            parent = -1 if node.parent is None else at[node.level + 1, node.parent]
            at[node.level, node.id] = len(picture.nodes)
            picture.nodes.append(
                {
                    "name": node.name,
                    "level": node.level,
                    "parent": parent,
                    "text": node.text,
                    "findings": list(node.findings),
                    "row": node.id,
                }
            )
    wanted = [row for level, row in (trace.path if trace else ()) if level == 0]
    wanted += list(trace.seeds) if trace else []
    _entities(snapshot, picture, at, wanted)
    _relations(snapshot, picture, at)
    _communities(picture)
    _chunks(snapshot, picture, at)
    return picture


def _entities(
    snapshot: Snapshot,
    picture: Picture,
    at: dict[tuple[int, int], int],
    wanted: Sequence[int],
) -> None:
    picture.entities = snapshot.entities.name_count()
    for row, name, label, mentions, parent, text in snapshot.entities.in_place(
        wanted, MAX_ENTITIES
    ):
        at[0, row] = len(picture.nodes)
        picture.nodes.append(
            {
                "name": name,
                "level": 0,
                "parent": -1 if parent is None else at[1, parent],
                "text": text,
                "label": label,
                "mentions": mentions,
                "row": row,
            }
        )


def _relations(snapshot: Snapshot, picture: Picture, at: dict[tuple[int, int], int]) -> None:
    left = MAX_RELATIONS
    for a, b, count in snapshot.entities.relations():
        if (0, a) in at and (0, b) in at:
            picture.edges.append((at[0, a], at[0, b], count))
            left -= 1
        if not left:
            break
    if snapshot.hierarchy.is_built():
        for level, a, b, weight in snapshot.hierarchy.relations(MAX_RELATIONS):
            picture.edges.append((at[level, a], at[level, b], weight))


def _communities(picture: Picture) -> None:
    """Number the groups of entities that share sentences; those without a relation have none."""
    edges = [edge for edge in picture.edges if not picture.nodes[edge[0]]["level"]]
    if not edges:
        return
    array = np.array(edges, dtype=np.int64)
    weights = np.maximum(array[:, 2], 1)
    for number, found in enumerate(communities(len(picture.nodes), array[:, :2], weights)):
        for at in found.nodes.tolist():
            picture.nodes[at]["community"] = number


def _chunks(snapshot: Snapshot, picture: Picture, at: dict[tuple[int, int], int]) -> None:
    """The chunks that mention each entity most often, up to the limit of text."""
    found: dict[int, list[int]] = defaultdict(list)
    for entity, chunk in snapshot.chunks.by_entity():
        if (0, entity) in at and len(found[entity]) < CHUNKS_EACH:
            found[entity].append(chunk)
    numbers: dict[int, int] = {}
    room = MAX_TEXT
    for place in range(CHUNKS_EACH):
        for node in picture.nodes:
            rows = [] if node["level"] else found.get(node["row"], [])
            if place >= len(rows):
                continue
            if rows[place] not in numbers:
                said = snapshot.chunks.get(rows[place])
                if len(said.text) > room:
                    continue
                room -= len(said.text)
                numbers[rows[place]] = len(picture.chunks)
                picture.chunks.append((said.doc, said.line_start, said.text))
            node.setdefault("chunks", []).append(numbers[rows[place]])
            node.setdefault("folder", folder_of(picture.chunks[numbers[rows[place]]][0]))
