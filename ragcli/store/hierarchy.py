"""The hierarchy over the entities: its members, clusters and relations, and its drift."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import orjson

from ragcli.store import relations
from ragcli.store.cluster_links import Link, named, strongest
from ragcli.store.meta import get_meta, set_meta
from ragcli.store.queries import Queries

_META = "hierarchy"


@dataclass(frozen=True, slots=True)
class HierarchyState:
    """The state of a hierarchy.

    ``generation`` is the generation of the last clustering (0: none yet), ``entities`` the number
    of its members, and ``distance`` the mean cosine distance of a member to the centre of its
    cluster then; ``distance_now`` is that distance today. Since then ``left`` members were removed,
    and descriptions of members changed ``changed`` times. ``asked``: a new clustering is requested;
    ``unwanted``: the next commit removes the hierarchy. ``by``: who writes names and descriptions
    of clusters ("auto", "extractive", "llm").
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


@dataclass(frozen=True, slots=True)
class ClusterRelation:
    """A relation of two nodes a < b of one level: the number of relations of the level below that
    it aggregates, and of their sentences; ``text`` if a language model wrote one."""

    a: int
    b: int
    level: int
    links: int
    weight: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ClusterText:
    """The name and the description of a cluster."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class ClusterWords:
    """Texts of the language model ``by``: for nodes, and for relations by their ends."""

    by: str
    nodes: dict[int, ClusterText]
    relations: dict[tuple[int, int], str]


@dataclass(frozen=True, slots=True)
class HierarchyCandidate:
    """An entity for the hierarchy: the chunk that mentions it most often, the document row of that
    chunk, and the entity's profile if it has one."""

    entity: int
    key: str
    name: str
    chunk: int
    docrow: int
    profile: str | None


def state(db: sqlite3.Connection) -> HierarchyState | None:
    """The state of the hierarchy; None if none is wanted."""
    kept = get_meta(db, _META)
    return HierarchyState(**orjson.loads(kept)) if kept else None


def _written(db: sqlite3.Connection) -> bool:
    """Whether a language model has written anything in the hierarchy."""
    row = db.execute(
        "SELECT EXISTS (SELECT 1 FROM hierarchy_nodes WHERE \"by\" <> 'extractive')"
        " OR EXISTS (SELECT 1 FROM hierarchy_relations WHERE text IS NOT NULL)"
    ).fetchone()
    return bool(row[0])


def is_built(db: sqlite3.Connection) -> bool:
    """Whether the store has a hierarchy for readers."""
    found = state(db)
    return found is not None and found.generation > 0


def drift(db: sqlite3.Connection, known: HierarchyState) -> float:
    """The number of members added, removed or changed since the last clustering, relative to the
    number of members then."""
    late = db.execute("SELECT coalesce(sum(late), 0) FROM hierarchy_members").fetchone()[0]
    return float((late + known.left + known.changed) / max(known.entities, 1))


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def nodes(db: sqlite3.Connection) -> Iterator[ClusterNode]:
    """All aggregated entities, from the lowest level up."""
    for row in db.execute(
        'SELECT id, level, parent, name, text, findings, "by" FROM hierarchy_nodes'
        " ORDER BY level, id"
    ):
        id_, level, parent, name, text, findings, by = row
        yield ClusterNode(id_, level, parent, name, text, tuple(orjson.loads(findings)), by)


def listing(db: sqlite3.Connection) -> dict[str, Any]:
    """The object that ``inspect hierarchy --json`` prints; {} if the store has no hierarchy.

    ``drift``: share of entities added or removed since the clustering; ``nodes`` from the top
    level down, the members of level 1 by mentions.
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


# One sort for each entity: a window over all of them would spill to a temporary file.
_CANDIDATES = """
SELECT e.id, e.key, e.name, c.id, c.doc, p.text FROM entities e
JOIN chunks c ON c.id =
    (SELECT x.chunk FROM chunk_entities x JOIN chunks y ON y.id = x.chunk
     JOIN documents d ON d.id = y.doc WHERE x.entity = e.id
     ORDER BY x.count DESC, d.doc, y.ordinal LIMIT 1)
LEFT JOIN entity_profiles p ON p.entity = e.id
WHERE e.kind = 'name' AND e.mentions >= ? ORDER BY e.key
"""
_MEMBER = "m.entity, m.parent, m.chunk, m.text, m.late, m.vector"


def _member(row: Sequence[Any]) -> HierarchyMember:
    entity, parent, chunk, text, late, vector = row
    return HierarchyMember(entity, parent, chunk, text, bool(late), vector)


class HierarchyWriter(Queries):
    """The hierarchy as a commit changes it, inside the caller's transaction."""

    def state(self) -> HierarchyState | None:
        """The state of the hierarchy; None if none is wanted."""
        return state(self._db)

    def keep_state(self, new: HierarchyState) -> None:
        set_meta(self._db, _META, orjson.dumps(asdict(new)).decode())

    def ask_for(self, wanted: bool | None, by: str = "") -> None:
        """Request a new clustering at the next commit point (True), or the removal (False).

        ``by``: what writes its names and descriptions from now on ("": unchanged); this also
        requests a hierarchy if the store has none, unless ``wanted`` is False.
        """
        found = self.state()
        if wanted is False:
            if found is not None:
                self.keep_state(replace(found, unwanted=True))
            return
        if wanted or (by and found is None):
            found = replace(found or HierarchyState(), asked=True, unwanted=False)
        if by and found is not None:
            # Removing the texts of a model requires a new clustering.
            back = by == "extractive" and bool(found.generation) and _written(self._db)
            found = replace(found, by=by, asked=found.asked or back)
        if found is not None:
            self.keep_state(found)

    def is_due(self) -> bool:
        """Whether a commit is needed although no document changed."""
        found = self.state()
        if found is None:
            return False
        if found.unwanted or not found.generation:
            return True
        back = found.by == "extractive" and _written(self._db)
        return found.asked and (back or drift(self._db, found) > 0)

    def clear(self) -> None:
        """Delete the hierarchy and its state."""
        self._db.execute("DELETE FROM meta WHERE key = ?", (_META,))
        for table in ("hierarchy_members", "hierarchy_nodes", "hierarchy_relations"):
            self._db.execute(f"DELETE FROM {table}")

    def candidates(self, least_mentions: int) -> list[HierarchyCandidate]:
        """Named entities that are mentioned at least so often, by key."""
        return self._records(HierarchyCandidate, _CANDIDATES, (least_mentions,))

    def members(self) -> dict[int, HierarchyMember]:
        """Entity row -> member."""
        rows = self._db.execute(f"SELECT {_MEMBER} FROM hierarchy_members m")
        return {row[0]: _member(row) for row in rows}

    def placed_members(self) -> list[tuple[HierarchyMember, str, int]]:
        """(member, name, number of mentions) of the entities in the hierarchy, by their keys."""
        rows = self._db.execute(
            f"SELECT e.name, e.mentions, {_MEMBER}"
            " FROM hierarchy_members m JOIN entities e ON e.id = m.entity ORDER BY e.key"
        )
        return [(_member(row), name, mentions) for name, mentions, *row in rows]

    def links_of_members(self) -> list[Link]:
        """The relations between members."""
        members = np.array(self._column("SELECT entity FROM hierarchy_members"), dtype=np.int64)
        links: list[Link] = []
        for block in relations.listed(self._db):
            a, b = block.ends
            inside = block.only(np.isin(a, members) & np.isin(b, members))
            rows = (x.tolist() for x in (*inside.ends, inside.counts))
            links += zip(*rows, strict=True)
        return links

    def drop_members(self, entities: Sequence[int]) -> None:
        """Remove entities."""
        self._db.executemany(
            "DELETE FROM hierarchy_members WHERE entity = ?", [(entity,) for entity in entities]
        )

    def put_members(self, rows: Sequence[HierarchyMember]) -> None:
        """Replace members."""
        self._db.executemany(
            "INSERT OR REPLACE INTO hierarchy_members VALUES (?, ?, ?, ?, ?, ?)",
            [(r.entity, r.parent, r.chunk, r.text, int(r.late), r.vector) for r in rows],
        )

    def nodes(self) -> dict[int, ClusterNode]:
        """All clusters by row, from the lowest level up."""
        return {node.id: node for node in nodes(self._db)}

    def put_clusters(
        self,
        rows: Sequence[ClusterNode],
        relations: Sequence[ClusterRelation],
        same: Collection[int],
    ) -> None:
        """Update all levels above the entities, writing only rows that differ.

        ``same``: nodes whose texts and members did not change. A model's text on a relation
        between two of these is kept as long as the relation exists.
        """
        before = self.nodes()
        now = {node.id for node in rows}
        gone = [(id_,) for id_ in before if id_ not in now]
        self._db.executemany("DELETE FROM hierarchy_nodes WHERE id = ?", gone)
        self._db.executemany(
            "INSERT OR REPLACE INTO hierarchy_nodes VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (n.id, n.level, n.parent, n.name, n.text, orjson.dumps(n.findings).decode(), n.by)
                for n in rows
                if before.get(n.id) != n
            ],
        )
        self._put_relations(relations, same)

    def _put_relations(self, relations: Sequence[ClusterRelation], same: Collection[int]) -> None:
        query = "SELECT a, b, level, links, weight, text FROM hierarchy_relations"
        known = {row[:2]: ClusterRelation(*row) for row in self._db.execute(query)}
        fresh = {}
        for new in relations:
            old = known.get((new.a, new.b))
            kept = old is not None and new.a in same and new.b in same
            stays = old is not None and kept and replace(old, text=None) == new
            fresh[new.a, new.b] = old if old is not None and stays else new
        self._db.executemany(
            "DELETE FROM hierarchy_relations WHERE a = ? AND b = ?",
            [ends for ends in known if ends not in fresh],
        )
        self._db.executemany(
            "INSERT OR REPLACE INTO hierarchy_relations VALUES (?, ?, ?, ?, ?, ?)",
            [
                (r.a, r.b, r.level, r.links, r.weight, r.text)
                for ends, r in fresh.items()
                if known.get(ends) != r
            ],
        )

    def put_words(self, words: ClusterWords) -> None:
        """Write names, descriptions and relation texts of a language model."""
        self._db.executemany(
            'UPDATE hierarchy_nodes SET name = ?, text = ?, "by" = ? WHERE id = ?',
            [(w.name, w.description, words.by, row) for row, w in words.nodes.items()],
        )
        self._db.executemany(
            "UPDATE hierarchy_relations SET text = ? WHERE a = ? AND b = ?",
            [(text, a, b) for (a, b), text in words.relations.items()],
        )

    def relations_of_many(self, level: int, links: int) -> list[ClusterRelation]:
        """Relations of a level that aggregate more than ``links``, strongest first."""
        return self._records(
            ClusterRelation,
            "SELECT a, b, level, links, weight, text FROM hierarchy_relations"
            " WHERE level = ? AND links > ? ORDER BY links DESC, weight DESC, a, b",
            (level, links),
        )

    def text_of_relation(self, a: int, b: int) -> str | None:
        """The language model's text on the relation of two clusters a < b, if there is one."""
        row = self._db.execute(
            "SELECT text FROM hierarchy_relations WHERE a = ? AND b = ?", (a, b)
        ).fetchone()
        return None if row[0] is None else str(row[0])

    def texts_of_members(self, node: int) -> list[tuple[str, str]]:
        """(name, description) of the entities in a cluster of the lowest level, by name."""
        return self._all(
            "SELECT e.name, m.text FROM hierarchy_members m JOIN entities e ON e.id = m.entity"
            " WHERE m.parent = ? ORDER BY e.name, e.key",
            (node,),
        )

    def profiles_inside(self, node: int, k: int) -> list[str]:
        """The k strongest profiles of pairs inside a cluster of the lowest level."""
        return self._column(
            "SELECT p.text FROM relation_profiles p JOIN hierarchy_members a ON a.entity = p.a"
            " JOIN hierarchy_members b ON b.entity = p.b WHERE a.parent = :n AND b.parent = :n"
            " AND p.text <> '' ORDER BY p.strength DESC, p.text LIMIT :k",
            {"n": node, "k": k},
        )

    def strongest_links(self, level: int, a: int, b: int, k: int) -> list[Link]:
        """See ``cluster_links.strongest``."""
        return strongest(self._db, level, a, b, k)

    def names_of_links(self, level: int, links: Sequence[Link]) -> list[tuple[str, str, int]]:
        """See ``cluster_links.named``."""
        return named(self._db, level, links)
