"""The default: what the question is like decides how it is looked up. No language model is asked.

A question that names something the store knows is walked from there, with the two best by
similarity and words always among the first five. One that names nothing gets the passages that
are best so, and one about the whole gets the summary tree. Figures, and why the rankings are not
fused, in docs/adr/walk.md.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ragcli.retrieve.base import Found
from ragcli.retrieve.dense_bm25 import dense_bm25
from ragcli.retrieve.overview import overview
from ragcli.retrieve.question import Question
from ragcli.retrieve.space import Space
from ragcli.retrieve.walk import named_entities, walk

# So many of the best by similarity and words are among so many first hits.
DIRECT = 2
WITHIN = 5

_WHOLE = re.compile(
    r"\b(?:summari[sz]e|overview|main (?:themes?|topics?|subjects?|ideas?|points?)"
    r"|(?:themes?|topics?|subjects?) (?:of|in|across|covered)"
    r"|(?:this|these|the(?: whole)?) (?:collection|corpus|documents|files|folder|archive|texts)"
    r"|all (?:the |of the |these )?(?:documents|files|texts))\b",
    re.IGNORECASE,
)


def auto(space: Space, question: Question, k: int) -> list[Found]:
    """The k best passages by the strategy that suits the question."""
    if named_entities(question):
        direct = dense_bm25(space, question, k)[:DIRECT]
        return _with_direct(walk(space, question, k), direct, k)
    if is_about_whole(question):
        return overview(space, question, k)
    return _noted(dense_bm25(space, question, k), "the question names nothing known")


def is_about_whole(question: Question) -> bool:
    """Whether ``auto`` answers from the summary tree: nothing is named, all of it is asked for."""
    return not named_entities(question) and asks_for_whole(question.text)


def asks_for_whole(text: str) -> bool:
    """Whether a question is about the documents as a whole.

    >>> asks_for_whole("What are the main themes of these letters?"), asks_for_whole("Who is Ann?")
    (True, False)
    """
    return _WHOLE.search(text) is not None


def _with_direct(finds: list[Found], direct: list[Found], k: int) -> list[Found]:
    """The walk's ranking with the direct finds among its first WITHIN; k finds at most.

    The walk's best stays first; direct finds that it has lower down, or not, close the WITHIN.
    """
    within = min(WITHIN, k)
    kept = {find.passage for find in finds[: max(within - len(direct), 1)]}
    missing = [find for find in direct if find.passage not in kept][: within - 1]
    moved = {find.passage for find in missing}
    others = [find for find in finds if find.passage not in moved]
    if not missing or not others:
        return (finds or direct)[:k]
    place = min(within - len(missing), len(others))
    # Scores of one list fall; those of another ranking would not fit in.
    score = others[place - 1].score
    placed = [replace(find, score=score) for find in missing]
    return [*others[:place], *placed, *others[place:]][:k]


def _noted(finds: list[Found], reason: str) -> list[Found]:
    return [replace(find, note=f"{find.note}; {reason}") for find in finds]
