"""What a document says of an entity, in its own words: the sentences that introduce it best.

No model is asked. A sentence is worth more when the name opens it and a verb of being, a comma or
a bracket follows, as where a text says what something is ("Mara Linde, captain of the Aurora").
All scores are whole numbers that hang on the sentence alone, so the choice is the same on every
machine and changes only when the document does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from ragcli.graph.resolve import Resolved
from ragcli.text.sentences import sentences
from ragcli.text.words import one_line

# Sentences taken for an entity, and how many characters each may have.
SENTENCES = 2
MAX_CHARS = 300
_MIN_CHARS = 40
# Characters before the name within which it still opens its sentence.
_OPENING = 14
_DEFINES = re.compile(
    r"\s*(?:,|\(|[-–—:]\s|is\b|was\b|are\b|were\b|became\b|lives?\b|lived\b|means\b|called\b|of\b)"
)
_MARKUP = "#|>`~*="


def describe(
    parts: Sequence[str], mentions: Sequence[Resolved], wanted: Collection[str]
) -> dict[str, str]:
    """Entity key -> the best sentences about it, in the order of the text, joined by spaces.

    ``parts[i]`` is the text that mentions of part i count in; keys of which no sentence says
    anything are missing.
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
    """How well a sentence introduces the entity it mentions; 0 and less: not at all."""
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
    """A sentence on one line, at most MAX_CHARS long, cut after a word with "…"."""
    sentence = one_line(text[span[0] : span[1]])
    if len(sentence) <= MAX_CHARS:
        return sentence
    return sentence[: MAX_CHARS - 1].rpartition(" ")[0] + "…"
