"""Chooses relations for a listing, as a table that SQL can join."""

from __future__ import annotations

import sqlite3

import numpy as np
import orjson

from ragcli.store import relations
from ragcli.store.relations import Int, Relations

PAIRS = (
    "SELECT json_extract(value, '$[0]') AS a, json_extract(value, '$[1]') AS b,"
    " json_extract(value, '$[2]') AS weight, json_extract(value, '$[3]') AS count"
    " FROM json_each(:pairs)"
)
"""The pairs that ``strongest`` wrote, as a table."""


def keys(db: sqlite3.Connection, query: str) -> Int:
    """The result of a query for one number, (n,)."""
    return np.array(db.execute(query).fetchall(), dtype=np.int64).reshape(-1)


def of_names(db: sqlite3.Connection) -> Relations:
    """The relations of two names, and all described ones."""
    names = keys(db, "SELECT id FROM entities WHERE kind = 'name'")
    described = keys(db, "SELECT a << 32 | b FROM relation_profiles")
    parts = []
    for block in relations.listed(db):
        a, b = block.ends
        here = np.isin(a, names) & np.isin(b, names) | np.isin(block.keys, described)
        parts.append(block.only(here))
    return relations.joined(parts)


def strongest(known: Relations, limit: int, described: Int | None = None) -> str:
    """As JSON: (a, b, weight, count) of all that can be among the first ``limit`` (-1: all).

    These are the ``described`` keys, and of the others the heaviest, with all of equal weight.
    """
    if 0 < limit < len(known.keys):
        least = np.partition(known.weights, len(known.keys) - limit)[-limit]
        chosen = known.weights >= least
        known = known.only(chosen if described is None else chosen | np.isin(known.keys, described))
    rows = (x.tolist() for x in (*known.ends, known.weights, known.counts))
    return orjson.dumps(list(zip(*rows, strict=True))).decode()
