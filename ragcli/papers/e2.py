"""Adaptive retrieval after E2GraphRAG: local if the question's entities are close in the graph,
otherwise global over the summary tree.

Local: every pair of question entities at most ``h`` hops apart selects the chunks that contain
both; ``h`` decreases until at most ``k`` chunks are left. Global: the nearest nodes of the
collapsed tree, reranked by how often the question's entities occur below them.
"""

from __future__ import annotations

from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex

MAX_HOPS = 4
# The paper's k: maximum chunks of local retrieval, independent of the number of hits requested.
MAX_CHUNKS = 25

Pair = tuple[int, int]


def e2(index: SearchIndex, question: Question, k: int, _helpers: Helpers) -> Ranking:
    """Chunks by local retrieval, or passages by global retrieval, best first."""
    ranking = local(index, question, k)
    return ranking if ranking.finds else Ranking(collapsed_tree(index, question, k))


def local(index: SearchIndex, question: Question, k: int) -> Ranking:
    """Chunks shared by close pairs of entities; empty if there is no such pair."""
    entities = question.entities
    chunks = {e: index.chunks_mentioning(e) for e in entities}
    evidence = _filter(_pair_hops(index, entities), chunks)
    ranked = sorted(
        ((_scores(index, chunk, entities, chunks), chunk) for chunk in evidence),
        key=lambda item: (-item[0][0], -item[0][1], item[1]),
    )
    best = ranked[: min(k, MAX_CHUNKS)]
    seeds = tuple(dict.fromkeys(e for _, chunk in best for pair in evidence[chunk] for e in pair))
    return Ranking(
        [
            Found(chunk, None, coverage, _pair_names(index, evidence[chunk]))
            for (coverage, _), chunk in best
        ],
        seeds=seeds,
        path=tuple((0, row) for row in seeds),
    )


def _pair_hops(index: SearchIndex, entities: list[int]) -> dict[Pair, int]:
    """Hops between all pairs of entities that are at most MAX_HOPS apart."""
    hops: dict[Pair, int] = {}
    for i, e in enumerate(entities[:-1]):
        found = index.graph.hops(e, set(entities[i + 1 :]), MAX_HOPS)
        hops |= {(e, o): found[o] for o in entities[i + 1 :] if o in found}
    return hops


def _filter(hops: dict[Pair, int], chunks: dict[int, dict[int, int]]) -> dict[int, list[Pair]]:
    """Chunk -> pairs it contains, for the largest h that leaves at most MAX_CHUNKS chunks.

    If the next lower h would leave none, the previous step is kept, even if it has more chunks.
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
    index: SearchIndex, chunk: int, entities: list[int], chunks: dict[int, dict[int, int]]
) -> tuple[float, float]:
    """(coverage, occurrence): matched entities per entity, matched mentions per word."""
    matched = [chunks[e][chunk] for e in entities if chunk in chunks[e]]
    total = index.snapshot.chunks.entity_count(chunk)
    text = index.snapshot.chunks.text(chunk)
    return len(matched) / max(total, 1), sum(matched) / max(len(text.split()), 1)


def _pair_names(index: SearchIndex, pairs: list[Pair]) -> str:
    """The pairs in words: "Ann - Bob; Ann - Rome"."""
    names = index.snapshot.entities.names({e for pair in pairs for e in pair})
    return "; ".join(f"{names[a]} - {names[b]}" for a, b in dict.fromkeys(pairs))


def collapsed_tree(index: SearchIndex, question: Question, k: int) -> list[Found]:
    """Dense search over passages and summaries together; a summary leads to its best passages."""
    weighed = []
    for score, kind, row in nearest(index, question, k):
        chunks = leaves(index, row) if kind == "summary" else [index.snapshot.chunks.chunk_of(row)]
        mentions = index.snapshot.chunks.mentions(chunks, question.entities)
        weighed.append((mentions, score, row, kind, chunks))
    weighed.sort(key=lambda x: (-x[0], -x[1], x[3], x[2]))
    found: dict[int, Found] = {}
    for _, score, row, kind, chunks in weighed:
        for passage in best_of(index, question, chunks) if kind == "summary" else [row]:
            note = f"{kind} of the tree, similarity {score:.2f}"
            found.setdefault(passage, Found(None, passage, score, note))
    return list(found.values())[:k]


def nearest(index: SearchIndex, question: Question, k: int) -> list[tuple[float, str, int]]:
    """The k nearest nodes of the collapsed tree as (similarity, kind, row), best first.

    A kind is "passage" or "summary".
    """
    passages = [(s, "passage", row) for row, s in index.passages.search(question.vector, k)]
    nodes = [(s, "summary", row) for row, s in index.nodes.search(question.vector, k)]
    return sorted(passages + nodes, key=lambda x: (-x[0], x[1], x[2]))[:k]


# A summary at a high level covers thousands of chunks; the nearest of the first ones are enough.
_MAX_LEAVES = 200
_BEST_PER_SUMMARY = 2


def leaves(index: SearchIndex, node: int) -> list[int]:
    """Rows of the first chunks below a node of the tree, in order, up to the limit."""
    return index.snapshot.nodes.leaves(node, _MAX_LEAVES)


def best_of(index: SearchIndex, question: Question, chunks: list[int]) -> list[int]:
    """The passages nearest to the question among some chunks."""
    scored: list[tuple[float, int]] = []
    for chunk in chunks:
        rows, vectors = index.passage_vectors(chunk)
        similar = (vectors @ question.vector).tolist()
        scored += [(-s, row) for s, row in zip(similar, rows, strict=True)]
    return [row for _, row in sorted(scored)[:_BEST_PER_SUMMARY]]
