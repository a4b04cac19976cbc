"""The links between two clusters of the hierarchy: the strongest relations of the level below."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from ragcli.store import relations

# Two rows of one level, and the number of sentences that mention both.
Link = tuple[int, int, int]


def strongest(db: sqlite3.Connection, level: int, a: int, b: int, k: int) -> list[Link]:
    """The k strongest relations between members of nodes a and b of ``level``, a's member first."""
    if level == 1:
        return _strongest_of_members(db, a, b, k)
    inside = "(SELECT id FROM hierarchy_nodes WHERE parent = ?)"
    return db.execute(
        f"SELECT a, b, weight FROM hierarchy_relations WHERE a IN {inside} AND b IN {inside}"
        " UNION ALL"
        f" SELECT b, a, weight FROM hierarchy_relations WHERE a IN {inside} AND b IN {inside}"
        " ORDER BY 3 DESC, 1, 2 LIMIT ?",
        (a, b, b, a, k),
    ).fetchall()


def _strongest_of_members(db: sqlite3.Connection, a: int, b: int, k: int) -> list[Link]:
    query = "SELECT entity FROM hierarchy_members WHERE parent = ?"
    here, there = (
        np.array(db.execute(query, (node,)).fetchall(), dtype=np.int64).reshape(-1)
        for node in (a, b)
    )
    found = relations.among(db, np.union1d(here, there))
    links: list[Link] = []
    for ends in (found.ends, found.ends[::-1]):
        across = np.isin(ends[0], here) & np.isin(ends[1], there)
        rows = (x[across].tolist() for x in (*ends, found.counts))
        links += zip(*rows, strict=True)
    return sorted(links, key=lambda link: (-link[2], link[:2]))[:k]


def described(
    db: sqlite3.Connection, level: int, rows: Sequence[int]
) -> dict[int, tuple[str, str]]:
    """Row -> (name, description) of nodes of one level, in the order given."""
    marks = ",".join("?" * len(rows))
    query = (
        f"SELECT id, name, text FROM hierarchy_nodes WHERE id IN ({marks})"
        if level
        else "SELECT e.id, e.name, m.text FROM hierarchy_members m JOIN entities e"
        f" ON e.id = m.entity WHERE e.id IN ({marks})"
    )
    found = {row: (name, text) for row, name, text in db.execute(query, rows)}
    return {row: found[row] for row in rows}


def named(db: sqlite3.Connection, level: int, links: Iterable[Link]) -> list[tuple[str, str, int]]:
    """Links between nodes of ``level`` by their names."""
    links = list(links)
    names = described(db, level, list(dict.fromkeys(row for link in links for row in link[:2])))
    return [(names[a][0], names[b][0], weight) for a, b, weight in links]
