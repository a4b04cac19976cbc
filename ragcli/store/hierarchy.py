"""Rows of the hierarchy: who is in it, under which node, and how far it has drifted."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import orjson

from ragcli.store.meta import get_meta, set_meta
from ragcli.store.sweep import loosen

_META = "hierarchy"


@dataclass(frozen=True, slots=True)
class HierarchyState:
    """What a store remembers of its hierarchy.

    ``entities`` took part when it was clustered, by the run that made generation ``generation``
    (0: not clustered yet); ``distance`` was then the mean cosine distance of an entity to the
    centre of its cluster, and ``distance_now`` is that today. ``left`` have gone since, and
    ``changed`` times another description of one that stayed was made; ``asked``: a new clustering
    was asked for; ``unwanted``: it goes with the next generation. ``by``: who is to write names and
    descriptions of clusters ("auto", "extractive", "llm").
    """

    entities: int = 0
    generation: int = 0
    left: int = 0
    distance: float = 0.0
    distance_now: float = 0.0
    asked: bool = False
    unwanted: bool = False
    changed: int = 0
    by: str = "auto"


@dataclass(frozen=True, slots=True)
class HierarchyMember:
    """An entity in the hierarchy; ``parent`` None: not in a cluster yet."""

    entity: int
    parent: int | None
    chunk: int | None
    text: str
    late: bool
    vector: bytes


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """An aggregated entity as it is kept."""

    id: int
    level: int
    parent: int | None
    name: str
    text: str
    findings: tuple[str, ...]
    by: str


# Nodes a < b of a level: (a, b, level, links, weight).
RelationRow = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class ClusterWords:
    """What a language model, named by ``by``, wrote: node -> (name, description), and relations."""

    by: str
    nodes: dict[int, tuple[str, str]]
    relations: dict[tuple[int, int], str]


def state(db: sqlite3.Connection) -> HierarchyState | None:
    """The state of the hierarchy; None when the store is to have none."""
    kept = get_meta(db, _META)
    return HierarchyState(**orjson.loads(kept)) if kept else None


def keep_state(db: sqlite3.Connection, new: HierarchyState) -> None:
    set_meta(db, _META, orjson.dumps(asdict(new)).decode())


def ask_for(db: sqlite3.Connection, wanted: bool | None, by: str = "") -> None:
    """From the next commit point on the store has a freshly clustered hierarchy (True), or none.

    ``by``: who is to write its words from now on ("": as before); a store without a hierarchy is
    to have one then, unless ``wanted`` is False.
    """
    found = state(db)
    if wanted is False:
        if found is not None:
            keep_state(db, replace(found, unwanted=True))
        return
    if wanted or (by and found is None):
        found = replace(found or HierarchyState(), asked=True, unwanted=False)
    if by and found is not None:
        # Words that a model wrote are taken back by making all anew.
        back = by == "extractive" and bool(found.generation) and _written(db)
        found = replace(found, by=by, asked=found.asked or back)
    if found is not None:
        keep_state(db, found)


def _written(db: sqlite3.Connection) -> bool:
    """Whether a language model has written anything in the hierarchy."""
    row = db.execute(
        "SELECT EXISTS (SELECT 1 FROM hierarchy_nodes WHERE \"by\" <> 'extractive')"
        " OR EXISTS (SELECT 1 FROM hierarchy_relations WHERE text IS NOT NULL)"
    ).fetchone()
    return bool(row[0])


def is_built(db: sqlite3.Connection) -> bool:
    """Whether readers find a hierarchy."""
    found = state(db)
    return found is not None and found.generation > 0


def is_due(db: sqlite3.Connection) -> bool:
    """Whether a commit has work to do though no document changed."""
    found = state(db)
    if found is None:
        return False
    if found.unwanted or not found.generation:
        return True
    back = found.by == "extractive" and _written(db)
    return found.asked and (back or drift(db, found) > 0)


def drift(db: sqlite3.Connection, known: HierarchyState) -> float:
    """Entities that came late, left, or got another description since the last clustering, as a
    share of those there."""
    late = db.execute("SELECT coalesce(sum(late), 0) FROM hierarchy_members").fetchone()[0]
    return float((late + known.left + known.changed) / max(known.entities, 1))


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def members(db: sqlite3.Connection) -> dict[int, HierarchyMember]:
    """Entity row -> member."""
    rows = db.execute("SELECT entity, parent, chunk, text, late, vector FROM hierarchy_members")
    return {r[0]: HierarchyMember(r[0], r[1], r[2], r[3], bool(r[4]), r[5]) for r in rows}


def nodes(db: sqlite3.Connection) -> Iterator[ClusterNode]:
    """All aggregated entities, from the lowest level up."""
    for row in db.execute(
        'SELECT id, level, parent, name, text, findings, "by" FROM hierarchy_nodes'
        " ORDER BY level, id"
    ):
        id_, level, parent, name, text, findings, by = row
        yield ClusterNode(id_, level, parent, name, text, tuple(orjson.loads(findings)), by)


def drop_members(db: sqlite3.Connection, entities: Sequence[int]) -> None:
    """Take entities out; their vectors are left to the sweep."""
    for entity in entities:
        loosen(db, "SELECT vector FROM hierarchy_members WHERE entity = ?", (entity,))
        db.execute("DELETE FROM hierarchy_members WHERE entity = ?", (entity,))


def put_members(db: sqlite3.Connection, rows: Sequence[HierarchyMember]) -> None:
    """Write members in place of what was known of them; former vectors are left to the sweep."""
    for row in rows:
        loosen(
            db,
            "SELECT vector FROM hierarchy_members WHERE entity = ? AND vector <> ?",
            (row.entity, row.vector),
        )
    db.executemany(
        "INSERT OR REPLACE INTO hierarchy_members VALUES (?, ?, ?, ?, ?, ?)",
        [(r.entity, r.parent, r.chunk, r.text, int(r.late), r.vector) for r in rows],
    )


def put_above(
    db: sqlite3.Connection,
    rows: Sequence[ClusterNode],
    relations: Sequence[RelationRow],
    same: Collection[int],
) -> None:
    """Bring all levels above the entities in line, writing only what differs.

    ``same``: nodes whose words and members are as they were. What a model wrote of a relation
    between two of these stays while the relation does.
    """
    before = {node.id: node for node in nodes(db)}
    now = {node.id: node for node in rows}
    gone = [(id_,) for id_ in before if id_ not in now]
    db.executemany("DELETE FROM hierarchy_nodes WHERE id = ?", gone)
    db.executemany(
        "INSERT OR REPLACE INTO hierarchy_nodes VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (n.id, n.level, n.parent, n.name, n.text, orjson.dumps(n.findings).decode(), n.by)
            for n in rows
            if before.get(n.id) != n
        ],
    )
    columns = "a, b, level, links, weight, text"
    known = {row[:2]: row for row in db.execute(f"SELECT {columns} FROM hierarchy_relations")}
    fresh = {}
    for row in relations:
        a, b = row[:2]
        old = known.get((a, b))
        stays = old is not None and old[:5] == row and a in same and b in same
        fresh[a, b] = (*row, old[5] if old is not None and stays else None)
    db.executemany(
        "DELETE FROM hierarchy_relations WHERE a = ? AND b = ?",
        [k for k in known if k not in fresh],
    )
    db.executemany(
        "INSERT OR REPLACE INTO hierarchy_relations VALUES (?, ?, ?, ?, ?, ?)",
        [row for key, row in fresh.items() if known.get(key) != row],
    )


def put_words(db: sqlite3.Connection, words: ClusterWords) -> None:
    """Write names, descriptions and relations in the words of a language model."""
    db.executemany(
        'UPDATE hierarchy_nodes SET name = ?, text = ?, "by" = ? WHERE id = ?',
        [(name, text, words.by, row) for row, (name, text) in words.nodes.items()],
    )
    db.executemany(
        "UPDATE hierarchy_relations SET text = ? WHERE a = ? AND b = ?",
        [(text, a, b) for (a, b), text in words.relations.items()],
    )


def listing(db: sqlite3.Connection) -> dict[str, Any]:
    """What ``inspect hierarchy --json`` prints; {} when the store has no hierarchy.

    ``drift``: share of entities that came late or left since the clustering; ``nodes`` from the
    top level down, the members of level 1 by mentions.
    """
    known = state(db)
    if known is None or not known.generation:
        return {}
    late = db.execute("SELECT coalesce(sum(late), 0) FROM hierarchy_members").fetchone()[0]
    below: dict[int, list[str]] = {}
    for parent, name in db.execute(
        "SELECT m.parent, e.name FROM hierarchy_members m JOIN entities e ON e.id = m.entity"
        " WHERE m.parent IS NOT NULL ORDER BY m.parent, e.mentions DESC, e.key"
    ):
        below.setdefault(parent, []).append(name)
    found = list(nodes(db))
    relations = dict(
        db.execute("SELECT level, count(*) FROM hierarchy_relations GROUP BY level").fetchall()
    )
    counts = Counter(node.level for node in found)
    return {
        "entities": _count(db, "hierarchy_members"),
        "clustered_in_generation": known.generation,
        "late": late,
        "left": known.left,
        "changed": known.changed,
        "words": known.by,
        "drift": round(drift(db, known), 4),
        "distance": known.distance,
        "distance_now": known.distance_now,
        "levels": [
            {"level": level, "nodes": counts[level], "relations": relations.get(level, 0)}
            for level in sorted(counts)
        ],
        "nodes": [
            {**asdict(node), "members": below.get(node.id, []) if node.level == 1 else []}
            for node in sorted(found, key=lambda n: (-n.level, n.id))
        ],
    }


def clear(db: sqlite3.Connection) -> None:
    """Drop the whole hierarchy, and that there was to be one."""
    db.execute("DELETE FROM meta WHERE key = ?", (_META,))
    loosen(db, "SELECT vector FROM hierarchy_members")
    for table in ("hierarchy_members", "hierarchy_nodes", "hierarchy_relations"):
        db.execute(f"DELETE FROM {table}")
