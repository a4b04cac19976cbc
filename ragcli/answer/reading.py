"""A question read: its windows, what the reader says of them, and what that says of a place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import TYPE_CHECKING

import numpy as np

from ragcli.answer.candidates import Sentence
from ragcli.answer.laid import Stretch
from ragcli.answer.score import AskedFeatures, CandidateFeatures, clipped, log_odds
from ragcli.answer.trim import whole
from ragcli.answer.view import View
from ragcli.answer.windows import TextToRead, stems
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import ReadPlace

if TYPE_CHECKING:
    from ragcli.models.reader import RankedSpan, Reader, ReaderAnswer, WindowReading

COUNT = 12
"""Spans of the reader that are compared."""

YES, NO, NEITHER = range(3)
"""Places of the reader's verdicts on yes or no."""

LEAST = -12.0
"""The lowest log of a share that is told apart."""


def polar(reading: WindowReading) -> float:
    """By how much the logits of yes and no are above that of neither."""
    return float(np.logaddexp(reading.yesno[YES], reading.yesno[NO]) - reading.yesno[NEITHER])


@dataclass(frozen=True, slots=True)
class ReadSpan:
    """A span of the reader, and what it is a part of in its document."""

    ranked: RankedSpan
    place: Stretch


@dataclass(frozen=True)
class ReadQuestion:
    """A question with the windows that were read for it, in ``texts``, and what the reader says."""

    asked: AskedQuestion
    view: View
    texts: tuple[TextToRead, ...]
    answer: ReaderAnswer

    @classmethod
    def by(
        cls, reader: Reader, asked: AskedQuestion, view: View, texts: Sequence[TextToRead]
    ) -> ReadQuestion:
        """Let the reader read the windows."""
        passages = [(window.title, window.text) for window in texts]
        return cls(asked, view, tuple(texts), reader.answer(asked.text, passages, count=COUNT))

    @cached_property
    def features(self) -> AskedFeatures:
        """What is known whatever the answer is."""
        view, readings = self.view, self.answer.readings
        return AskedFeatures(
            answered=clipped(max((one.answered for one in readings), default=-np.inf)),
            none=log_odds(self.answer.ranked.none),
            closest=float(view.similarity.max(initial=0.0)),
            covered=float(view.covers.sum(axis=1).max(initial=0.0)),
            named=view.named,
            missed=view.missed,
            marked=float(view.marked.max(initial=0.0)),
            polar=clipped(max(map(polar, readings), default=-np.inf)),
            wh=float(self.asked.has_question_word),
            asks=float(len(self.asked.stems)),
        )

    @cached_property
    def places(self) -> tuple[ReadPlace, ...]:
        """What was read of each passage, with the highest logit."""
        highest: dict[int, float] = {}
        for one in self.answer.readings:
            highest[one.passage] = max(one.answered, highest.get(one.passage, -np.inf))
        return tuple(
            ReadPlace(text.of.part.doc, text.of.start, text.of.end, clipped(highest[n]))
            for n, text in enumerate(self.texts)
            if n in highest and not text.digest
        )

    @cached_property
    def spans(self) -> tuple[ReadSpan, ...]:
        """The reader's spans that are in a passage, the likeliest first."""
        found = []
        for ranked in self.answer.ranked.spans:
            if place := self.texts[ranked.passage].place(ranked.start, ranked.end):
                found.append(ReadSpan(ranked, whole(place)))
        return tuple(found)

    def reading_of(self, span: ReadSpan) -> WindowReading:
        """What the reader says of the window of a span."""
        return self.answer.readings[span.ranked.window]

    def words(self, span: ReadSpan) -> CandidateFeatures:
        """What is known of a span as an answer."""
        ranked = span.ranked
        share = log(ranked.probability + 1e-12)
        others = [one.ranked.probability for one in self.spans if one is not span]
        return replace(
            self.evidence(span.place, span),
            likely=max(LEAST, share),
            alone=max(LEAST, ranked.score - self.answer.ranked.firsts[ranked.window].score),
            sharp=max(LEAST, ranked.score - self._whole - share),
            above=clipped(ranked.score - self._null),
            lead=clipped(share - log(max(others, default=0.0) + 1e-9)),
            digest=float(self.texts[ranked.passage].digest),
            repeated=self.repeated(ranked.text),
        )

    def repeated(self, text: str) -> float:
        """The share of the words of a text that the question says."""
        words = stems(text)
        return len(words & self.asked.stems) / len(words) if words else 0.0

    def evidence(self, place: Stretch, span: ReadSpan) -> CandidateFeatures:
        """What is known of a place as evidence; ``span`` is the reader's that led there."""
        reading = self.reading_of(span)
        found = self._sentence(place)
        view, part = self.view, place.part
        similarity = covers = marked = 0.0
        if found is not None:
            similarity, marked = float(view.similarity[found]), float(view.marked[found])
            covers = float(view.covers[found].sum())
        return CandidateFeatures(
            answered=clipped(reading.answered),
            near=similarity,
            covers=covers,
            unmarked=self.features.marked - marked,
            rank=float(self._ranks.get(part.n, len(self._ranks))),
        )

    def _sentence(self, place: Stretch) -> int | None:
        """The number of the sentence that holds a place, if it was compared."""
        for at, sentence in enumerate(self.view.sentences):
            if _holds(sentence, place):
                return at
        return None

    @cached_property
    def _ranks(self) -> dict[int, int]:
        return {one.of.part.n: one.rank for one in self.texts if not one.digest}

    @cached_property
    def _null(self) -> float:
        """The highest logit of no answer."""
        return max((one.null for one in self.answer.readings), default=0.0)

    @cached_property
    def _whole(self) -> float:
        """The log of the sum over all spans and no answer."""
        nulls = np.array([one.null for one in self.answer.readings])
        return float(np.logaddexp.reduce(nulls) - log(max(self.answer.ranked.none, 1e-12)))


def _holds(sentence: Sentence, place: Stretch) -> bool:
    same = sentence.part.n == place.part.n
    return same and sentence.start <= place.start and place.end <= sentence.end
