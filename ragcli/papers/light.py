"""Two-level retrieval after LightRAG (Guo et al. 2024, section 3.2): local, global, hybrid, mix.

Low-level keywords find entities, high-level keywords find relations; both add their one-hop
neighbours. The paper does not specify which excerpts of the text to add. Here the score of a
passage is the sum over the entities and relations that refer to it (LightRAG's "weight"), times
its similarity to the question (its "vector"). Figures: docs/adr/light.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragcli.papers.facts import Facts
from ragcli.papers.keywords import Keywords, keywords
from ragcli.retrieve.base import Encode, Found, Helpers, Ranking, Related, Selection
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex

# Entities that low-level keywords select. More of one keyword cannot be among the best of all.
ENTITIES = 5
# Relations selected on either level, and neighbours added through them.
RELATIONS = 10
NEIGHBOURS = 20
# Weight of a relation that refers to a passage; one mention of an entity has weight 1.
RELATION_SHARE = 0.5
# Nearest passages that count in the mode mix.
NEAREST = 20
# The least factor for the similarity of a passage.
LEAST = 0.01


def local(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages that the question's entities, their relations and neighbours refer to."""
    return rank(index, question, low(index, question, helpers), k)


def global_(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages that relations near the question's themes, and their ends, refer to."""
    return rank(index, question, high(index, question, helpers), k)


def hybrid(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages that entities and relations of both levels refer to."""
    return rank(index, question, both(index, question, helpers), k)


def mix(index: SearchIndex, question: Question, k: int, helpers: Helpers) -> Ranking:
    """The k passages that both levels refer to, or that are nearest to the question.

    The question itself refers to a near passage, weighted by its similarity. With fusion by rank,
    the dense ranking would undo the gain of the graph (docs/adr/light.md).
    """
    nearest = index.passages.search(question.vector, max(NEAREST, k))
    return rank(index, question, both(index, question, helpers), k, nearest)


def low(index: SearchIndex, question: Question, helpers: Helpers) -> Selection:
    """Entities by low-level keywords, their relations nearest to the question, and neighbours."""
    return _low(Facts(index, helpers), question, keywords(question, helpers.model), helpers.encode)


def high(index: SearchIndex, question: Question, helpers: Helpers) -> Selection:
    """Relations by the question and its high-level keywords, and the entities they connect."""
    return _high(Facts(index, helpers), question, keywords(question, helpers.model), helpers.encode)


def _low(known: Facts, question: Question, words: Keywords, encode: Encode) -> Selection:
    chosen = _entities(known, question, words, encode)
    relations = known.relations_of(chosen, question.vector, RELATIONS)
    beside: dict[int, float] = {}
    for related in relations:
        for row in related.pair:
            if row not in chosen:
                beside[row] = max(beside.get(row, 0.0), related.score)
    return Selection(chosen | _first(beside, NEIGHBOURS), tuple(relations), tuple(chosen))


def _entities(
    known: Facts, question: Question, words: Keywords, encode: Encode
) -> dict[int, float]:
    """Entities that the question names (ambiguous names weigh less), then those with near keys."""
    scores: dict[int, float] = {}
    for match in question.matches:
        for row in match.rows if match.named else ():
            scores[row] = max(scores.get(row, 0.0), 1 / len(match.rows) ** 0.5)
    for vector in encode(list(words.low)) if words.low else ():
        for row, similar in known.entities_near(vector, ENTITIES):
            scores[row] = max(scores.get(row, 0.0), similar)
    return _first(scores, ENTITIES)


def _high(known: Facts, question: Question, words: Keywords, encode: Encode) -> Selection:
    vectors = list(encode(list(words.high))) if words.high else []
    relations = known.relations_near(question.vector, vectors, RELATIONS)
    joined: dict[int, float] = {}
    for related in relations:
        for row in related.pair:
            joined[row] = max(joined.get(row, 0.0), related.score)
    return Selection(_first(joined, NEIGHBOURS), tuple(relations))


def both(index: SearchIndex, question: Question, helpers: Helpers) -> Selection:
    """The union of both levels; an item of both levels has the better of its scores."""
    known, words = Facts(index, helpers), keywords(question, helpers.model)
    one = _low(known, question, words, helpers.encode)
    other = _high(known, question, words, helpers.encode)
    entities = dict(one.entities)
    for row, score in other.entities.items():
        entities[row] = max(entities.get(row, 0.0), score)
    relations = {r.pair: r for r in sorted((*one.relations, *other.relations), key=_by_score)}
    return Selection(
        _first(entities, len(entities)),
        tuple(sorted(relations.values(), key=_by_score, reverse=True)),
        one.seeds,
    )


def _by_score(related: Related) -> tuple[float, int, int]:
    a, b = related.pair
    return (related.score, -a, -b)


def _first(scores: dict[int, float], n: int) -> dict[int, float]:
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:n])


def rank(
    index: SearchIndex,
    question: Question,
    selection: Selection,
    k: int,
    nearest: Sequence[tuple[int, float]] = (),
) -> Ranking:
    """The k passages with the most references from the selection, times their similarity; notes
    give the reasons.

    ``nearest``: passages with an additional reference of this weight. If nothing refers to any
    passage, as in texts without names, the nearest passages are the result.
    """
    worth: dict[int, float] = {}
    reasons: dict[int, list[tuple[float, str]]] = {}

    def refer(passages: Sequence[int], amounts: Sequence[float], reason: str) -> None:
        for passage, amount in zip(passages, amounts, strict=True):
            worth[passage] = worth.get(passage, 0.0) + amount
            reasons.setdefault(passage, []).append((-amount, reason))

    names = index.snapshot.entities.names(row for _, row in selection.path)
    for n, (row, score) in enumerate(selection.entities.items(), 1):
        passages, weights = index.passages_of(row)
        refer(passages.tolist(), (score * weights).tolist(), f"entity {names[row]} (rank {n})")
    for n, related in enumerate(selection.relations, 1):
        amounts = [RELATION_SHARE * related.score] * len(related.passages)
        a, b = related.pair
        refer(related.passages, amounts, f"relation {names[a]} - {names[b]} (rank {n})")
    for passage, amount in nearest:
        refer([passage], [amount], f"similarity {amount:.2f}")
    if not worth:
        for passage, amount in index.passages.search(question.vector, k):
            refer([passage], [1.0], f"similarity {amount:.2f}; the graph leads nowhere")
    rows = np.array(sorted(worth), dtype=np.int64)
    similar = np.clip(index.passages.similarities(question.vector, rows), LEAST, None)
    scores = np.array([worth[row] for row in rows.tolist()]) * similar
    best = np.lexsort((rows, -scores))[:k]
    finds = [
        Found(None, int(rows[i]), float(scores[i]), _note(reasons[int(rows[i])])) for i in best
    ]
    return Ranking(finds, seeds=selection.seeds, path=selection.path, selection=selection)


def _note(reasons: Sequence[tuple[float, str]]) -> str:
    """The three strongest reasons."""
    return ", ".join(reason for _, reason in sorted(reasons)[:3])
