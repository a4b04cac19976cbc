"""Describes aggregated entities and relations without a language model.

A cluster's name consists of the names of its best-connected members. Its description consists of
the most central sentences of the members' descriptions.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.graph.hierarchy_levels import Aggregate, Group
from ragcli.graph.summary import SummarySettings, select
from ragcli.text.sentences import sentences

# More relations than this between two clusters are summarised, not listed (the paper's tau).
TAU = 3
SETTINGS = SummarySettings(chars=600, sentences=4, min_words=4)
_NAME_HEADS = 3
_HEAD_CHARS = 48


def cluster_texts(groups: Sequence[Group]) -> list[Aggregate]:
    """Describe each cluster by its own members; no two aggregates have the same name."""
    used: set[str] = set()
    made = []
    for group in groups:
        name = aggregate_name(group.heads, {n.casefold() for n in group.names} | used)
        used.add(name.casefold())
        made.append(Aggregate(name, _text(group.texts), _findings(group)))
    return made


def aggregate_name(heads: Sequence[str], taken: set[str]) -> str:
    """Return a name made of the first heads; use more heads if it is taken (case folded).

    >>> aggregate_name(["Ann", "Bob", "Cid", "Dot"], set())
    'Ann, Bob and Cid'
    >>> aggregate_name(["Ann", "Bob"], {"ann and bob"})
    'Ann and Bob (2)'
    """
    short = [head[:_HEAD_CHARS].strip() for head in heads]
    for count in range(_NAME_HEADS, max(len(short), _NAME_HEADS) + 1):
        name = _listed(short[:count])
        if name.casefold() not in taken:
            return name
    number = 2
    while f"{name} ({number})".casefold() in taken:
        number += 1
    return f"{name} ({number})"


def _listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return f"{''.join(words)} and others"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _text(texts: Sequence[str]) -> str:
    said = list(dict.fromkeys(text[a:b] for text in texts for a, b in sentences(text)))
    if sum(map(len, said)) + len(said) <= SETTINGS.chars:
        return " ".join(said)
    return " ".join(said[i] for i in sorted(select(said, SETTINGS)))


def _findings(group: Group) -> tuple[str, ...]:
    return tuple(f"{pair(a, b)}: {times(weight)}" for a, b, weight in group.relations)


def pair(a: str, b: str) -> str:
    return f"{a} – {b}"


def times(count: int) -> str:
    """Return in words how many sentences mention both entities."""
    return "together in one sentence" if count == 1 else f"together in {count:,} sentences"


def relation_text(pairs: Sequence[tuple[str, str, int]], links: int) -> str:
    """Describe an aggregated relation; ``pairs`` are its strongest members, strongest first.

    Up to TAU relations are listed in full. Of more relations, the strongest are listed with the
    total number.

    >>> relation_text([("Ann", "Rome", 2), ("Bob", "Rome", 1)], 2)
    'Ann – Rome (2), Bob – Rome (1)'
    """
    listed = ", ".join(f"{pair(a, b)} ({weight:,})" for a, b, weight in pairs[:TAU])
    return listed if links <= TAU else f"{links:,} relations, among them {listed}"
