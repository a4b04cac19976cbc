"""The links between two clusters of the hierarchy: the strongest relations of the level below."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

# Two rows of one level, and the number of sentences that mention both.
Link = tuple[int, int, int]


def strongest(db: sqlite3.Connection, level: int, a: int, b: int, k: int) -> list[Link]:
    """The k strongest relations between members of nodes a and b of ``level``, a's member first."""
    below, key, table, weight = (
        ("hierarchy_members", "entity", "relations", "count")
        if level == 1
        else ("hierarchy_nodes", "id", "hierarchy_relations", "weight")
    )
    inside = f"(SELECT {key} FROM {below} WHERE parent = ?)"
    return db.execute(
        f"SELECT a, b, {weight} FROM {table} WHERE a IN {inside} AND b IN {inside}"
        f" UNION ALL SELECT b, a, {weight} FROM {table} WHERE a IN {inside} AND b IN {inside}"
        " ORDER BY 3 DESC, 1, 2 LIMIT ?",
        (a, b, b, a, k),
    ).fetchall()


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
