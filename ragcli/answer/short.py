"""The short answer: the words of a document that answer a question, and how sure that is.

``finders`` gather candidates from what was read; one score (``score``) decides between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.answer import finders
from ragcli.answer.bridging import bridge
from ragcli.answer.candidates import Sentence
from ragcli.answer.finders import AnswerCandidate
from ragcli.answer.laid import Stretch
from ragcli.answer.reading import ReadQuestion
from ragcli.answer.score import chosen, told
from ragcli.answer.view import View
from ragcli.answer.windows import windows
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Citation, Context, ShortAnswer, ShortItem, ShortKind

if TYPE_CHECKING:
    from ragcli.models.reader import Reader


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """A short answer; ``confidence`` is the probability that it is right, ``told`` that the
    passages tell what was asked, ``read`` what was read to find it."""

    candidate: AnswerCandidate
    confidence: float
    told: float
    read: ReadQuestion

    @property
    def text(self) -> str:
        """Yes, no, or words of a document."""
        return self.candidate.text

    @property
    def places(self) -> tuple[Stretch, ...]:
        """Where it is, or was read."""
        return self.candidate.places

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences that hold the places, each once."""
        return self.candidate.sentences

    def short(self, citations: Sequence[Citation]) -> ShortAnswer | None:
        """The short answer with the citations that hold it; None if one place has none."""
        items = [item for place in self.places if (item := _item(place, citations))]
        if len(items) < len(self.places) or not items:
            return None
        kind: ShortKind = "yes-no" if self.candidate.said else "words"
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


def find(asked: AskedQuestion, context: Context, view: View, reader: Reader) -> FoundAnswer | None:
    """The likeliest short answer to a question in ``context``; None where nothing is read."""
    read, candidates = found(asked, context, view, reader)
    if not candidates:
        return None
    scored = chosen([(one.asked, one.own, one.text) for one in candidates])
    best = candidates[scored.at]
    return FoundAnswer(best, scored.probability, told(candidates[0].asked), read)


def found(
    asked: AskedQuestion, context: Context, view: View, reader: Reader
) -> tuple[ReadQuestion, list[AnswerCandidate]]:
    """What was read, and all candidates, in no order."""
    parts = [*context.parts, *context.behind]
    texts = windows(parts, view)
    read = ReadQuestion.by(reader, asked, view, texts)
    if not texts:
        return read, []
    candidates = list(finders.spans(read))
    both = list(finders.compared(read, parts, reader))
    # One passage does not tell what is asked of two things.
    candidates += both or ([] if asked.has_question_word else finders.verdict(read))
    if bridged := bridge(asked, parts, texts, reader):
        again = ReadQuestion.by(reader, bridged.asked, view, bridged.read)
        candidates += finders.spans(again, bridged)
    return read, candidates
