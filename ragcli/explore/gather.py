"""What the page and GraphML show, read from the store: entities, aggregates, relations, chunks."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ragcli.store import hierarchy
from ragcli.store.read import chunk_by_row

# Entities mentioned most, the strongest relations among them, and text of the chunks behind them.
MAX_ENTITIES = 5000
MAX_RELATIONS = 20_000
MAX_TEXT = 4_000_000
CHUNKS_EACH = 3


@dataclass(frozen=True, slots=True)
class Trace:
    """How a question was answered: the entity rows it began at, all (level, row) on the way."""

    question: str
    answer: str
    seeds: tuple[int, ...]
    path: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Picture:
    """Nodes with places in each other, edges between nodes of one level, and texts.

    A node's ``key`` is (level, row); edges are (node, node, sentences); ``chunks`` are
    (document, first line, text), and a node's "chunks" are numbers of them.
    """

    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[tuple[int, int, int]] = field(default_factory=list)
    chunks: list[tuple[str, int, str]] = field(default_factory=list)
    entities: int = 0
    trace: Trace | None = None


def gather(db: sqlite3.Connection, trace: Trace | None = None) -> Picture:
    """The whole picture; what ``trace`` names is in it however rarely it is mentioned."""
    picture = Picture(trace=trace)
    at: dict[tuple[int, int], int] = {}
    if hierarchy.is_built(db):
        for node in sorted(hierarchy.nodes(db), key=lambda n: (-n.level, n.id)):
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
    _entities(db, picture, at, wanted)
    _relations(db, picture, at)
    _chunks(db, picture, at)
    return picture


def _entities(
    db: sqlite3.Connection,
    picture: Picture,
    at: dict[tuple[int, int], int],
    wanted: Sequence[int],
) -> None:
    marks = ",".join("?" * len(wanted))
    names = "e.kind = 'name' AND e.mentions > 1"
    rows = db.execute(
        "SELECT e.id, e.name, e.label, e.mentions, m.parent, coalesce(m.text, '') FROM entities e"
        f" LEFT JOIN hierarchy_members m ON m.entity = e.id WHERE ({names}) OR e.id IN ({marks})"
        f" ORDER BY e.id IN ({marks}) DESC, e.mentions DESC, e.key LIMIT ?",
        (*wanted, *wanted, MAX_ENTITIES),
    ).fetchall()
    picture.entities = db.execute("SELECT count(*) FROM entities WHERE kind = 'name'").fetchone()[0]
    for row, name, label, mentions, parent, text in rows:
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


def _relations(db: sqlite3.Connection, picture: Picture, at: dict[tuple[int, int], int]) -> None:
    left = MAX_RELATIONS
    for a, b, count in db.execute(
        "SELECT a, b, count FROM relations ORDER BY count DESC, weight DESC, a, b"
    ):
        if (0, a) in at and (0, b) in at:
            picture.edges.append((at[0, a], at[0, b], count))
            left -= 1
        if not left:
            break
    if hierarchy.is_built(db):
        for level, a, b, weight in db.execute(
            "SELECT level, a, b, weight FROM hierarchy_relations"
            " ORDER BY weight DESC, a, b LIMIT ?",
            (MAX_RELATIONS,),
        ):
            picture.edges.append((at[level, a], at[level, b], weight))


def _chunks(db: sqlite3.Connection, picture: Picture, at: dict[tuple[int, int], int]) -> None:
    """Each entity's chunks that say it most, while there is room for their text."""
    found: dict[int, list[int]] = defaultdict(list)
    for entity, chunk in db.execute(
        "SELECT entity, chunk FROM chunk_entities ORDER BY entity, count DESC, chunk"
    ):
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
                chunk = chunk_by_row(db, rows[place])
                if len(chunk.text) > room:
                    continue
                room -= len(chunk.text)
                numbers[rows[place]] = len(picture.chunks)
                picture.chunks.append((chunk.doc, chunk.line_start, chunk.text))
            node.setdefault("chunks", []).append(numbers[rows[place]])
