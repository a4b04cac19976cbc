"""Citations: exact quotes, their numbers, and whether a sentence is borne out by what it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.answer.words import content_words, names, numbers, plain
from ragcli.retrieve.context import Part, line_at
from ragcli.types import Citation

SUPPORT = 0.6
"""Share of a sentence's content words that its cited text must hold (docs/adr/)."""

_MARKS = re.compile(r"\s*[\[【]\s*\^?(\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*)\s*[\]】]")
_RECORD = ".jsonl#"


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch of a part to be cited: offsets into the document, inside the part's."""

    part: Part
    start: int
    end: int

    @property
    def text(self) -> str:
        """The exact characters."""
        return self.part.text[self.start - self.part.start : self.end - self.part.start]


def citations(quotes: Sequence[Quote]) -> tuple[Citation, ...]:
    """Number the quotes from 1 in the order given."""
    return tuple(_citation(n, quote) for n, quote in enumerate(quotes, start=1))


def verify(citation: Citation, document_text: str) -> bool:
    """Tell whether the quote stands in the document, to the character, where it says."""
    return bool(citation.quote) and (document_text[citation.start : citation.end] == citation.quote)


def path_of(doc: str) -> str:
    """Return the file a document's id stands for.

    >>> path_of("notes/faq.jsonl#q7"), path_of("notes/a.md")
    ('notes/faq.jsonl', 'notes/a.md')
    """
    file, mark, _ = doc.partition(_RECORD)
    return file + mark.removesuffix("#")


def take_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """Take the ``[n]`` marks out of a text: the text without them, and their numbers, each once.

    Lists and ranges as models write them are understood.

    >>> take_marks("It rained [2][1, 3]. Twice [2-4].")
    ('It rained. Twice.', (2, 1, 3, 4))
    """
    found: dict[int, None] = {}
    for match in _MARKS.finditer(text):
        for item in re.split(r"\s*[,;]\s*", match[1].replace("^", "")):
            ends = [int(number) for number in re.split(r"\s*[–-]\s*", item)]
            found.update(dict.fromkeys(range(ends[0], ends[-1] + 1)))
    return _MARKS.sub("", text).strip(), tuple(found)


def support(sentence: str, cited: str) -> float:
    """Return the share (0 to 1) of a sentence's content words that the cited text holds.

    0 when a number or a name of the sentence is not in the cited text: those are what a model
    makes up, and one wrong year outweighs any number of right words. A sentence without content
    words claims nothing and has 0.
    """
    words = set(content_words(sentence))
    if not words or not set(numbers(sentence)) <= set(numbers(cited)):
        return 0.0
    held = set(content_words(cited))
    text = plain(cited)
    for name in names(sentence):
        if plain(name) not in text and not set(content_words(name)) <= held:
            return 0.0
    return len(words & held) / len(words)


def supported(sentence: str, cited: str, threshold: float = SUPPORT) -> bool:
    """Tell whether ``support`` reaches the threshold."""
    return support(sentence, cited) >= threshold


def _citation(n: int, quote: Quote) -> Citation:
    part = quote.part
    return Citation(
        n=n,
        doc=part.doc,
        path=path_of(part.doc),
        start=quote.start,
        end=quote.end,
        line_start=line_at(part, quote.start),
        line_end=line_at(part, quote.end),
        quote=quote.text,
    )
