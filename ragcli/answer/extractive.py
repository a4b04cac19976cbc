"""Answer with the documents' own sentences: nothing is written, so nothing can be made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragcli.answer.candidates import Sentence
from ragcli.answer.choose import TUNING, Tuning, choose, closeness
from ragcli.answer.cite import citations
from ragcli.answer.laid import Stretch
from ragcli.answer.models import AnswerModels
from ragcli.answer.notes import nearest, nothing_about, searched
from ragcli.answer.ordering import first_sentence
from ragcli.answer.other_language import languages_of, look_elsewhere, spoken
from ragcli.answer.short import FoundAnswer, find
from ragcli.answer.view import View, look
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.markup import restyled
from ragcli.text.scripts import NAMES
from ragcli.types import Citation, Context, Reply

LEAST_TOLD = 0.4
"""The probability that the passages tell what was asked below which nothing is answered."""

_NOTHING = "no sentence to answer with was found"

MOST_CHOSEN = 12
"""Sentences among which further places are looked for."""

NEAR = 2
"""How far from the best sentence another one may be that is shown as an answer with it."""


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A question compared with its context: the sentences, and the reader's best answer, if any."""

    view: View
    found: FoundAnswer | None


def read_question(
    asked: AskedQuestion,
    context: Context,
    models: AnswerModels,
    entities: Sequence[str] = (),
    pool: int = TUNING.pool,
) -> QuestionReading:
    """Compare a question with the sentences of its context, and let the reader read the best.

    ``models.encode`` gets at most ``pool + 1`` texts. ``entities`` are names that the question is
    known to hold, however they are written there.
    """
    view = look(
        asked,
        context,
        encode=models.encode,
        entities=entities,
        pool=pool,
        encode_passages=models.encode_passages,
    )
    readable = models.reader and view.sentences
    return QuestionReading(
        view, find(asked, context, view, models.reader) if readable and models.reader else None
    )


def extractive(
    asked: AskedQuestion,
    context: Context,
    models: AnswerModels,
    entities: Sequence[str] = (),
    tuning: Tuning = TUNING,
    reading: QuestionReading | None = None,
) -> Reply:
    """Answer a question with sentences of ``context``, each cited; abstain if none answers it.

    Where a short answer is sure enough, the sentences that hold it are the answer; else the
    sentence that ``ordering`` or, unread, ``choose`` puts first is, with those beside it that are
    near to the question, too.
    The note lists names of the question that the context does not mention, even in an answer.
    ``reading`` is that of ``read_question``, if known.
    """
    language = spoken(asked, context)
    if language != "en":
        reply = _in_other_language(asked, context, models, language)
        if reply is not None:
            return reply
    reading = reading or read_question(asked, context, models, entities, tuning.pool)
    reply = _in_english(asked, context, models, tuning, reading)
    return replace(reply, read=reading.found.read.places) if reading.found else reply


def _in_english(
    asked: AskedQuestion,
    context: Context,
    models: AnswerModels,
    tuning: Tuning,
    reading: QuestionReading,
) -> Reply:
    view, found = reading.view, reading.found
    if not view.sentences:
        return _abstained(context, _NOTHING)
    unnamed = nothing_about(view.missing)
    first = first_sentence(found) if found else None
    if why := _doubt(asked, view, found, models.min_confidence, tuning):
        return _abstained(context, why, (unnamed, *_other_than("en", context)), view, first)
    if found and found.confidence < models.min_confidence:
        found = None  # the passages may tell it, but which words do is unsure
    chosen = _chosen(view, found, tuning, first)
    reply = compose(found.sentences if found else _together(chosen)[: tuning.most])
    also = _further(reply.citations, chosen)
    return replace(
        reply, note=unnamed, short=found.short(reply.citations) if found else None, also=also
    )


def _in_other_language(
    asked: AskedQuestion, context: Context, models: AnswerModels, language: str
) -> Reply | None:
    """Answer a question in another language than English; None if it has no words to judge by."""
    seen = look_elsewhere(asked, context, models, language)
    if seen is None:
        return None
    other = _other_than(language, context)
    by_meaning = bool(other) and models.multilingual
    if seen.held < seen.least and not by_meaning:
        held = f"no passage holds more than {seen.held:.0%} of the question"
        lacking = f"words found nowhere: {', '.join(seen.unheld)}" if seen.unheld else ""
        hints, why = (other, "") if other else ([lacking], held)
        return _abstained(context, why, hints, seen.view)
    reply = compose(_together(seen.chosen))
    note = f"{other[0]}; chosen by meaning alone" if by_meaning else ""
    return replace(
        reply,
        note=note,
        short=seen.found.short(reply.citations) if seen.found else None,
        also=_further(reply.citations, seen.chosen),
    )


def _other_than(language: str, context: Context) -> list[str]:
    """Say that all passages are in another language than the question; [] if they are not."""
    found = languages_of(context)
    if not found or language in found:
        return []
    return [
        f"the question is in {NAMES[language]}, the passages found are in "
        f"{' and '.join(NAMES[code] for code in found)}"
    ]


def _doubt(
    asked: AskedQuestion, view: View, found: FoundAnswer | None, least: float, tuning: Tuning
) -> str:
    """Why the question is not answered; "" if it is."""
    if lacking := set(view.missing).intersection(asked.named_identifiers):
        return f"no passage mentions {', '.join(sorted(lacking))}"
    if found is None:
        if closeness(view, tuning) >= tuning.about:
            return ""
        return f"the closest sentence has similarity {float(view.similarity.max()):.2f}"
    if least and found.told < LEAST_TOLD:
        return "what they say is near to the question and does not answer it"
    return ""


def _chosen(
    view: View, found: FoundAnswer | None, tuning: Tuning, first: int | None
) -> list[Sentence]:
    """The sentences near to the question, the one that holds the short answer, or else the
    ``first``, before the others."""
    held = [(s.part.n, s.start) for s in found.sentences] if found else []
    at = [i for i, s in enumerate(view.sentences) if (s.part.n, s.start) in held[:1]]
    widely = replace(tuning, most=MOST_CHOSEN)
    return [view.sentences[i] for i in choose(view, widely, at[0] if at else first)]


def _together(chosen: Sequence[Sentence]) -> list[Sentence]:
    """The first sentence, and those of the others that are beside it."""
    first = chosen[0]
    return [s for s in chosen if s.part.n == first.part.n and abs(s.order - first.order) <= NEAR]


def _further(cited: Sequence[Citation], chosen: Sequence[Sentence]) -> tuple[Citation, ...]:
    """Where else something near to the question is, one place for each heading."""
    places = citations([Stretch(one.part, one.start, one.end) for one in chosen])
    found = {(one.doc, one.heading): one for one in reversed((*cited, *places))}
    first = {(one.doc, one.heading) for one in cited}
    new = [one for one in places if found.get((one.doc, one.heading)) is one]
    return tuple(one for one in new if (one.doc, one.heading) not in first)


def compose(chosen: Sequence[Sentence]) -> Reply:
    """Write the sentences out with their marks; neighbours in a passage share one citation.

    Passages are in the order their first sentence was chosen, sentences of one passage in the
    document's order.
    """
    parts = list(dict.fromkeys(sentence.part.n for sentence in chosen))
    in_order = sorted(chosen, key=lambda s: (parts.index(s.part.n), s.order))
    runs: list[list[Sentence]] = []
    for sentence in in_order:
        last = runs[-1][-1] if runs else None
        if last and last.part.n == sentence.part.n and last.order + 1 == sentence.order:
            runs[-1].append(sentence)
        else:
            runs.append([sentence])
    text = " ".join(
        f"{' '.join(restyled(sentence.text) for sentence in run)} [{n}]"
        for n, run in enumerate(runs, 1)
    )
    quotes = [Stretch(run[0].part, run[0].start, run[-1].end) for run in runs]
    return Reply(text, citations(quotes), "extractive")


def _abstained(
    context: Context,
    why: str = "",
    hints: Sequence[str] = (),
    view: View | None = None,
    first: int | None = None,
) -> Reply:
    """No answer: why, what may help to ask again, and the place nearest to the question."""
    near = nearest(view, first) if view else None
    place = f"nearest: {near.path}:{near.line_start}" if near else ""
    hint = "; ".join(filter(None, hints))
    note = "; ".join(filter(None, (f"searched {searched(context)}", hint, why, place)))
    return Reply("", (), "extractive", abstained=True, note=note, hint=hint, nearest=near)
