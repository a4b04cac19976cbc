"""Adaptive retrieval after E2GraphRAG: local where the question's entities are close in the graph,
global over the summary tree where they are not.

Local: every pair of question entities at most ``h`` hops apart gives the chunks that hold both;
``h`` is lowered until at most ``k`` chunks are left. Global: the nearest nodes of the collapsed
tree, ranked again by how often the question's entities occur below them.
"""

from __future__ import annotations

import orjson

from ragcli.retrieve.base import Found
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space

MAX_HOPS = 4
# The paper's k: chunks that local retrieval may keep, whatever number of hits is asked for.
MAX_CHUNKS = 25

Pair = tuple[int, int]


def e2(space: Space, question: Question, k: int) -> list[Found]:
    """Chunks by local retrieval, or passages by global retrieval, best first."""
    return local(space, question, k) or collapsed_tree(space, question, k)


def local(space: Space, question: Question, k: int) -> list[Found]:
    """Chunks shared by close pairs of entities; empty when there is no such pair."""
    entities = question.entities
    chunks = {e: space.chunks_with(e) for e in entities}
    evidence = _filter(_pair_hops(space, entities), chunks)
    ranked = sorted(
        ((_scores(space, chunk, entities, chunks), chunk) for chunk in evidence),
        key=lambda item: (-item[0][0], -item[0][1], item[1]),
    )
    return [
        Found(chunk, None, coverage, _pair_names(space, evidence[chunk]))
        for (coverage, _), chunk in ranked[: min(k, MAX_CHUNKS)]
    ]


def _pair_hops(space: Space, entities: list[int]) -> dict[Pair, int]:
    """Hops between every two entities at most MAX_HOPS apart."""
    hops: dict[Pair, int] = {}
    for i, e in enumerate(entities[:-1]):
        found = space.graph.hops(e, set(entities[i + 1 :]), MAX_HOPS)
        hops |= {(e, o): found[o] for o in entities[i + 1 :] if o in found}
    return hops


def _filter(hops: dict[Pair, int], chunks: dict[int, dict[int, int]]) -> dict[int, list[Pair]]:
    """Chunk -> pairs it holds, for the largest h that leaves at most MAX_CHUNKS chunks.

    When the next lower h would leave none, the step before is kept, however many it holds.
    """
    kept: dict[int, list[Pair]] = {}
    for h in range(MAX_HOPS, 0, -1):
        evidence: dict[int, list[Pair]] = {}
        for (a, b), distance in hops.items():
            if distance <= h:
                for chunk in chunks[a].keys() & chunks[b].keys():
                    evidence.setdefault(chunk, []).append((a, b))
        if not evidence:
            break
        kept = evidence
        if len(evidence) <= MAX_CHUNKS:
            break
    return kept


def _scores(
    space: Space, chunk: int, entities: list[int], chunks: dict[int, dict[int, int]]
) -> tuple[float, float]:
    """(coverage, occurrence): matched entities per entity, matched mentions per word."""
    matched = [chunks[e][chunk] for e in entities if chunk in chunks[e]]
    total = space.db.execute(
        "SELECT count(*) FROM chunk_entities WHERE chunk = ?", (chunk,)
    ).fetchone()[0]
    text = space.db.execute("SELECT text FROM chunks WHERE id = ?", (chunk,)).fetchone()[0]
    return len(matched) / max(total, 1), sum(matched) / max(len(text.split()), 1)


def _pair_names(space: Space, pairs: list[Pair]) -> str:
    """The pairs in words: "Ann - Bob; Ann - Rome"."""
    rows = sorted({e for pair in pairs for e in pair})
    marks = ",".join("?" * len(rows))
    names = dict(space.db.execute(f"SELECT id, name FROM entities WHERE id IN ({marks})", rows))
    return "; ".join(f"{names[a]} - {names[b]}" for a, b in dict.fromkeys(pairs))


def collapsed_tree(space: Space, question: Question, k: int) -> list[Found]:
    """Dense search over passages and summaries together; a summary leads to its best passages."""
    weighed = []
    for score, kind, row in nearest(space, question, k):
        chunks = leaves(space, row) if kind == "summary" else [_chunk_of(space, row)]
        weighed.append((_occurrences(space, chunks, question.entities), score, row, kind, chunks))
    weighed.sort(key=lambda x: (-x[0], -x[1], x[3], x[2]))
    found: dict[int, Found] = {}
    for _, score, row, kind, chunks in weighed:
        for passage in best_of(space, question, chunks) if kind == "summary" else [row]:
            note = f"{kind} of the tree, similarity {score:.2f}"
            found.setdefault(passage, Found(None, passage, score, note))
    return list(found.values())[:k]


def nearest(space: Space, question: Question, k: int) -> list[tuple[float, str, int]]:
    """The k nearest nodes of the collapsed tree as (similarity, kind, row), best first.

    A kind is "passage" or "summary".
    """
    passages = [(s, "passage", row) for row, s in space.passages.search(question.vector, k)]
    nodes = [(s, "summary", row) for row, s in space.nodes.search(question.vector, k)]
    return sorted(passages + nodes, key=lambda x: (-x[0], x[1], x[2]))[:k]


def _chunk_of(space: Space, passage: int) -> int:
    row = space.db.execute("SELECT chunk FROM passages WHERE id = ?", (passage,)).fetchone()
    return int(row[0])


def _occurrences(space: Space, chunks: list[int], entities: list[int]) -> int:
    """Mentions of the entities in the chunks."""
    if not entities or not chunks:
        return 0
    total = 0
    for at in range(0, len(chunks), 400):
        part = chunks[at : at + 400]
        total += space.db.execute(
            "SELECT coalesce(sum(count), 0) FROM chunk_entities"
            f" WHERE chunk IN ({','.join('?' * len(part))})"
            f" AND entity IN ({','.join('?' * len(entities))})",
            (*part, *entities),
        ).fetchone()[0]
    return int(total)


# A summary high up stands for thousands of chunks; its nearest ones among these are enough.
_MAX_LEAVES = 200
_BEST_PER_SUMMARY = 2


def leaves(space: Space, node_row: int, limit: int = _MAX_LEAVES) -> list[int]:
    """Rows of the chunks below a node of the tree, at most ``limit``, in order."""
    docrow, children = space.db.execute(
        "SELECT docrow, children FROM nodes WHERE rowid = ?", (node_row,)
    ).fetchone()
    names = orjson.loads(children)
    found: list[int] = []
    for name in names:
        below = space.db.execute(
            "SELECT rowid FROM nodes WHERE id = ? AND (docrow IS ? OR ? IS NULL)",
            (name, docrow, docrow),
        ).fetchone()
        if below:
            found += leaves(space, below[0], limit - len(found))
        else:
            ordinal = int(name.rpartition("@")[2])
            found += [
                row
                for (row,) in space.db.execute(
                    "SELECT id FROM chunks WHERE doc = ? AND ordinal = ?", (docrow, ordinal)
                )
            ]
        if len(found) >= limit:
            break
    return found[:limit]


def best_of(space: Space, question: Question, chunks: list[int]) -> list[int]:
    """The passages nearest to the question among some chunks."""
    scored: list[tuple[float, int]] = []
    for chunk in chunks:
        rows, vectors = space.passage_vectors(chunk)
        similar = (vectors @ question.vector).tolist()
        scored += [(-s, row) for s, row in zip(similar, rows, strict=True)]
    return [row for _, row in sorted(scored)[:_BEST_PER_SUMMARY]]
