"""The context of the modes that find more than passages: facts of the graph, and their sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest

from ragcli.papers.background import background
from ragcli.papers.lean import evidence
from ragcli.retrieve.base import Retrieval
from ragcli.retrieve.context import Count, fit, part_of
from ragcli.search.search_index import SearchIndex
from ragcli.text.sentences import sentences
from ragcli.types import Context, Fact, Hit, Part

# Share of the budget that facts may take from passages, and the share of facts about single
# entities in it: a token of a passage contains an answer more often (docs/adr/hierarchy.md).
FACTS_SHARE = 0.07
BASE_SHARE = 0.6

Marked = Callable[[int, Hit], Hit]
"""A hit of the n-th store with an id that is unique among all stores."""


def with_facts(
    indexes: Sequence[SearchIndex],
    found: Sequence[Retrieval],
    hits: Sequence[Hit],
    budget: int,
    count: Count,
    marked: Marked,
) -> Context:
    """The passages and facts within the budget, and the sentences that are sources of the facts."""
    in_turns = zip_longest(*(one.facts for one in found))
    facts = [(at, fact) for turn in in_turns for at, fact in enumerate(turn) if fact is not None]
    context = fit_all(hits, [fact for _, fact in facts], budget, count)
    used = {id(fact) for fact in context.facts}
    sources = [
        marked(at, hit)
        for at, index in enumerate(indexes)
        for hit in evidence(index, [f for n, f in facts if n == at and id(f) in used])
    ]
    return beside(context, sources)


def with_background(
    indexes: Sequence[SearchIndex],
    found: Sequence[Retrieval],
    hits: Sequence[Hit],
    budget: int,
    count: Count,
) -> Context:
    """The passages within the budget; before them the entities and relations that were selected."""
    share = budget // len(indexes)
    known = [
        background(index, one.selection, share, count)
        for index, one in zip(indexes, found, strict=True)
    ]
    spent = sum(part.tokens for part in known)
    context = fit(hits, budget - spent, count)
    return replace(
        context,
        tokens=context.tokens + spent,
        entities=tuple(line for part in known for line in part.entities),
        relations=tuple(line for part in known for line in part.relations),
    )


def fit_all(
    hits: Sequence[Hit], facts: Sequence[Fact], budget_tokens: int, count: Count
) -> Context:
    """Add hits as ``fit`` does, and facts in order while they fit.

    Facts get at most FACTS_SHARE of the budget, plus the tokens that hits leave unused. A sentence
    of a part or of an earlier fact is not repeated.
    """
    room = int(budget_tokens * FACTS_SHARE)
    taken = sum(count(line) for _, line in _fresh(facts, "", room, count))
    context = fit(hits, budget_tokens - taken, count)
    said = " ".join(" ".join(part.text.split()) for part in context.parts)
    # Sentences already in the parts are left out, which leaves room for later facts.
    listed = _fresh(facts, said, min(room, budget_tokens - context.tokens), count)
    return replace(
        context,
        tokens=context.tokens + sum(count(line) for _, line in listed),
        entities=tuple(line for fact, line in listed if fact.kind == "entity"),
        relations=tuple(line for fact, line in listed if fact.kind == "relation"),
        facts=tuple(fact for fact, _ in listed),
    )


def beside(context: Context, hits: Sequence[Hit]) -> Context:
    """The context with the sources of its facts that no part contains."""
    behind: list[Part] = []
    for hit in hits:
        part = part_of(hit, len(context.parts) + len(behind) + 1)
        if not any(_inside(part, other) for other in (*context.parts, *behind)):
            behind.append(part)
    return replace(context, behind=tuple(behind))


def _inside(one: Part, other: Part) -> bool:
    return one.doc == other.doc and other.start <= one.start and one.end <= other.end


def _fresh(facts: Sequence[Fact], said: str, room: int, count: Count) -> list[tuple[Fact, str]]:
    """Facts as text, without sentences in ``said`` or in an earlier fact.

    Facts about single entities (level 0) have a smaller share, which leaves room for higher
    levels. A fact that is too long keeps as many of its first sentences as fit.
    """
    listed: list[tuple[Fact, str]] = []
    seen: set[str] = set()
    base = int(room * BASE_SHARE)
    for fact in facts:
        left = room if fact.level else min(room, base)
        fresh = _new(fact, said, seen)
        while fresh and count(line := f"{fact.name}: {' '.join(fresh)}") > left:
            fresh.pop()
        # An entity without new sentences needs no line.
        if fresh:
            listed.append((fact, line))
            room -= count(line)
            base -= 0 if fact.level else count(line)
            seen.update(fresh)
    return listed


def _new(fact: Fact, said: str, seen: set[str]) -> list[str]:
    """The sentences of a fact that are not yet ``said`` or ``seen``."""
    found = dict.fromkeys(" ".join(fact.text[a:b].split()) for a, b in sentences(fact.text))
    if fact.kind == "relation":  # the same words about another pair are not a repetition
        return list(found)
    # A description ends a sentence that is too long with "…".
    return [text for text in found if text not in seen and text.rstrip("…") not in said]
