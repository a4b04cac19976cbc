"""Describes an entity by the sentences of a document that introduce it best.

This uses no model. A sentence scores higher if it begins with the name, and if a form of "to be",
a comma or a bracket follows the name, as in a definition ("Mara Linde, captain of the Aurora").
Scores are whole numbers that depend only on the sentence, so the choice is the same on every
machine and changes only when the document changes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from ragcli.graph.resolve import Resolved
from ragcli.text.sentences import sentences
from ragcli.text.words import one_line

# Most sentences for one entity, and most characters of each.
SENTENCES = 2
MAX_CHARS = 300
_MIN_CHARS = 40
# A sentence begins with a name if at most this many characters precede the name.
_OPENING = 14
_DEFINES = re.compile(
    r"\s*(?:,|\(|[-–—:]\s|is\b|was\b|are\b|were\b|became\b|lives?\b|lived\b|means\b|called\b|of\b)"
)
_MARKUP = "#|>`~*="


def describe(
    parts: Sequence[str], mentions: Sequence[Resolved], wanted: Collection[str]
) -> dict[str, str]:
    """Return entity key -> the best sentences about it, in text order, joined by spaces.

    ``parts[i]`` is the text that the offsets of mentions of part i refer to. Keys without a
    suitable sentence are left out.
    """
    places: dict[str, dict[tuple[int, int], Resolved]] = defaultdict(dict)
    for m in mentions:
        if m.key in wanted and m.end > m.start:
            places[m.key].setdefault((m.part, m.sentence), m)
    spans = [sentences(part) for part in parts]
    out = {}
    for key, first in places.items():
        scored = sorted(
            (-_score(parts[m.part], spans[m.part][m.sentence], m), m.part, m.sentence)
            for m in first.values()
            if m.sentence < len(spans[m.part])
        )
        best = sorted((part, number) for worth, part, number in scored[:SENTENCES] if worth < 0)
        texts = [_cut(parts[part], spans[part][number]) for part, number in best]
        if texts:
            out[key] = " ".join(dict.fromkeys(texts))
    return out


def _score(text: str, span: tuple[int, int], m: Resolved) -> int:
    """Return how well a sentence introduces the entity that it mentions; 0 or less: not at all."""
    start, end = span
    if text[start] in _MARKUP or end - start < _MIN_CHARS:
        return 0
    score = 1
    if m.start - start <= _OPENING:
        score += 2
    if _DEFINES.match(text, m.end):
        score += 3
    if end - start <= MAX_CHARS:
        score += 2
    if m.own:
        score += 1
    return score


def _cut(text: str, span: tuple[int, int]) -> str:
    """Return a sentence on one line of at most MAX_CHARS, cut after a word with "…"."""
    sentence = one_line(text[span[0] : span[1]])
    if len(sentence) <= MAX_CHARS:
        return sentence
    return sentence[: MAX_CHARS - 1].rpartition(" ")[0] + "…"
