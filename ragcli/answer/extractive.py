"""Answer with the documents' own sentences: nothing is written, so nothing can be made up.

Most questions are answered by the sentences nearest to them (``extractive``). No sentence is near
to a question about the documents as a whole ("What are the main themes?"), so its answer is a
summary: sentences chosen by centrality and without repetition (``overview``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragcli.answer.answer_kind import asks_several, fits, lacks_number
from ragcli.answer.belonging import asks_how_to, instructions, with_what_belongs
from ragcli.answer.candidates import Sentence, all_candidates, candidates
from ragcli.answer.choose import TUNING, Tuning, choose, closeness
from ragcli.answer.cite import Quote, citations
from ragcli.answer.models import AnswerModels
from ragcli.answer.notes import nearest, nothing_about, searched
from ragcli.answer.other_language import languages_of, look_elsewhere, spoken
from ragcli.answer.short import FoundAnswer, find
from ragcli.answer.subject import strangers
from ragcli.answer.told import LEAST_TOLD
from ragcli.answer.view import View, look
from ragcli.text.identifiers import holds, identifiers_in, named_in
from ragcli.text.markup import restyled
from ragcli.text.releases import asks_release
from ragcli.text.scripts import NAMES
from ragcli.text.words import content_words
from ragcli.text.yes_no import asks_whether
from ragcli.types import Context, Reply

SURE_WITHOUT = 0.7
"""The confidence from which an answer is given although no passage holds an identifier of the
question: an option, a version."""

_WORDY = re.compile(r"[^\W\d_]{3}")

_NOTHING = "no sentence to answer with was found"

SURE_OF_SEVERAL = 0.4
"""The confidence from which a short answer to a question for several things is shown: of 18 below
it on the development sets one was right, of two above it one."""

SURE_OF_MISFIT = 0.3
"""The confidence from which a short answer of another kind than asked for is shown."""

MOST_LACKING = 2
"""Words of a question about an identifier that the sentences shown for it may lack, or half."""

MOST_BESIDE = 2
"""Sentences shown after the one that holds the short answer."""

MOST_WITH_UNIT = 3
"""The same, if it stands below a term: what the term may be and its default belong together."""


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A question compared with its context: the sentences, and the reader's best answer, if any."""

    view: View
    found: FoundAnswer | None


def read_question(
    question: str,
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
        question,
        context,
        encode=models.encode,
        entities=entities,
        pool=pool,
        encode_passages=models.encode_passages,
    )
    readable = models.reader and view.sentences
    return QuestionReading(
        view, find(question, context, view, models.reader) if readable and models.reader else None
    )


def extractive(
    question: str,
    context: Context,
    models: AnswerModels,
    entities: Sequence[str] = (),
    tuning: Tuning = TUNING,
    reading: QuestionReading | None = None,
) -> Reply:
    """Answer ``question`` with sentences of ``context``, each cited; abstain if none answers it.

    With a reader the sentence that holds the short answer comes first. Without one the sentences
    most about the question are the answer. The note lists names of the question that the context
    does not mention, even in an answer. ``reading`` is that of ``read_question``, if known.
    """
    language = spoken(question, context)
    if language != "en":
        reply = _in_other_language(question, context, models, language)
        if reply is not None:
            return reply
    reading = reading or read_question(question, context, models, entities, tuning.pool)
    view, found = reading.view, reading.found
    if not view.sentences:
        return _abstained(context, _NOTHING)
    unnamed = nothing_about(view.missing)
    lacking = set(view.missing).intersection(named_in(question))
    if lacking and (found is None or found.confidence < SURE_WITHOUT):
        return _abstained(context, "; ".join([unnamed, *_other_than("en", context), nearest(view)]))
    unsure = found is not None and found.confidence < models.min_confidence
    if unsure and _pinned(question, view, tuning):
        found = None
    elif why := _doubt(question, context, view, found, models.min_confidence, tuning):
        doubts = (unnamed, why, *_other_than("en", context), nearest(view))
        return _abstained(context, "; ".join(filter(None, doubts)))
    if found and (unsure or _partial(question, found, models.min_confidence)):
        found = None  # the passages tell it, but not in few words
    if asks_how_to(question) and (steps := instructions(view)):
        held = found is not None and found.sentences[0] in steps
        found = found if held else None
        shown = steps
    else:
        shown = _carrying(view, found, tuning) if found else _chosen(view, tuning)
    reply = compose(with_what_belongs(shown))
    told = found is not None and not _misfit(question, found, models.min_confidence)
    short = found.short(reply.citations) if found and told else None
    return replace(reply, note=unnamed, short=short)


def _in_other_language(
    question: str, context: Context, models: AnswerModels, language: str
) -> Reply | None:
    """Answer a question in another language than English; None if it has no words to judge by."""
    seen = look_elsewhere(question, context, models, language)
    if seen is None:
        return None
    other = _other_than(language, context)
    by_meaning = bool(other) and models.multilingual
    if seen.held < seen.least and not by_meaning:
        held = f"no passage holds more than {seen.held:.0%} of the question"
        lacking = f"words found nowhere: {', '.join(seen.unheld)}" if seen.unheld else ""
        why = other or [*filter(None, (lacking, held))]
        return _abstained(context, "; ".join([*why, nearest(seen.view)]))
    reply = compose(seen.chosen)
    note = f"{other[0]}; chosen by meaning alone" if by_meaning else ""
    return replace(
        reply, note=note, short=seen.found.short(reply.citations) if seen.found else None
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


def _partial(question: str, found: FoundAnswer, least: float) -> bool:
    """Whether a short answer read in one place is likely a part, at most, of what is asked."""
    several = bool(least) and found.judge is not None and asks_several(question)
    return several and found.confidence < SURE_OF_SEVERAL


def _misfit(question: str, found: FoundAnswer, least: float) -> bool:
    """Whether a short answer is not of the kind that is asked for. What stands around it may be:
    its sentences are shown."""
    if least and asks_whether(question):
        return not found.said
    if not least or found.judge is None or fits(question, found.text):
        return False
    return found.confidence < SURE_OF_MISFIT or asks_release(question)


def _pinned(question: str, view: View, tuning: Tuning) -> bool:
    """Whether the sentences to show are about all identifiers of the question, and of its kind.

    They are shown although the reader, which knows no versions, options and codes, finds no answer
    in them. How something is done is told by a sentence that holds an identifier itself, not by
    what stands below a heading that does. What most words of the question ask for is not told by
    sentences without these words, nor what is of its kind by a sentence about another version.
    """
    marks = named_in(question)
    if not marks or float(view.marked.max()) < 1:
        return False
    how_to = asks_how_to(question)
    shown = instructions(view) if how_to else _chosen(view, tuning)
    if how_to and not any(holds(shown[0].text, mark) for mark in marks):
        return False
    beside = set(content_words(question)) - set(content_words(" ".join(marks)))
    lacking = beside.difference(content_words(_said(shown)))
    own = [one for one in shown if all(holds(f"{one.part.doc} {_said([one])}", m) for m in marks)]
    return len(lacking) <= max(MOST_LACKING, len(beside) // 2) and fits(question, _said(own))


def _said(shown: Sequence[Sentence]) -> str:
    return " ".join(f"{one.heading} {one.text}" for one in shown)


def _doubt(
    question: str,
    context: Context,
    view: View,
    found: FoundAnswer | None,
    least: float,
    tuning: Tuning,
) -> str:
    """Why the question is not answered; "" if it is.

    The reader decides where there is one and it is sure: it was trained to tell passages that
    answer a question from passages that are only near to it.
    """
    if found is None:
        if closeness(view, tuning) >= tuning.about:
            return ""
        return f"the closest sentence has similarity {float(view.similarity.max()):.2f}"
    if not asks_several(question):
        if found.confidence < least:
            return f"the best answer found has confidence {found.confidence:.2f}, below {least:.2f}"
        if least and lacks_number(question, found.text):
            return f"a number is asked for, and the best answer found has none: {found.text}"
    if least and found.judge and (names := strangers(question, found.places, context)):
        return f"the document of the best answer found does not mention {', '.join(names)}"
    if least and found.told < LEAST_TOLD:
        return "what they say is near to the question and does not answer it"
    return ""


def _chosen(view: View, tuning: Tuning) -> list[Sentence]:
    return [view.sentences[index] for index in choose(view, tuning)]


def _carrying(view: View, found: FoundAnswer, tuning: Tuning) -> list[Sentence]:
    """The sentences with the short answer, then those that add to it."""
    holder, *others = found.sentences
    at = next(
        (
            index
            for index, sentence in enumerate(view.sentences)
            if (sentence.part.n, sentence.start) == (holder.part.n, holder.start)
        ),
        None,
    )
    beside = [view.sentences[index] for index in choose(view, tuning, at) if index != at]
    unit = _unit(holder)
    starts = {s.start for s in unit}
    own = [s for s in beside if s.part.n == holder.part.n and s.start in starts]
    carrying = [holder, *others]
    taken = dict.fromkeys(
        s for s in [*own, *unit, *beside] if not any(_overlap(s, one) for one in carrying)
    )
    most = MOST_WITH_UNIT if unit else MOST_BESIDE
    return [*carrying, *taken][: max(len(carrying), 1 + most)]


def _unit(holder: Sentence) -> list[Sentence]:
    """The other sentences on the term or option that a sentence is about, those after it first.

    The sentences below a term are read together: what it is, then what it may be, then its default.
    A term is a heading with an identifier that is no version, an option, or one that begins small.
    """
    term = holder.heading.rpartition(" > ")[2]
    named = any(map(_WORDY.search, identifiers_in(term)))
    if not (named or term.startswith("-") or term[:1].islower()):
        return []
    around = [s for s in candidates(holder.part) if s.heading == holder.heading]
    return sorted(around, key=lambda s: (s.order < holder.order, abs(s.order - holder.order)))


def _overlap(one: Sentence, other: Sentence) -> bool:
    same = one.part.doc == other.part.doc
    return same and one.start < other.end and other.start < one.end


def overview(context: Context) -> Reply:
    """Sum a context up with its own sentences, each cited; abstain when it holds none."""
    from ragcli.graph.summary import SummarySettings, select

    settings = SummarySettings(chars=1400, sentences=6, diversity=0.5, min_words=6)
    found = all_candidates(context)
    chosen = select([sentence.text for sentence in found], settings)
    if not chosen:
        return _abstained(context, _NOTHING)
    return compose([found[index] for index in sorted(chosen)])


def compose(chosen: Sequence[Sentence]) -> Reply:
    """Write the sentences out with their marks; neighbours in a passage share one citation.

    Passages stand in the order their first sentence was chosen, sentences of one passage in the
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
    quotes = [Quote(run[0].part, run[0].start, run[-1].end) for run in runs]
    return Reply(text, citations(quotes), "extractive")


def _abstained(context: Context, why: str) -> Reply:
    return Reply("", (), "extractive", abstained=True, note=f"searched {searched(context)}; {why}")
