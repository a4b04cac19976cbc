"""Citations: exact quotes with their numbers, and the quotes that support a sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ragcli.answer.candidates import heading_over
from ragcli.answer.laid import Stretch
from ragcli.retrieve.context import line_at, page_at
from ragcli.text.sentences import sentences
from ragcli.text.support import ANSWER_SUPPORT, SourceText, support
from ragcli.text.words import content_words
from ragcli.types import Citation, Part
from ragcli.types.document_ids import path_of

MOST_SOURCES = 3
"""Quotes that one written sentence may rest on."""

_MARKS = re.compile(r"(?:(?<!\s)\s+)?[\[【]\s*+\^?(\d{1,3}(?:\s*+[,;–-]\s*+\^?\d{1,3})*)\s*+[\]】]")


def citations(quotes: Sequence[Stretch]) -> tuple[Citation, ...]:
    """Number the quotes from 1 in the order given."""
    return tuple(_citation(n, quote) for n, quote in enumerate(quotes, start=1))


def take_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """Take the ``[n]`` marks out of a text: the text without them, and their numbers, each once.

    Lists and ranges as models write them are understood.

    >>> take_marks("It rained [2][1, 3]. Twice [2-4].")
    ('It rained. Twice.', (2, 1, 3, 4))
    """
    found: dict[int, None] = {}
    for match in _MARKS.finditer(text):
        for item in re.split("[,;]", match[1].replace("^", "")):
            ends = [int(number) for number in re.split("[–-]", item)]
            found.update(dict.fromkeys(range(ends[0], ends[-1] + 1)))
    return _MARKS.sub("", text).strip(), tuple(found)


def sources(
    sentence: str,
    parts: Sequence[Part],
    *,
    asked_words: Collection[str] = (),
    marks: Sequence[int] = (),
    least: float = ANSWER_SUPPORT,
) -> tuple[Stretch, ...]:
    """Find the quotes that support a sentence; none if the parts do not support it.

    Of quotes with equally many words of the sentence, the one with most words of the question
    (``asked_words``, stems) is taken: the answer "Skive." is cited from where somebody is born, not
    from any mention of Skive.

    The parts numbered in ``marks`` are tried first, then all parts: a small model's marks are often
    missing or wrong, and what counts is whether the context supports the sentence.
    """
    marked = [part for part in parts if part.n in marks]
    for tried in (marked, parts):
        if found := _gather(sentence, asked_words, tried, least):
            return found
    return ()


def _gather(
    sentence: str, asked_words: Collection[str], parts: Sequence[Part], least: float
) -> tuple[Stretch, ...]:
    """Collect quotes, each time the one with most of the words that are still missing.

    A document's title counts as part of every quote from it.
    """
    options = [quote for part in parts for quote in _quotes(part)]
    words = [set(content_words(_cited(quote))) for quote in options]
    missing = set(content_words(sentence))
    chosen: list[Stretch] = []

    def use(i: int) -> tuple[int, int, int]:
        return (
            len(missing & words[i]),
            len(words[i].intersection(asked_words)),
            -len(options[i].text),
        )

    while options and len(chosen) < MOST_SOURCES:
        best = max(range(len(options)), key=use)
        if not missing & words[best]:
            break
        chosen.append(options[best])
        missing -= words[best]
        cited = SourceText(" ".join(map(_cited, chosen)))
        if support(sentence, cited) >= least:
            return _joined(chosen)
    return ()


def _quotes(part: Part) -> list[Stretch]:
    return [
        Stretch(part, part.start + start, part.start + end) for start, end in sentences(part.text)
    ]


def _cited(quote: Stretch) -> str:
    return f"{quote.part.title}. {quote.text}"


def _joined(quotes: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """Put quotes in the context's order and join those with only white space between them."""
    joined: list[Stretch] = []
    for quote in sorted(quotes, key=lambda quote: (quote.part.n, quote.start)):
        last = joined[-1] if joined else None
        if last and last.part.n == quote.part.n and not _between(last, quote).strip():
            joined[-1] = Stretch(last.part, last.start, quote.end)
        else:
            joined.append(quote)
    return tuple(joined)


def _between(one: Stretch, other: Stretch) -> str:
    return one.part.text[one.end - one.part.start : other.start - one.part.start]


def _citation(n: int, quote: Stretch) -> Citation:
    part = quote.part
    return Citation(
        n=n,
        doc=part.doc,
        path=part.path or path_of(part.doc),
        start=quote.start,
        end=quote.end,
        line_start=line_at(part, quote.start),
        line_end=line_at(part, max(quote.end - 1, quote.start)),
        quote=quote.text,
        page=page_at(part, quote.start),
        heading=heading_over(part, quote.start),
    )
