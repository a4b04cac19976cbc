"""Runs of capitalised words: names that a trained pipeline misses or cuts elsewhere.

They join passages that say the same words, which is all that a walk over the graph needs, so a
wrong one does little harm: it stands in a single passage and leads nowhere.

runs("In July 2011 the University of Copenhagen opened.")
-> "July 2011", "University of Copenhagen"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ragcli.corpus.sentences import sentences
from ragcli.extract.nlp import MAX_NAME_WORDS, blank_noise
from ragcli.graph.names import normalise
from ragcli.graph.resolve import MAX_KEY_CHARS, Resolved
from ragcli.graph.summary import STOP_WORDS

_LINK = r"(?:of|the|de|la|and|&|in|for|on|von|van|du|del|di)"
_WORD = r"[\w’'&-]*"
# Capitalised words, up to two small linking words between them; a full stop only after an initial.
_RUN = re.compile(
    rf"\b[A-Z]{_WORD}(?:(?:(?<=\b[A-Z])\.)?[ ](?:{_LINK}[ ]){{0,2}}(?:[A-Z]|[0-9]){_WORD})*"
)


def runs(sentence: str) -> Iterator[tuple[int, int]]:
    """Spans of the runs in one sentence.

    Leading function words are left out, and so is a lone first word, whose capital means nothing.
    """
    for match in _RUN.finditer(sentence):
        start, end = match.span()
        while (gap := sentence.find(" ", start, end)) >= 0:
            if sentence[start:gap].casefold() not in STOP_WORDS:
                break
            start = gap + 1
        text = sentence[start:end]
        words = text.split(" ")
        lone = len(words) == 1 and (start == 0 or text.casefold() in STOP_WORDS)
        if not lone and any(map(str.isupper, text)) and len(words) <= MAX_NAME_WORDS:
            yield start, end


def run_mentions(
    texts: Sequence[str], mentions: Sequence[Resolved], aliases: Mapping[str, str]
) -> list[Resolved]:
    """The runs of ``texts[part]`` as unlabelled mentions, but for those that ``mentions`` has."""
    known = {(m.part, m.start, m.end) for m in mentions if m.label}
    found = []
    for part, text in enumerate(texts):
        clean = blank_noise(text)
        for ordinal, (first, last) in enumerate(sentences(clean)):
            for start, end in runs(clean[first:last]):
                surface = clean[first + start : first + end]
                key = normalise(surface)
                where = (part, ordinal, first + start, first + end)
                if 1 < len(key) <= MAX_KEY_CHARS and (part, *where[2:]) not in known:
                    entity = aliases.get(key, key)
                    found.append(Resolved(*where, entity, surface, "", entity == key))
    return found
