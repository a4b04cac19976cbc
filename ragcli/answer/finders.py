"""Finders: what each makes of a question that was read, as candidates.

No finder decides, and none has a confidence of its own (``score``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragcli.answer.bridging import Bridged
from ragcli.answer.candidates import Sentence, sentence_at
from ragcli.answer.comparing import compare
from ragcli.answer.laid import Stretch
from ragcli.answer.reading import NO, YES, ReadQuestion, polar
from ragcli.answer.score import AskedFeatures, CandidateFeatures, clipped, log_odds
from ragcli.types import Part

if TYPE_CHECKING:
    from ragcli.models.reader import Reader


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """A possible answer, where it is, and what it is judged by.

    ``said`` is "yes" or "no"; or "", and the words of the first of ``places`` answer.
    """

    places: tuple[Stretch, ...]
    asked: AskedFeatures
    own: CandidateFeatures
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


def spans(read: ReadQuestion, bridged: Bridged | None = None) -> Iterator[AnswerCandidate]:
    """The reader's spans; of a question in steps with the places of the names found."""
    steps = bridged.steps if bridged else ()
    least = min((log_odds(step.sure) for step in steps), default=0.0)
    for span in read.spans:
        if bridged is None or not bridged.says(span.place.text):
            own = replace(read.words(span), stepped=float(len(steps)), step=least)
            places = (span.place, *(step.place for step in steps))
            yield AnswerCandidate(places, read.features, own)


def verdict(read: ReadQuestion) -> Iterator[AnswerCandidate]:
    """The verdict of the window that tells most, with its likeliest span as evidence."""
    if not read.spans:
        return
    span = max(read.spans, key=lambda one: polar(read.reading_of(one)))
    reading = read.reading_of(span)
    yes = float(reading.yesno[YES] - reading.yesno[NO])
    own = replace(
        read.evidence(span.place, span),
        kind=1.0,
        sure=clipped(abs(yes)),
        told=clipped(polar(reading)),
        yes=float(yes > 0),
    )
    yield AnswerCandidate((span.place,), read.features, own, "yes" if yes > 0 else "no")


def compared(
    read: ReadQuestion, parts: Sequence[Part], reader: Reader
) -> Iterator[AnswerCandidate]:
    """What two things that the question compares come to."""
    if found := compare(read.asked, parts, reader):
        said = found.text if found.text in ("yes", "no") else ""
        kind, yes = 4.0 + found.how, float(said == "yes")
        own = CandidateFeatures(kind=kind, sure=found.sure, yes=yes)
        yield AnswerCandidate(found.places, read.features, own, said)
