"""The short answer: the words of a document that answer a question, and how sure that is.

Candidates come from several finders: the reader (``models.reader``), which looks for the answer in
the passages of a context, all of them together; the reader again, once names stand for what the
question describes (``bridging``); its verdict on a question for yes or no; and a comparison of two
things (``comparing``). One score (``score``) decides between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from ragcli.answer.bridging import bridge
from ragcli.answer.candidates import Sentence, sentence_at
from ragcli.answer.comparing import compare
from ragcli.answer.score import (
    AskedFeatures,
    PolarFeatures,
    SpanFeatures,
    clipped,
    log_odds,
    of_polar,
    of_span,
    told,
)
from ragcli.answer.trim import on_one_line, whole
from ragcli.answer.view import View
from ragcli.answer.windows import Stretch, TextToRead, stems, windows
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Citation, Context, ShortAnswer, ShortItem, ShortKind

if TYPE_CHECKING:
    from ragcli.models.reader import Reader, ReaderAnswer, WindowReading

COUNT = 12
"""Spans of the reader that are compared."""

STEPPED = 0.4
"""By how much less sure an answer found step by step may be than the one to the question itself."""

YES, NO, NEITHER = range(3)
"""Places of the reader's verdicts on yes or no."""


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """A short answer, and where it stands or was read.

    ``said`` is "yes" or "no"; else "", and the answer is the words of the first of ``places``.
    ``confidence`` is the probability that it is right, ``told``
    that the passages tell what was asked.
    """

    places: tuple[Stretch, ...]
    confidence: float
    told: float = 1.0
    said: str = ""

    @property
    def text(self) -> str:
        """The answer: yes, no, or words of a document."""
        return self.said or self.places[0].text

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
        kind: ShortKind = "yes-no" if self.said else "words"
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


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """Words of a document, or yes or no with its evidence, and what they are judged by."""

    places: tuple[Stretch, ...]
    asked: AskedFeatures
    own: SpanFeatures | PolarFeatures
    said: str = ""

    def scored(self) -> FoundAnswer:
        """The candidate as an answer."""
        if isinstance(self.own, SpanFeatures):
            confidence = of_span(self.asked, self.own)
        else:
            confidence = of_polar(self.asked, self.own)
        return FoundAnswer(self.places, confidence, told(self.asked), self.said)


def _item(place: Stretch, citations: Sequence[Citation]) -> ShortItem | None:
    """A place with the number of the citation that holds it."""
    for citation in citations:
        inside = citation.start <= place.start and place.end <= citation.end
        if citation.doc == place.part.doc and inside:
            text = citation.quote[place.start - citation.start : place.end - citation.start]
            return ShortItem(text, citation.doc, place.start, place.end, citation.n)
    return None


def find(asked: AskedQuestion, context: Context, view: View, reader: Reader) -> FoundAnswer | None:
    """The likeliest short answer to a question in ``context``; None where nothing is read."""
    parts = [*context.parts, *context.behind]
    if comparison := compare(asked, parts, reader):
        said = comparison.text if comparison.text in ("yes", "no") else ""
        return FoundAnswer(comparison.places, comparison.sure, said=said)
    scored = [one.scored() for one in found(asked, context, view, reader)]
    return max(scored, key=_sure, default=None)


def _sure(found: FoundAnswer) -> float:
    """The confidence by which answers are compared: questions in steps are rare in the fit."""
    return found.confidence + STEPPED * (not found.said and len(found.places) > 1)


def found(
    asked: AskedQuestion, context: Context, view: View, reader: Reader
) -> list[AnswerCandidate]:
    """All candidates but comparisons, in no order."""
    parts = [*context.parts, *context.behind]
    read = windows(parts, view)
    if not read:
        return []
    answer = _answer(asked, read, reader)
    features = _features(asked, view, answer)
    spans = list(_spans(asked, read, view, answer, features))
    if not asked.has_question_word:
        spans += _polar(read, view, answer, features)
    if bridged := bridge(asked, parts, read, reader):
        again = _answer(bridged.asked, bridged.read, reader)
        steps = tuple(step.place for step in bridged.steps)
        spans += [
            one
            for one in _spans(
                bridged.asked,
                bridged.read,
                view,
                again,
                _features(bridged.asked, view, again),
                steps,
            )
            if not bridged.says(one.places[0].text)
        ]
    return spans


def _answer(asked: AskedQuestion, read: Sequence[TextToRead], reader: Reader) -> ReaderAnswer:
    return reader.answer(asked.text, [(window.title, window.text) for window in read], count=COUNT)


def _features(asked: AskedQuestion, view: View, answer: ReaderAnswer) -> AskedFeatures:
    """What the reader and the view say of the question."""
    return AskedFeatures(
        answered=clipped(max((one.answered for one in answer.readings), default=-np.inf)),
        none=log_odds(answer.ranked.none),
        closest=float(view.similarity.max(initial=0.0)),
        covered=float(view.covers.sum(axis=1).max(initial=0.0)),
        named=view.named,
        missed=view.missed,
        marked=float(view.marked.max(initial=0.0)),
        polar=clipped(max((_told(one) for one in answer.readings), default=-np.inf)),
        wh=float(asked.has_question_word),
    )


def _told(reading: WindowReading) -> float:
    """By how much the logits of yes and no are above that of neither."""
    return float(np.logaddexp(reading.yesno[YES], reading.yesno[NO]) - reading.yesno[NEITHER])


def _spans(
    asked: AskedQuestion,
    read: Sequence[TextToRead],
    view: View,
    answer: ReaderAnswer,
    features: AskedFeatures,
    steps: tuple[Stretch, ...] = (),
) -> Iterator[AnswerCandidate]:
    """The reader's spans; ``steps`` are the places of names that stand for descriptions."""
    near = _Nearness(view, read)
    spans = answer.ranked.spans
    null = max((one.null for one in answer.readings), default=0.0)
    for at, likely in enumerate(spans):
        reading = answer.readings[likely.window]
        span = on_one_line(read[likely.passage].text, likely)
        place = read[span.passage].told(span.start, span.end)
        if place is None:
            continue
        similarity, covers, marked = near.of(place)
        next_best = spans[1 if at == 0 else 0].probability if len(spans) > 1 else 0.0
        own = SpanFeatures(
            likely=max(-12.0, log(likely.probability + 1e-12)),
            above=clipped(likely.score - null),
            lead=clipped(log((likely.probability + 1e-9) / (next_best + 1e-9))),
            answered=clipped(reading.answered),
            near=similarity,
            covers=covers,
            unmarked=features.marked - marked,
            rank=float(near.rank(place)),
            digest=float(read[span.passage].kind == "digest"),
            long=log(1 + len(span.text.split())),
            repeated=_repeated(span.text, asked.stems),
            stepped=float(bool(steps)),
        )
        yield AnswerCandidate((whole(place), *steps), features, own)


def _polar(
    read: Sequence[TextToRead], view: View, answer: ReaderAnswer, features: AskedFeatures
) -> list[AnswerCandidate]:
    """The verdict of the window that tells most, with its likeliest span as evidence."""
    near = _Nearness(view, read)
    best: tuple[float, AnswerCandidate] | None = None
    for span in answer.ranked.spans:
        verdict = answer.readings[span.window].yesno
        place = read[span.passage].told(span.start, span.end)
        if place is None:
            continue
        likelier = YES if verdict[YES] > verdict[NO] else NO
        own = PolarFeatures(
            lead=clipped(abs(verdict[YES] - verdict[NO])),
            told=clipped(_told(answer.readings[span.window])),
            yes=float(likelier == YES),
            near=near.of(place)[0],
            rank=float(near.rank(place)),
        )
        made = AnswerCandidate((place,), features, own, "yes" if likelier == YES else "no")
        if best is None or own.told > best[0]:
            best = own.told, made
    return [best[1]] if best else []


class _Nearness:
    """What the view knows of the sentence that holds a place."""

    def __init__(self, view: View, read: Sequence[TextToRead]) -> None:
        self._rows = {
            (sentence.part.n, sentence.start): at for at, sentence in enumerate(view.sentences)
        }
        self._view = view
        self._ranks = {w.of.part.n: w.rank for w in read if w.kind != "digest"}

    def of(self, place: Stretch) -> tuple[float, float, float]:
        """Similarity, share of the question's words, share of its identifiers; 0 if unknown."""
        sentence = sentence_at(place.part, place.start, place.end)
        at = self._rows.get((sentence.part.n, sentence.start))
        if at is None:
            return 0.0, 0.0, 0.0
        view = self._view
        return float(view.similarity[at]), float(view.covers[at].sum()), float(view.marked[at])

    def rank(self, place: Stretch) -> int:
        """How many passages come before the one that holds a place."""
        return self._ranks.get(place.part.n, len(self._ranks))


def _repeated(text: str, said: frozenset[str]) -> float:
    """The share of the words of a text that the question says."""
    words = stems(text)
    return len(words & said) / len(words) if words else 0.0
