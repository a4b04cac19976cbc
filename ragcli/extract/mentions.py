"""Extracts mentions with a pipeline or by rules: labelled names, and other nouns with their lemma.

Each text is analysed by itself. In a batch with others the last bits of a score may differ, so the
same text could give another result in another run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragcli.extract.other_languages import read_other
from ragcli.models.pipeline_output import Named, Noun, Read
from ragcli.text.markup import blank_noise
from ragcli.text.names import MAX_NAME_WORDS, trim_name
from ragcli.text.scripts import language_of
from ragcli.text.sentences import sentences
from ragcli.text.spans import index_at
from ragcli.text.words import one_line
from ragcli.types import Extraction, Mention


class Extractor:
    """Extracts mentions with pipelines and ragcli's own sentence splitter.

    The splitter counts sentences for every language, also where a pipeline has one of its own: the
    number of a mention's sentence must mean the same wherever a text is split again.
    """

    def __init__(self, english: Read, others: Mapping[str, Read] | None = None) -> None:
        """``others`` read texts of other languages, by code; without one, rules do."""
        self._readers = {"en": english, **(others or {})}

    def __call__(self, text: str) -> Extraction:
        """Return the mentions of ``text`` in order of offset."""
        language = language_of(text)
        clean = blank_noise(text)
        read = self._readers.get(language)
        reading = read(clean) if read else read_other(clean, language)
        starts = [start for start, _ in sentences(text)]
        names = [m for named in reading.names if (m := _name(text, named, starts))]
        nouns = [_noun(noun, starts) for noun in reading.nouns if _counts(noun.text)]
        return Extraction(tuple(sorted(names + nouns, key=lambda m: (m.start, m.end))))


def _name(text: str, named: Named, starts: Sequence[int]) -> Mention | None:
    start, end = trim_name(text, named.start, named.end)
    surface = one_line(text[start:end])
    if not any(c.isalpha() for c in surface) or len(surface.split()) > MAX_NAME_WORDS:
        return None
    return Mention(start, end, surface, surface, named.label, index_at(starts, start))


def _counts(noun: str) -> bool:
    return len(noun) > 1 and any(c.isalpha() for c in noun)


def _noun(noun: Noun, starts: Sequence[int]) -> Mention:
    lemma = (noun.lemma or noun.text).casefold()
    end = noun.start + len(noun.text)
    return Mention(noun.start, end, noun.text, lemma, "", index_at(starts, noun.start))
