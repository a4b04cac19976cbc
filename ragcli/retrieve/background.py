"""The first two parts of LightRAG's context, entities and relations; the passages are the third.

Budgets are the paper's code's (6000 and 8000 of 30000 tokens), scaled to what there is. Where no
language model has described anything, the sentence that names an entity, or both, stands for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ragcli.retrieve.context import Count, shorten
from ragcli.retrieve.facts import Related
from ragcli.retrieve.light import Selection, both, high, low
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space
from ragcli.text.names import locate
from ragcli.text.sentences import sentences

ENTITIES_SHARE = 6000 / 30000
RELATIONS_SHARE = 8000 / 30000

_SELECT: dict[str, Callable[[Space, Question], Selection]] = {
    "local": low,
    "global": high,
    "hybrid": both,
    "mix": both,
}


@dataclass(frozen=True, slots=True)
class Background:
    """Lines on entities and on relations, best first; ``tokens`` of all."""

    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    tokens: int = 0


def background(
    space: Space, question: Question, mode: str, budget_tokens: int, count: Count
) -> Background:
    """What is known of the entities and relations that ``mode`` selects, within its share."""
    if mode not in _SELECT:
        return Background()
    selection = _SELECT[mode](space, question)
    entities, spent = _fitting(
        _entity_lines(space, selection), int(ENTITIES_SHARE * budget_tokens), count
    )
    relations, more = _fitting(
        _relation_lines(space, selection.relations), int(RELATIONS_SHARE * budget_tokens), count
    )
    return Background(entities, relations, spent + more)


def _fitting(lines: Iterable[str], budget: int, count: Count) -> tuple[tuple[str, ...], int]:
    """Lines while they fit; the first that does not is cut at a sentence's end, and is the last."""
    kept: list[str] = []
    spent = 0
    for line in lines:
        tokens = count(line)
        if spent + tokens > budget:
            # Cut short of its sentence it would be a name that nothing is said of.
            cut = shorten(line, budget - spent, count)
            if cut.endswith((".", "!", "?")):
                kept.append(cut)
                spent += count(cut)
            break
        kept.append(line)
        spent += tokens
    return tuple(kept), spent


def _entity_lines(space: Space, selection: Selection) -> Iterator[str]:
    for row in selection.entities:
        name, type_, text = space.db.execute(
            "SELECT e.name, coalesce(p.type, ''), coalesce(p.text, '') FROM entities e"
            " LEFT JOIN entity_profiles p ON p.entity = e.id WHERE e.id = ?",
            (row,),
        ).fetchone()
        if not text:
            passages, weights = space.passages_of(row)
            nearest = passages[weights == weights.max()][:1].tolist() if len(passages) else []
            text = _sentence(space, nearest, [name])
        if text:
            yield f"{name} ({type_}): {text}" if type_ not in ("", "other") else f"{name}: {text}"


def _relation_lines(space: Space, relations: Iterable[Related]) -> Iterator[str]:
    for related in relations:
        names = space.names_of(related.pair)
        row = space.db.execute(
            "SELECT text FROM relation_profiles WHERE a = ? AND b = ?", related.pair
        ).fetchone()
        text = row[0] if row else _sentence(space, related.passages, names)
        if text:
            yield f"{' - '.join(names)}: {text}"


def _sentence(space: Space, passages: Iterable[int], names: list[str]) -> str:
    """The first sentence of the passages that holds all names; "" when none does."""
    for passage in passages:
        text = space.passage_hit(passage, 0.0, 1, ()).text
        for start, end in sentences(text):
            if len(locate(text[start:end], names)) == len(names):
                return " ".join(text[start:end].split())
    return ""
