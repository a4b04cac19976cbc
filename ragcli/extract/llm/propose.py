"""Proposes the entities and pairs of a chunk that a model is asked about.

A small model cannot find names reliably, but it can describe a given name. So the names come from
the English pipeline's mentions and are ranked. Pairs are names that share a sentence.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ragcli.graph.resolve import Resolved, resolve, run_mentions
from ragcli.text.markup import blank_noise
from ragcli.text.sentences import sentences
from ragcli.text.spans import index_at, overlap
from ragcli.text.words import one_line
from ragcli.types import Extraction

MAX_ENTITIES = 12
MAX_PAIRS = 10
# A sentence with more names is a list, and its pairs mean nothing.
MAX_NAMES = 8
MAX_SENTENCE_CHARS = 400

_TYPES = {"PERSON": "person", "ORG": "organization", "LOC": "location", "EVENT": "event"} | {
    "WORK": "work"
}
# The text that often follows a name in its definition: "X is", "X, the", "X (".
DEFINES = re.compile(r"\s*(?:(?:is|was|are|were)\s+(?=(?:an?|the|one)\b)|,\s+(?=(?:an?|the)\b)|\()")
_MARK = re.compile(r"^(?:[-+•‣◦▪–—>]|\(?\d{1,2}[.)])\s+")
_DATE = re.compile(
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|winter"
    r"|since|in|on|by|until|the|\d{1,4}(?:st|nd|rd|th)?)(?:\s|$))+"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity to be described.

    ``sentence`` is its most informative sentence, which spells its name as ``said``. ``type`` is ""
    if unknown.
    """

    name: str
    type: str
    said: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ProposedPair:
    """Two names and a sentence that contains both, in their order in the sentence.

    ``said`` are their spellings in the sentence. ``between`` are the words between them, () if
    there is another name between them. ``sentences`` counts the sentences that contain both.
    """

    source: str
    target: str
    said: tuple[str, str]
    between: tuple[str, ...]
    sentence: str
    sentences: int


@dataclass(frozen=True, slots=True)
class Proposals:
    """The entities and pairs of a chunk to ask about."""

    entities: tuple[Candidate, ...]
    pairs: tuple[ProposedPair, ...]


@dataclass(frozen=True, slots=True)
class _Name:
    key: str
    start: int
    end: int


def propose(text: str, extraction: Extraction) -> Proposals:
    """Return the best-connected names of ``text`` and their pairs, most frequent first."""
    spans = sentences(text)
    clean = blank_noise(text)
    mentions = _names(text, extraction)
    starts = [start for start, _ in spans]
    by_sentence: dict[int, list[_Name]] = defaultdict(list)
    for m in mentions:
        home = index_at(starts, m.start)
        by_sentence[home].append(_Name(m.key, m.start, m.end))
    surfaces, labels = _spellings(mentions)
    chosen = _central(by_sentence)[:MAX_ENTITIES]
    said = [_MARK.sub("", one_line(clean[start:end])) for start, end in spans]
    entities = tuple(
        Candidate(surfaces[key], labels[key], *_best_sentence(key, by_sentence, clean, said))
        for key in chosen
    )
    return Proposals(entities, _pairs(set(chosen), by_sentence, surfaces, clean, said))


def _names(text: str, extraction: Extraction) -> list[Resolved]:
    """Return labelled mentions, and capitalised runs that overlap none of them, without dates.

    A single capitalised word must occur twice to be a name: most are the first word of a line.
    """
    mentions, aliases = resolve([extraction])
    named = [m for m in mentions if m.label]
    taken = [(m.start, m.end) for m in named]
    runs = run_mentions([text], mentions, aliases)
    free = [r for r in runs if not any(overlap((r.start, r.end), span) for span in taken)]
    often = Counter(r.key for r in free)
    free = [r for r in free if " " in r.key or often[r.key] > 1]
    both = [m for m in (*named, *free) if not _DATE.fullmatch(m.key)]
    return sorted(both, key=lambda m: (m.start, m.end))


def _spellings(mentions: Sequence[Resolved]) -> tuple[dict[str, str], dict[str, str]]:
    """Return key -> most frequent spelling, ties by length, and key -> type."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    labels: dict[str, str] = {}
    for m in mentions:
        counts[m.key][m.surface] += 1 if m.own else 0
        labels[m.key] = labels.get(m.key) or _TYPES.get(m.label, "")
    best = {k: min(c, key=lambda s: (-c[s], -len(s), s)) for k, c in counts.items()}
    return best, labels


def _central(by_sentence: dict[int, list[_Name]]) -> list[str]:
    """Return keys by the number of names in the same sentences, then mentions, then position."""
    beside: dict[str, set[str]] = defaultdict(set)
    mentions: Counter[str] = Counter()
    first: dict[str, int] = {}
    for names in by_sentence.values():
        keys = {n.key for n in names}
        for n in names:
            mentions[n.key] += 1
            first[n.key] = min(n.start, first.get(n.key, n.start))
            if len(keys) <= MAX_NAMES:
                beside[n.key] |= keys - {n.key}
    return sorted(first, key=lambda k: (-len(beside[k]), -mentions[k], first[k], k))


def _best_sentence(
    key: str, by_sentence: dict[int, list[_Name]], clean: str, said: Sequence[str]
) -> tuple[str, str]:
    """Return a name's most informative sentence and its spelling there, spelling first.

    A definition is best, then the first sentence that is neither a fragment nor a list of names.
    """
    ranked = [
        (
            -(_fits(said[ordinal]) and bool(DEFINES.match(clean, n.end))),
            -(_fits(said[ordinal]) and len(names) <= MAX_NAMES // 2),
            -_fits(said[ordinal]),
            n.start,
            ordinal,
            _folded(clean, n.start, n.end),
        )
        for ordinal, names in by_sentence.items()
        for n in names
        if n.key == key
    ]
    *_, ordinal, spelled = min(ranked)
    return spelled, shortened(said[ordinal])


def _fits(sentence: str) -> bool:
    return 20 <= len(sentence) <= MAX_SENTENCE_CHARS


def _folded(clean: str, start: int, end: int) -> str:
    return one_line(clean[start:end])


def _pairs(
    chosen: set[str],
    by_sentence: dict[int, list[_Name]],
    surfaces: dict[str, str],
    clean: str,
    said: Sequence[str],
) -> tuple[ProposedPair, ...]:
    """Return the pairs that share a sentence, by number of sentences, then by distance."""
    counts: Counter[tuple[str, str]] = Counter()
    nearest: dict[tuple[str, str], tuple[int, int, _Name, _Name]] = {}
    apart: dict[tuple[str, str], bool] = {}
    for ordinal, names in sorted(by_sentence.items()):
        if len(said[ordinal]) > MAX_SENTENCE_CHARS or len({n.key for n in names}) > MAX_NAMES:
            continue
        here: set[tuple[str, str]] = set()
        for a, b in combinations(names, 2):
            if a.key == b.key or not {a.key, b.key} <= chosen or a.end > b.start:
                continue
            pair = (min(a.key, b.key), max(a.key, b.key))
            here.add(pair)
            if pair not in nearest or b.start - a.end < nearest[pair][0]:
                nearest[pair] = (b.start - a.end, ordinal, a, b)
                apart[pair] = not any(a.end <= n.start and n.end <= b.start for n in names)
        counts.update(here)
    ranked = sorted(nearest, key=lambda p: (-counts[p], *nearest[p][:2], p))[:MAX_PAIRS]
    return tuple(
        ProposedPair(
            surfaces[a.key],
            surfaces[b.key],
            (_folded(clean, a.start, a.end), _folded(clean, b.start, b.end)),
            tuple(clean[a.end : b.start].split()) if apart[pair] else (),
            said[ordinal],
            counts[pair],
        )
        for pair in ranked
        for _, ordinal, a, b in [nearest[pair]]
    )


def shortened(sentence: str) -> str:
    """Return a sentence cut at a space to at most ``MAX_SENTENCE_CHARS``."""
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    return sentence[:MAX_SENTENCE_CHARS].rpartition(" ")[0] + " …"
