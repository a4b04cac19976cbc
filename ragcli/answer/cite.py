"""Citations: exact quotes, their numbers, and whether a sentence is borne out by what it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.answer.words import content_words, names, numbers, plain
from ragcli.corpus.sentences import sentences
from ragcli.retrieve.context import Part, line_at, page_at
from ragcli.types import Citation
from ragcli.types.document_ids import path_of

SUPPORT = 0.5
"""Share of a sentence's words, besides names and numbers, that its cited text must hold."""

MOST_SOURCES = 3
"""Quotes that one written sentence may rest on."""

# Words with which a sentence is built around a fact: they claim nothing by themselves.
_BUILDERS = frozenset(
    content_words(
        "associated based called considered described found identified known located mentioned "
        "situated"
    )
)
_MARKS = re.compile(r"\s*[\[【]\s*\^?(\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*)\s*[\]】]")


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
    """Return how far (0 to 1) the cited text bears a sentence out.

    0 when a number or a name of the sentence is not in the cited text: those are what a model
    makes up, and one wrong year outweighs any number of right words. Else the share of its other
    content words that the cited text holds; 1 when names and numbers are all it says, 0 when it
    says nothing.
    """
    words = set(content_words(sentence))
    held, text = set(content_words(cited)), plain(cited)
    stated = numbers(sentence)
    if not words or not set(stated) <= set(numbers(cited)):
        return 0.0
    for name in names(sentence):
        if plain(name) not in text and not set(content_words(name)) <= held:
            return 0.0
    others = words - set(content_words(" ".join([*names(sentence), *stated]))) - _BUILDERS
    return len(others & held) / len(others) if others else 1.0


def supported(sentence: str, cited: str, threshold: float = SUPPORT) -> bool:
    """Tell whether ``support`` reaches the threshold."""
    return support(sentence, cited) >= threshold


def sources(
    sentence: str,
    parts: Sequence[Part],
    *,
    question: str = "",
    marks: Sequence[int] = (),
    threshold: float = SUPPORT,
) -> tuple[Quote, ...]:
    """Find the quotes that bear a sentence out; none when the parts do not.

    Of quotes that hold as much of the sentence, the one that holds most of ``question`` is
    taken: the answer "Skive." is cited with where somebody was born, not with any Skive.

    The parts numbered in ``marks`` are tried first, then all: a small model's marks are often
    missing or wrong, and what counts is whether the sentence is true to the context.
    """
    marked = [part for part in parts if part.n in marks]
    for tried in (marked, parts):
        if found := _gather(sentence, question, tried, threshold):
            return found
    return ()


def _gather(
    sentence: str, question: str, parts: Sequence[Part], threshold: float
) -> tuple[Quote, ...]:
    """Collect quotes, each time the one that holds most of what is still missing.

    A document's title counts as part of every quote from it.
    """
    options = [quote for part in parts for quote in _quotes(part)]
    words = [set(content_words(_cited(quote))) for quote in options]
    asked, missing = set(content_words(question)), set(content_words(sentence))
    chosen: list[Quote] = []

    def use(i: int) -> tuple[int, int, int]:
        return len(missing & words[i]), len(asked & words[i]), -len(options[i].text)

    while options and len(chosen) < MOST_SOURCES:
        best = max(range(len(options)), key=use)
        if not missing & words[best]:
            break
        chosen.append(options[best])
        missing -= words[best]
        if supported(sentence, " ".join(map(_cited, chosen)), threshold):
            return _joined(chosen)
    return ()


def _quotes(part: Part) -> list[Quote]:
    return [
        Quote(part, part.start + start, part.start + end) for start, end in sentences(part.text)
    ]


def _cited(quote: Quote) -> str:
    return f"{quote.part.title}. {quote.text}"


def _joined(quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """Put quotes in the context's order and join those with only white space between them."""
    joined: list[Quote] = []
    for quote in sorted(quotes, key=lambda quote: (quote.part.n, quote.start)):
        last = joined[-1] if joined else None
        if last and last.part.n == quote.part.n and not _between(last, quote).strip():
            joined[-1] = Quote(last.part, last.start, quote.end)
        else:
            joined.append(quote)
    return tuple(joined)


def _between(one: Quote, other: Quote) -> str:
    return one.part.text[one.end - one.part.start : other.start - one.part.start]


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
        page=page_at(part, quote.start),
    )
