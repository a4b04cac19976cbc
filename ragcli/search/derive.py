"""Fills a generation's folder from the store: vector indexes, their row ids, the entity graph."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

from ragcli.search.graph import write_graph
from ragcli.search.passage_graph import write_passage_graph
from ragcli.search.vectors import write_index

# name of the index -> rows of the current generation with their vectors, by row
_LIVE = "JOIN documents d ON d.id = x.doc AND d.born <= :g AND (d.died IS NULL OR d.died > :g)"
QUERIES = {
    "passages": f"SELECT x.id, v.vector FROM passages x {_LIVE}"
    " JOIN vectors v ON v.hash = x.vector ORDER BY x.id",
    "nodes": "SELECT x.rowid, v.vector FROM nodes x LEFT JOIN documents d ON d.id = x.docrow"
    " JOIN vectors v ON v.hash = x.vector"
    " WHERE d.id IS NULL OR (d.born <= :g AND (d.died IS NULL OR d.died > :g)) ORDER BY x.rowid",
    "names": "SELECT x.id, v.vector FROM entities x"
    " JOIN vectors v ON v.hash = x.vector ORDER BY x.id",
    "entity_profiles": "SELECT x.entity, v.vector FROM entity_profiles x"
    " JOIN vectors v ON v.hash = x.vector ORDER BY x.entity",
    "relation_profiles": "SELECT x.id, v.vector FROM relation_profiles x"
    " JOIN vectors v ON v.hash = x.vector ORDER BY x.id",
    "themes": "SELECT x.id, v.vector FROM themes x"
    " JOIN vectors v ON v.hash = x.vector ORDER BY x.id",
}


def fill(path: Path, db: sqlite3.Connection, generation: int) -> None:
    """Write every derived file of one generation into the folder ``path``."""
    for name, query in QUERIES.items():
        ids: list[int] = []
        blobs: list[bytes] = []
        for row, vector in db.execute(query, {"g": generation}):
            ids.append(row)
            blobs.append(vector)
        width = len(blobs[0]) // 2 if blobs else 1
        vectors = np.frombuffer(b"".join(blobs), dtype=np.float16).reshape(len(ids), width)
        np.save(path / f"{name}_ids.npy", np.array(ids, dtype=np.int64))
        write_index(path / f"{name}.faiss", vectors)
    write_graph(path, db)
    passages, entities = (np.load(path / f"{name}_ids.npy") for name in ("passages", "graph"))
    write_passage_graph(path, db, passages, entities)
