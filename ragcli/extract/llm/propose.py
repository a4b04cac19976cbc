"""What a chunk seems to be about, by the English pipeline: entities and pairs worth asking about.

A small model cannot find names reliably, but it can say something about a name it is shown. So
the names that mentions give are ranked, and pairs are those that share a sentence.
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
# A sentence with more names is a list: its pairs mean nothing.
MAX_NAMES = 8
MAX_SENTENCE_CHARS = 400

_TYPES = {"PERSON": "person", "ORG": "organization", "LOC": "location", "EVENT": "event"} | {
    "WORK": "work"
}
# What often follows a name that a sentence defines: "X is", "X, the", "X (".
DEFINES = re.compile(r"\s*(?:(?:is|was|are|were)\s+(?=(?:an?|the|one)\b)|,\s+(?=(?:an?|the)\b)|\()")
_MARK = re.compile(r"^(?:[-+•‣◦▪–—>]|\(?\d{1,2}[.)])\s+")
_DATE = re.compile(
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|winter"
    r"|since|in|on|by|until|the|\d{1,4}(?:st|nd|rd|th)?)(?:\s|$))+"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity to be described: ``sentence`` says most about it, spelling it ``said``; ``type``
    is "" where unknown."""

    name: str
    type: str
    said: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ProposedPair:
    """Two names and the sentence that holds both, in the order in which they stand there.

    ``said``: how the sentence spells them; ``between``: the words that part them there, none
    when another name stands there; ``sentences``: how many hold both.
    """

    source: str
    target: str
    said: tuple[str, str]
    between: tuple[str, ...]
    sentence: str
    sentences: int


@dataclass(frozen=True, slots=True)
class Proposals:
    """What to ask about a chunk."""

    entities: tuple[Candidate, ...]
    pairs: tuple[ProposedPair, ...]


@dataclass(frozen=True, slots=True)
class _Name:
    key: str
    start: int
    end: int


def propose(text: str, extraction: Extraction) -> Proposals:
    """The most connected names of ``text``, and the pairs among them, most frequent first."""
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
        Candidate(surfaces[key], labels[key], *_telling(key, by_sentence, clean, said))
        for key in chosen
    )
    return Proposals(entities, _pairs(set(chosen), by_sentence, surfaces, clean, said))


def _names(text: str, extraction: Extraction) -> list[Resolved]:
    """Labelled mentions, and capitalised runs that overlap none; dates are no names.

    A single capitalised word is a name only when it comes again: most are the first of a line.
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
    """Key -> its most frequent spelling, the longest of them; key -> type."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    labels: dict[str, str] = {}
    for m in mentions:
        counts[m.key][m.surface] += 1 if m.own else 0
        labels[m.key] = labels.get(m.key) or _TYPES.get(m.label, "")
    best = {k: min(c, key=lambda s: (-c[s], -len(s), s)) for k, c in counts.items()}
    return best, labels


def _central(by_sentence: dict[int, list[_Name]]) -> list[str]:
    """Keys by number of names they stand beside, then mentions, then place."""
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


def _telling(
    key: str, by_sentence: dict[int, list[_Name]], clean: str, said: Sequence[str]
) -> tuple[str, str]:
    """How a name is spelled in the sentence that says most about it, and that sentence.

    One that defines it is best, then the first that is neither a fragment nor a list of names.
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
    """Pairs that share a sentence: by number of sentences, then by nearness."""
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
    """A sentence of at most ``MAX_SENTENCE_CHARS``, cut at a space."""
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    return sentence[:MAX_SENTENCE_CHARS].rpartition(" ")[0] + " …"
