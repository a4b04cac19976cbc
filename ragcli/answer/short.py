"""The short answer: the words of a document that answer a question, and how sure that is.

A reader (``models.reader``) looks for it in the passages of a context, all of them together: the
best span of one passage competes with those of all others and with "it is not here". Passages are
read best first until ``READ_CHARS`` are full; of a long one only the sentences that are most about
the question and their neighbours are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log
from typing import TYPE_CHECKING

from ragcli.answer.answer_kind import asks_amount, fits, has_no_short_answer
from ragcli.answer.bridging import Bridged, bridge
from ragcli.answer.candidates import Sentence, sentence_at
from ragcli.answer.comparing import Comparison, compare
from ragcli.answer.counter_questions import NOT_ASKED, Countered, countered, unasked
from ragcli.answer.lookup import look_up
from ragcli.answer.lookup.releases import ReleaseAnswer, release_answer
from ragcli.answer.lookup.since import since_answer
from ragcli.answer.told import Signs, decided, signs, told
from ragcli.answer.trim import clause_around, enumerated, on_one_line, tightened, whole
from ragcli.answer.view import View
from ragcli.answer.windows import Stretch, TextToRead, windows
from ragcli.text.asked_lists import asked_list
from ragcli.text.identifiers import holds, is_short_option, named_in, without_identifiers
from ragcli.text.words import content_words, stem
from ragcli.text.yes_no import asked_claim
from ragcli.types import Citation, Context, Part, ShortAnswer, ShortItem, ShortKind

if TYPE_CHECKING:
    from ragcli.models.reader import RankedSpan, Reader, WindowReading

COUNT = 8
"""Answers that are compared by their kind and by the identifiers around them."""

UNFIT = 2.0
"""Log of how much less likely an answer of another kind than asked for is than it seems."""

RANK = 0.45
"""The same for each passage that was found before the one that holds the answer."""

UNMARKED = 4.0
"""The same for an answer whose sentence lacks the identifiers that another one holds."""


CLAUSE = 6.0
"""What all of the question's words in the clause of a number add: of two numbers in a sentence, the
one that counts what is asked."""

LESS_SURE = 0.5
"""How much less sure an answer found step by step may be than the one to the question itself."""

LESS_SURE_UNNAMED = 0.05
"""The same where a description hangs on no name: rules find more of these where there are none."""


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """The best short answer, and where it stands or was read.

    ``said`` is "yes" or "no"; else "", and the answer is the words of the first of ``places``, or
    of all of them if it is a list. ``confidence`` is the probability that it is right. ``judge``
    makes the signs that say whether the passages tell what was asked; a comparison of two things
    has none. It may read once more, so it is called only where they can change something, and
    leaves out those that cannot unless it is given True.
    """

    places: tuple[Stretch, ...]
    confidence: float
    judge: Callable[[bool], Signs] | None = None
    said: str = ""
    listed: bool = False

    @property
    def signs(self) -> Signs | None:
        """All that speaks for the passages telling what was asked; made anew each time."""
        return self.judge(True) if self.judge else None

    @property
    def text(self) -> str:
        """The answer: yes, no, or words of a document; the items of a list with commas."""
        if self.said:
            return self.said
        return ", ".join(place.text for place in self.places[: None if self.listed else 1])

    @property
    def told(self) -> float:
        """The probability that the passages tell what was asked."""
        return told(self.judge(False)) if self.judge else 1.0

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences that hold the places, each once."""
        found = (sentence_at(place.part, place.start, place.end) for place in self.places)
        return list({(one.part.n, one.start): one for one in found}.values())

    def short(self, citations: Sequence[Citation]) -> ShortAnswer | None:
        """The short answer with the citations that hold it; None if one place has none."""
        items = [item for place in self.places if (item := _item(place, citations))]
        if len(items) < len(self.places) or not items:
            return None
        kind: ShortKind = "yes-no" if self.said else "list" if self.listed else "words"
        first = items[0]
        return ShortAnswer(
            self.text,
            first.doc,
            first.start,
            first.end,
            round(self.confidence, 4),
            first.n,
            kind,
            tuple(items) if kind != "words" else (),
        )


def _item(place: Stretch, citations: Sequence[Citation]) -> ShortItem | None:
    """A place with the number of the citation that holds it."""
    for citation in citations:
        inside = citation.start <= place.start and place.end <= citation.end
        if citation.doc == place.part.doc and inside:
            text = citation.quote[place.start - citation.start : place.end - citation.start]
            return ShortItem(text, citation.doc, place.start, place.end, citation.n)
    return None


def find(question: str, context: Context, view: View, reader: Reader) -> FoundAnswer | None:
    """The best short answer to ``question`` in ``context``; None when there is nothing to read.

    A question in steps is asked as it stands and step by step; the latter counts unless the reader
    is much less sure of it.
    """
    everything = [*context.parts, *context.behind]
    if comparison := compare(question, everything, reader):
        return _of_comparison(comparison)
    if asked_claim(question) and (verdict := _yes_or_no(question, view, everything)):
        return verdict
    if since := since_answer(question, everything):
        return FoundAnswer(since.places, since.confidence)
    if release := release_answer(question, everything, view):
        return _of_release(release) or _bearing_out(
            release, _reading(question, everything, view, reader)
        )
    if found := look_up(question, everything, view):
        return FoundAnswer(found.places, found.confidence, listed=found.listed)
    return _reading(question, everything, view, reader)


def _yes_or_no(question: str, view: View, parts: Sequence[Part]) -> FoundAnswer | None:
    """Yes or no. Its patterns take 6 ms to compile: only if a question asks so."""
    from ragcli.answer.yes_no import yes_or_no

    verdict = yes_or_no(question, view, parts)
    if verdict is None:
        return None
    return FoundAnswer((verdict.place,), verdict.sure, said=verdict.said)


def _reading(
    question: str, parts: Sequence[Part], view: View, reader: Reader
) -> FoundAnswer | None:
    """What the reader finds in some parts, asked at once and step by step."""
    bearing = _bearing(parts, question)
    read = windows(bearing, view)
    if not read:
        return None
    found = _read(question, read, view, reader)
    bridged = bridge(question, bearing, read, reader)
    last = _read(bridged.question, bridged.read, view, reader) if bridged else None
    if (
        bridged
        and last
        and (found is None or _better(question, bridged, last.answer, found.answer))
    ):
        judged = last.judged(view, reader)
        return replace(judged, places=(*judged.places, *(step.place for step in bridged.steps)))
    return found.judged(view, reader) if found else None


def _better(question: str, bridged: Bridged, last: FoundAnswer, found: FoundAnswer) -> bool:
    """Whether what was found step by step answers the question rather than what was found at once:
    not if the reader is much less sure of it, or only the other is of the kind asked for. What only
    says a name that stands for a description answers nothing."""
    less = LESS_SURE if bridged.named else LESS_SURE_UNNAMED
    if bridged.says(last.text) or last.confidence < found.confidence - less:
        return False
    return bridged.says(found.text) or fits(question, last.text) or not fits(question, found.text)


@dataclass(frozen=True, slots=True)
class _ReadAnswer:
    """An answer without its signs, and what they are made of: the question it was read for, the
    reader's place before it was made whole, and its readings."""

    answer: FoundAnswer
    question: str
    place: Stretch
    readings: Sequence[WindowReading]

    def judged(self, view: View, reader: Reader) -> FoundAnswer:
        """The answer with what makes its signs."""
        return replace(self.answer, judge=partial(self._signs, view, reader))

    def _signs(self, view: View, reader: Reader, every: bool) -> Signs:
        """What speaks for the answer; ``every``: even what cannot change the verdict."""

        def made(other: Countered) -> Signs:
            return signs(self.question, view, self.readings, other, self.answer.confidence)

        # Without a short answer, what the reader makes of other questions does not count.
        if has_no_short_answer(self.question):
            return made(NOT_ASKED)
        unread = made(unasked(self.question, self.place))
        if decided(unread) and not every:
            return unread
        return made(countered(self.question, self.place, reader))


def _read(
    question: str, read: Sequence[TextToRead], view: View, reader: Reader
) -> _ReadAnswer | None:
    """The best short answer in some windows."""
    answer = reader.answer(question, [(window.title, window.text) for window in read], count=COUNT)
    found: list[_PlacedSpan] = []
    for likely in answer.ranked.spans:
        reading = answer.readings[likely.window]
        span = on_one_line(question, read[likely.passage].text, likely)
        span = tightened(question, span, reading)
        if place := read[span.passage].told(span.start, span.end):
            found.append(_PlacedSpan(span, place))
    if not found:
        return None
    ranks = {window.of.part.n: window.rank for window in read if window.kind != "digest"}
    marked = _marks(view)
    most = max((marked.get(placed.key, 0.0) for placed in found), default=0.0)

    words = _roots(question) if asks_amount(question) else frozenset()

    def fitness(placed: _PlacedSpan) -> float:
        """Less for an answer beside the identifiers of the question while another stands there."""
        beside = most - marked.get(placed.key, 0.0)
        counts = words and fits(question, placed.span.text)
        clause = _clause_share(words, placed.place) if counts else 0.0
        before = ranks.get(placed.place.part.n, len(ranks))
        return _fitness(question, placed.span) - UNMARKED * beside - RANK * before + CLAUSE * clause

    best = max(found, key=fitness)
    rest = (placed.span for placed in found if placed is not best)
    ranked = replace(answer.ranked, spans=(best.span, *rest))
    confidence = reader.calibration.confidence(ranked, answer.readings)
    place = whole(question, best.place)
    if asked_list(question):
        place = enumerated(place)
    short = FoundAnswer((place,), confidence)
    return _ReadAnswer(short, question, best.place, answer.readings)


def _of_release(found: ReleaseAnswer) -> FoundAnswer | None:
    """A version or a date of a heading; None if it stands outside the passage."""
    if not found.placed:
        return None
    sentence = found.sentence
    places = [Stretch(found.part, found.start, found.end)]
    if not sentence.start <= found.start < sentence.end:
        places.append(Stretch(sentence.part, sentence.start, sentence.end))
    return FoundAnswer(tuple(places), found.confidence)


def _bearing_out(release: ReleaseAnswer, read: FoundAnswer | None) -> FoundAnswer | None:
    """What was read, if it names the same release; what is shown carries the heading anyway."""
    return read if read and holds(read.text, release.text) else None


def _of_comparison(found: Comparison) -> FoundAnswer:
    """Yes or no with both things' places; or the name of one, and the other's place."""
    said = found.text if found.text in ("yes", "no") else ""
    return FoundAnswer(found.places, found.sure, said=said)


@dataclass(frozen=True, slots=True)
class _PlacedSpan:
    """An answer of the reader with its place."""

    span: RankedSpan
    place: Stretch

    @property
    def key(self) -> tuple[int, int]:
        """What the sentence around it is known by: its part's number and its start."""
        return self.place.part.n, sentence_at(
            self.place.part, self.place.start, self.place.end
        ).start


def _marks(view: View) -> dict[tuple[int, int], float]:
    """How much each sentence holds the question's identifiers, by its part's number and start."""
    pairs = zip(view.sentences, view.marked.tolist(), strict=True)
    return {(sentence.part.n, sentence.start): mark for sentence, mark in pairs if mark}


def _fitness(question: str, span: RankedSpan) -> float:
    """The log of an answer's probability, less what its kind takes off."""
    return log(span.probability + 1e-4) - UNFIT * (not fits(question, span.text))


def _roots(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(text)))


def _clause_share(words: frozenset[str], place: Stretch) -> float:
    """The share of words (stems) that stand in the clause of a place."""
    return len(words & _roots(clause_around(place))) / len(words)


def _bearing(parts: Sequence[Part], question: str) -> list[Part]:
    """Return the parts that hold most of the question's identifiers; all if none is held.

    The answer for one version or option is not read from the passage of another.
    """
    marks = named_in(question)
    held = [
        sum(
            holds("\n".join([part.doc, part.title, *dict(part.headings).values(), part.text]), mark)
            for mark in marks
        )
        for part in parts
    ]
    kept = [part for part, count in zip(parts, held, strict=True) if count == max(held)]
    return _of_program(kept, question) if any(map(is_short_option, marks)) else kept


def _of_program(parts: Sequence[Part], question: str) -> list[Part]:
    """The parts whose document is named after a word of the question, as a program is whose option
    is asked about; all if there are none."""
    words = set(content_words(without_identifiers(question)))
    named = [
        part for part in parts if words.intersection(content_words(f"{part.doc} {part.title}"))
    ]
    return named or list(parts)
