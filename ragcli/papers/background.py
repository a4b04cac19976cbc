"""The first two parts of LightRAG's context, entities and relations; the passages are the third.

The budgets are those of the paper's code (6000 and 8000 of 30000 tokens), scaled to the budget
here. An entity or a relation without a description uses the first sentence that names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragcli.retrieve.base import Related, Selection
from ragcli.retrieve.context import Count, shorten
from ragcli.search.search_index import SearchIndex
from ragcli.text.names import locate
from ragcli.text.sentences import sentences

ENTITIES_SHARE = 6000 / 30000
RELATIONS_SHARE = 8000 / 30000


@dataclass(frozen=True, slots=True)
class Background:
    """Lines about entities and about relations, best first; ``tokens`` counts all of them."""

    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    tokens: int = 0


def background(
    index: SearchIndex, selection: Selection | None, budget_tokens: int, count: Count
) -> Background:
    """Facts about the entities and relations that a mode selected, within their budgets."""
    if selection is None:
        return Background()
    entities, spent = _fitting(
        _entity_lines(index, selection), int(ENTITIES_SHARE * budget_tokens), count
    )
    relations, more = _fitting(
        _relation_lines(index, selection.relations), int(RELATIONS_SHARE * budget_tokens), count
    )
    return Background(entities, relations, spent + more)


def _fitting(lines: Iterable[str], budget: int, count: Count) -> tuple[tuple[str, ...], int]:
    """The lines that fit; the first that does not is cut at the end of a sentence and is last."""
    kept: list[str] = []
    spent = 0
    for line in lines:
        tokens = count(line)
        if spent + tokens > budget:
            # Without a whole sentence, only the name would be left.
            cut = shorten(line, budget - spent, count)
            if cut.endswith((".", "!", "?")):
                kept.append(cut)
                spent += count(cut)
            break
        kept.append(line)
        spent += tokens
    return tuple(kept), spent


def _entity_lines(index: SearchIndex, selection: Selection) -> Iterator[str]:
    for row in selection.entities:
        name, type_, text = index.snapshot.profiles.entity(row)
        # A profile is made from all documents, so within a scope sentences of passages serve.
        if not text or not index.whole:
            passages, weights = index.passages_of(row)
            nearest = passages[weights == weights.max()][:1].tolist() if len(passages) else []
            text = _sentence(index, nearest, [name])
        if text:
            yield f"{name} ({type_}): {text}" if type_ not in ("", "other") else f"{name}: {text}"


def _relation_lines(index: SearchIndex, relations: Iterable[Related]) -> Iterator[str]:
    for related in relations:
        known = index.snapshot.entities.names(related.pair)
        names = [known[row] for row in related.pair if row in known]
        text = index.snapshot.profiles.relation_text(*related.pair)
        if text is None or not index.whole:
            text = _sentence(index, related.passages, names)
        if text:
            yield f"{' - '.join(names)}: {text}"


def _sentence(index: SearchIndex, passages: Iterable[int], names: list[str]) -> str:
    """The first sentence of the passages that contains all names; "" if none does."""
    for passage in passages:
        text = index.passage_hit(passage, 0.0, 1, ()).text
        for start, end in sentences(text):
            if len(locate(text[start:end], names)) == len(names):
                return " ".join(text[start:end].split())
    return ""
