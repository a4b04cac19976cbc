"""Retrieval over the hierarchy, after LeanRAG (section 3.2): from entities near the question up to
where they meet, and the chunks that hold most of them.

Seeds are the entities whose descriptions are nearest to the question, those it names first. The
paths from the seeds to their lowest common ancestor give the facts: what is known of the entities
on them, and the relations between those of one level. The text comes from the chunks that hold
most seeds: their passages nearest to the question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ragcli.errors import StoreError
from ragcli.graph.aggregate_text import TAU, relation_text
from ragcli.graph.ancestor import lca_paths
from ragcli.retrieve.base import Found
from ragcli.retrieve.context import Fact
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space
from ragcli.store.hierarchy import is_built

# Base entities that the paths start from, and chunks that give the text (the paper's n and C).
SEEDS = 10
CHUNKS = 5
# Passages of a chunk that are sent.
PASSAGES = 3
# Entities named in the question that may be seeds; the others are the nearest.
NAMED = 5

# (level, row): an entity of the store at level 0, an aggregated entity above.
Node = tuple[int, int]


def lean(space: Space, question: Question, k: int) -> list[Found]:
    """Passages of the CHUNKS chunks that hold most seeds, those nearest to the question first.

    Whole chunks would send more tokens and hold fewer answers (docs/adr/hierarchy.md).
    """
    held: dict[int, list[int]] = defaultdict(list)
    for seed in seeds_of(space, question):
        for chunk in space.chunks_with(seed):
            held[chunk].append(seed)
    counts = sorted(map(len, held.values()), reverse=True)
    least = counts[min(CHUNKS, len(counts)) - 1] if counts else 0
    near = {
        chunk: _nearest(space, question, chunk)
        for chunk, seeds in held.items()
        if len(seeds) >= least
    }
    best = sorted(near, key=lambda chunk: (-len(held[chunk]), -near[chunk][0][0], chunk))[:CHUNKS]
    finds = [
        Found(None, row, score, _note(space, held[chunk]))
        for chunk in best
        for score, row in near[chunk]
    ]
    return sorted(finds, key=lambda found: (-found.score, found.passage))[:k]


def seeds_of(space: Space, question: Question) -> list[int]:
    """Entity rows: those the question names, then those nearest by description; SEEDS in all.

    Raises StoreError when the store has no hierarchy.
    """
    if not is_built(space.db):
        raise StoreError(
            "the store has no hierarchy, which lean goes by",
            "make one with: ragcli update --hierarchy",
        )
    named = [
        row
        for match in question.matches
        if match.named
        for row in match.rows
        if _is_member(space, row)
    ]
    nearest = [row for row, _ in space.members.search(question.vector, SEEDS)]
    return list(dict.fromkeys([*named[:NAMED], *nearest]))[:SEEDS]


def _is_member(space: Space, entity: int) -> bool:
    row = space.db.execute("SELECT 1 FROM hierarchy_members WHERE entity = ?", (entity,))
    return row.fetchone() is not None


def _nearest(space: Space, question: Question, chunk: int) -> list[tuple[float, int]]:
    """(cosine, row) of a chunk's PASSAGES passages nearest to the question, best first."""
    rows, vectors = space.passage_vectors(chunk)
    scores = (vectors @ question.vector).tolist()
    return sorted(zip(scores, rows, strict=True), key=lambda x: (-x[0], x[1]))[:PASSAGES]


def _note(space: Space, seeds: Sequence[int]) -> str:
    return "tells of " + ", ".join(space.names_of(seeds))


def lean_facts(space: Space, question: Question) -> list[Fact]:
    """Entities on the paths from the seeds to where they meet, level by level, and the relations
    between those of each level."""
    by_level: dict[int, list[int]] = defaultdict(list)
    for level, row in paths(space, seeds_of(space, question)):
        by_level[level].append(row)
    facts: list[Fact] = []
    for level in sorted(by_level):
        rows = by_level[level]
        names = described(space, level, rows)
        facts += [Fact("entity", level, name, text) for name, text in names.values()]
        facts += [
            Fact("relation", level, f"{names[a][0]} – {names[b][0]}", text)
            for a, b, text in _relations(space, level, rows)
        ]
    return facts


def paths(space: Space, seeds: Iterable[int]) -> list[Node]:
    """The nodes on the shortest paths from the seeds to their lowest common ancestor."""
    starts = [(0, seed) for seed in seeds]
    parents: dict[Node, Node] = {}
    for start in starts:
        node = start
        while node not in parents:
            above = _parent(space, node)
            if above is None:
                break
            parents[node] = (node[0] + 1, above)
            node = parents[node]
    return lca_paths(parents, starts)


def _parent(space: Space, node: Node) -> int | None:
    level, row = node
    table, key = ("hierarchy_nodes", "id") if level else ("hierarchy_members", "entity")
    found = space.db.execute(f"SELECT parent FROM {table} WHERE {key} = ?", (row,)).fetchone()
    return None if found is None else found[0]


def described(space: Space, level: int, rows: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Row -> (name, description) of nodes of one level, in the order given."""
    marks = ",".join("?" * len(rows))
    query = (
        f"SELECT id, name, text FROM hierarchy_nodes WHERE id IN ({marks})"
        if level
        else "SELECT e.id, e.name, m.text FROM hierarchy_members m JOIN entities e"
        f" ON e.id = m.entity WHERE e.id IN ({marks})"
    )
    found = {row: (name, text) for row, name, text in space.db.execute(query, rows)}
    return {row: found[row] for row in rows}


def _relations(space: Space, level: int, rows: Sequence[int]) -> list[tuple[int, int, str]]:
    """(a, b, in words) of the relations between nodes of one level, strongest first."""
    marks = ",".join("?" * len(rows))
    table, columns = ("hierarchy_relations", "links, weight, text")
    if not level:
        table, columns = "relations", "1, count, NULL"
    found = space.db.execute(
        f"SELECT a, b, {columns} FROM {table} WHERE a IN ({marks}) AND b IN ({marks})"
        " ORDER BY 4 DESC, a, b",
        (*rows, *rows),
    ).fetchall()
    out = []
    for a, b, links, weight, text in found:
        if not level:
            text = "in one sentence" if weight == 1 else f"in {weight:,} sentences"
        elif text is None:
            text = relation_text(_strongest(space, level, a, b), links)
        out.append((a, b, text))
    return out


def _strongest(space: Space, level: int, a: int, b: int) -> list[tuple[str, str, int]]:
    """The strongest relations of the level below that an aggregated one stands for, by names."""
    below, key, table, weight = (
        ("hierarchy_members", "entity", "relations", "count")
        if level == 1
        else ("hierarchy_nodes", "id", "hierarchy_relations", "weight")
    )
    inside = f"(SELECT {key} FROM {below} WHERE parent = ?)"
    rows = space.db.execute(
        f"SELECT a, b, {weight} FROM {table} WHERE a IN {inside} AND b IN {inside}"
        f" UNION ALL SELECT b, a, {weight} FROM {table} WHERE a IN {inside} AND b IN {inside}"
        f" ORDER BY 3 DESC, 1, 2 LIMIT {TAU}",
        (a, b, b, a),
    ).fetchall()
    names = described(space, level - 1, list(dict.fromkeys(n for row in rows for n in row[:2])))
    return [(names[x][0], names[y][0], count) for x, y, count in rows]
