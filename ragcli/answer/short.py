"""The short answer: the words of a document that answer a question, and how sure that is.

A reader (``models.reader``) looks for it in the passages of a context, all of them together: the
best span of one passage competes with those of all others and with "it is not here". Passages are
read best first until ``READ_CHARS`` are full; of a long one only the sentences that are most about
the question and their neighbours are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING

from ragcli.answer.answer_kind import fits
from ragcli.answer.candidates import Sentence, candidates, sentence_at
from ragcli.answer.choose import TUNING, choose
from ragcli.answer.told import Signs, signs, told
from ragcli.answer.view import View
from ragcli.text.identifiers import holds, named_in
from ragcli.text.markup import without_page_lines
from ragcli.text.sentences import sentences
from ragcli.types import Citation, Context, Part, ShortAnswer

if TYPE_CHECKING:
    from ragcli.models.reader import RankedSpan, Reader

READ_CHARS = 5000
"""Characters that the reader is given for one question: about 1,200 tokens, 0.3 s on one core."""

COUNT = 8
"""Answers that are compared by their kind and by the identifiers around them."""

DIGEST_CHARS = 1100
"""Characters of the window that holds the best sentences of all passages."""

DIGEST_TUNING = replace(TUNING, most=10, second=0.0, stop=0.0)

UNFIT = 2.0
"""Log of how much less likely an answer of another kind than asked for is than it seems."""

UNMARKED = 4.0
"""The same for an answer whose sentence lacks the identifiers that another one holds."""

PART_CHARS = 1200
"""Characters of one passage that are read: what fits one window of the reader."""


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """The reader's best answer: ``part.text[start - part.start : end - part.start]``.

    ``start`` and ``end`` are offsets into the document. ``confidence`` is the calibrated
    probability that it is right; ``signs`` say whether the passages tell what was asked.
    """

    part: Part
    start: int
    end: int
    confidence: float
    signs: Signs

    @property
    def told(self) -> float:
        """The probability that the passages tell what was asked."""
        return told(self.signs)

    @property
    def sentence(self) -> Sentence:
        """The sentence that holds the answer."""
        return sentence_at(self.part, self.start, self.end)

    def short(self, citations: Sequence[Citation]) -> ShortAnswer | None:
        """The short answer with the number of the citation that holds it; None if none does."""
        for citation in citations:
            inside = citation.start <= self.start and self.end <= citation.end
            if citation.doc == self.part.doc and inside:
                begin = self.start - citation.start
                text = citation.quote[begin : begin + self.end - self.start]
                return ShortAnswer(
                    text,
                    citation.doc,
                    self.start,
                    self.end,
                    round(self.confidence, 4),
                    citation.n,
                )
        return None


def find(question: str, context: Context, view: View, reader: Reader) -> FoundAnswer | None:
    """The reader's best answer to ``question`` in ``context``; None when there is nothing to read.

    ``view`` says which sentences are most about the question: of a long passage those are read, and
    the best of all passages are read once more in one window, for a question in two steps.
    """
    parts = _bearing([*context.parts, *context.behind], named_in(question))
    excerpts = _excerpts(parts, _worth(view))
    if not excerpts:
        return None
    digest = _Digest.of(view, parts)
    passages = [
        (_above(part, start), without_page_lines(part.text[start:end]))
        for part, start, end in excerpts
    ]
    passages.append((digest.title, digest.text))
    answer = reader.answer(question, passages, count=COUNT)
    found: list[_PlacedSpan] = []
    for span in answer.ranked.spans:
        place: tuple[Part, int] | None
        if span.passage == len(excerpts):
            place = digest.place(span.start, span.end)
        else:
            part, start, _ = excerpts[span.passage]
            place = part, part.start + start + span.start
        if place is not None:
            found.append(_PlacedSpan(span, *place))
    if not found:
        return None
    marked = _marks(view)
    most = max((marked.get(placed.key, 0.0) for placed in found), default=0.0)

    def fitness(placed: _PlacedSpan) -> float:
        """Less for an answer beside the identifiers of the question while another stands there."""
        beside = most - marked.get(placed.key, 0.0)
        return _fitness(question, placed.span) - UNMARKED * beside

    best = max(found, key=fitness)
    rest = (placed.span for placed in found if placed is not best)
    ranked = replace(answer.ranked, spans=(best.span, *rest))
    return FoundAnswer(
        best.part,
        best.begin,
        best.begin + best.span.end - best.span.start,
        reader.calibration.confidence(ranked, answer.readings),
        signs(view, answer.readings),
    )


@dataclass(frozen=True, slots=True)
class _PlacedSpan:
    """An answer of the reader with its part and its offset in the document."""

    span: RankedSpan
    part: Part
    begin: int

    @property
    def key(self) -> tuple[int, int]:
        """What the sentence around it is known by: its part's number and its start."""
        end = self.begin + self.span.end - self.span.start
        return self.part.n, sentence_at(self.part, self.begin, end).start


def _marks(view: View) -> dict[tuple[int, int], float]:
    """How much each sentence holds the question's identifiers, by its part's number and start."""
    pairs = zip(view.sentences, view.marked.tolist(), strict=True)
    return {(sentence.part.n, sentence.start): mark for sentence, mark in pairs if mark}


def _fitness(question: str, span: RankedSpan) -> float:
    """The log of an answer's probability, less what its kind takes off."""
    return log(span.probability + 1e-4) - UNFIT * (not fits(question, span.text))


@dataclass(frozen=True, slots=True)
class _Digest:
    """The sentences most about a question as one text, a document's title before its first.

    ``places`` are (start in ``text``, sentence), in order.
    """

    title: str
    text: str
    places: tuple[tuple[int, Sentence], ...]

    @classmethod
    def of(cls, view: View, parts: Sequence[Part]) -> _Digest:
        """Put the best sentences of parts together: ``DIGEST_CHARS`` characters at most."""
        order = choose(view, DIGEST_TUNING)
        text, before = "", -1
        places: list[tuple[int, Sentence]] = []
        order = [i for i in order if view.sentences[i].part in parts] or order
        for sentence in sorted(
            (view.sentences[i] for i in order), key=lambda s: (s.part.n, s.start)
        ):
            words = sentence.part.text[
                sentence.start - sentence.part.start : sentence.end - sentence.part.start
            ]
            if len(text) + len(words) > DIGEST_CHARS:
                continue
            if text and sentence.part.n != before:
                text += f" {sentence.part.title}. " if sentence.part.title else " "
            elif text:
                text += " "
            places.append((len(text), sentence))
            text, before = text + words, sentence.part.n
        return cls(places[0][1].part.title if places else "", text, tuple(places))

    def place(self, start: int, end: int) -> tuple[Part, int] | None:
        """The part and the offset in its document of a stretch of ``text``; None in a title."""
        for begin, sentence in self.places:
            if begin <= start and end <= begin + sentence.end - sentence.start:
                return sentence.part, sentence.start + start - begin
        return None


def _bearing(parts: Sequence[Part], marks: Sequence[str]) -> list[Part]:
    """Return the parts that hold most of the identifiers; all if there are none, or none is held.

    The answer for one version or option is not read from the passage of another.
    """
    held = [
        sum(
            holds("\n".join([part.doc, part.title, *dict(part.headings).values(), part.text]), mark)
            for mark in marks
        )
        for part in parts
    ]
    return [part for part, count in zip(parts, held, strict=True) if count == max(held)]


def _worth(view: View) -> dict[tuple[int, int], float]:
    """How much each sentence is about the question, by its part's number and its start."""
    values = (view.similarity + view.covers.sum(axis=1) + TUNING.mark * view.marked).tolist()
    return {
        (sentence.part.n, sentence.start): value
        for sentence, value in zip(view.sentences, values, strict=True)
    }


def _excerpts(
    parts: Sequence[Part], worth: dict[tuple[int, int], float]
) -> list[tuple[Part, int, int]]:
    """(part, start, end) of what is read, offsets into the part's text; best parts first."""
    found: list[tuple[Part, int, int]] = []
    room = READ_CHARS
    for part in parts:
        start, end = _excerpt(part, worth, min(PART_CHARS, room))
        if end <= start:
            break
        found.append((part, start, end))
        room -= end - start
    return found


def _excerpt(part: Part, worth: dict[tuple[int, int], float], room: int) -> tuple[int, int]:
    """Whole sentences around the one most about the question, at most ``room`` characters.

    (0, 0) when not even that sentence fits.
    """
    if len(part.text) <= room:
        return 0, len(part.text)
    spans = sentences(part.text)
    if not spans:
        return 0, 0
    best = max(
        range(len(spans)), key=lambda i: (worth.get((part.n, part.start + spans[i][0]), -1.0), -i)
    )
    low = high = best
    if spans[best][1] - spans[best][0] > room:
        return 0, 0
    while True:
        start, end = spans[low][0], spans[high][1]
        # Backwards first: what a sentence refers to stands before it.
        if low > 0 and end - spans[low - 1][0] <= room and best - low <= high - best:
            low -= 1
        elif high + 1 < len(spans) and spans[high + 1][1] - start <= room:
            high += 1
        elif low > 0 and end - spans[low - 1][0] <= room:
            low -= 1
        else:
            return start, end


def _above(part: Part, start: int) -> str:
    """The title of a part and the headings that stand above its text from ``start`` on."""
    heading = part.heading_at(part.start + start)
    for sentence in () if heading else candidates(part):
        if sentence.end > part.start + start:
            heading = sentence.heading
            break
    return ": ".join(dict.fromkeys(filter(None, (part.title, heading))))
