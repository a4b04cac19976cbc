"""Follow-up questions: recognised, what they may mean, and rewritten by a language model.

"Who wrote it?" may lean on what the last question named or on what its answer is. The words of the
two questions say which comes first (``referents``); where they do not, the answers decide.

The model may only replace "he", "it" or what was left out with words of the conversation. A
rewritten question is refused if it mentions a name or number that nobody has mentioned, drops what
was asked, or repeats an earlier question: a wrong question finds wrong passages, and nobody would
notice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.answer.cite import take_marks
from ragcli.models.completion import Prompt
from ragcli.text.asked_question import QUESTION_WORDS, AskedQuestion
from ragcli.text.support import SourceText
from ragcli.text.words import one_line

SYSTEM = """\
You are given a conversation and a new question that belongs to it. Write the new question so that \
it can be understood without the conversation: put the name of the person, place or thing in the \
place of words like he, she, it, they, there. Ask for nothing else than the new question does. \
Write one question and nothing else; do not answer it."""

MAX_TOKENS = 64
TURNS = 3
"""Turns of the conversation that the model is shown, the last ones."""
ANSWER_CHARS = 300
KEPT = 0.5
"""Share of the new question's own words, besides names and numbers, that must be kept."""

LONGEST_REFERENT = 8
"""Words of the longest answer that "he" or "it" can stand for."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as it was asked, made whole, and the answer's text."""

    asked: AskedQuestion
    answer: str
    short: str = ""
    """The short answer, if there was one."""


@dataclass(frozen=True, slots=True)
class Referents:
    """What a follow-up may lean on, the likeliest first; each is one or several names.

    ``open``: any of them may be meant, so the surest answer counts. Otherwise the first one counts
    for which there is an answer.
    """

    names: tuple[tuple[str, ...], ...]
    open: bool = False


def referents(last: Turn, names: Sequence[str], asked: AskedQuestion) -> Referents:
    """What a follow-up may lean on: the names of the last question, or its answer.

    >>> who = Turn(AskedQuestion("Who wrote Emma?"), "", "Jane Austen")
    >>> referents(who, ["Emma"], AskedQuestion("When was it published?"))
    Referents(names=(('Emma',), ('Jane Austen',)), open=False)
    >>> referents(who, ["Emma"], AskedQuestion("When was she born?"))
    Referents(names=(('Jane Austen',), ('Emma',)), open=False)
    >>> where = Turn(AskedQuestion("Where was Jane Austen born?"), "", "Steventon")
    >>> referents(where, ["Jane Austen"], AskedQuestion("And she?"))
    Referents(names=(('Jane Austen',), ('Steventon',)), open=False)
    >>> referents(where, ["Jane Austen"], AskedQuestion("Is it big?"))
    Referents(names=(('Jane Austen',), ('Steventon',)), open=True)
    """
    said = (tuple(names),) if names else ()
    if not _names_a_thing(last.short) or last.short in names:
        return Referents(said)
    answer = ((last.short,),)
    if not said:
        return Referents(answer)
    about_person = last.asked.references.for_person
    if asked.references.person:
        return Referents(answer + said if about_person else said + answer)
    if last.asked.references.for_number or (about_person and asked.references.thing):
        return Referents(said + answer)
    return Referents(said + answer, open=True)


def _names_a_thing(short: str) -> bool:
    """Whether a short answer can be what "he" or "it" stands for: a name, not a date or a
    sentence."""
    words = short.split()
    named = any(word[0].isupper() for word in words)
    return named and len(words) <= LONGEST_REFERENT and not any(c.isdigit() for c in short)


def prompt(turns: Sequence[Turn], asked: AskedQuestion) -> Prompt:
    """What the model is asked: the last turns, and the question that follows."""
    said = []
    for turn in turns[-TURNS:]:
        answer = one_line(take_marks(turn.answer)[0])[:ANSWER_CHARS]
        said += [f"Question: {turn.asked.text}", f"Answer: {answer or 'not known'}"]
    return Prompt(SYSTEM, "\n".join([*said, f"New question: {asked.text}"]), MAX_TOKENS)


def standalone(reply: str, turns: Sequence[Turn], asked: AskedQuestion) -> AskedQuestion | None:
    """The question in a model's reply; None when it is not what was ``asked``, made whole.

    >>> turns = [Turn(AskedQuestion("Who keeps the Ysolde hut?"), "Ann Lee keeps it.")]
    >>> asked = AskedQuestion("And when was it built?")
    >>> standalone("When was the Ysolde hut built?", turns, asked).text
    'When was the Ysolde hut built?'
    >>> standalone("When was the Aurora built?", turns, asked)
    >>> standalone("Who keeps the Ysolde hut?", turns, asked)
    """
    lines = [line.strip().strip('"') for line in reply.splitlines() if line.strip()]
    found = AskedQuestion(lines[0].removeprefix("New question:").strip() if lines else "")
    former = {asked.plain, *(turn.asked.plain for turn in turns)}
    if not found.text.endswith("?") or found.plain in former:
        return None
    said = " ".join([asked.text, *(f"{turn.asked.text} {turn.answer}" for turn in turns)])
    source = SourceText(said)
    grounded = source.holds_numbers(found.text) and source.holds_names(found.text)
    return found if grounded and _keeps(found, asked) else None


def _keeps(found: AskedQuestion, asked: AskedQuestion) -> bool:
    """Whether what was asked is still asked."""
    own, held = asked.references.bare_words, set(found.plain.split())
    kept = len(own & held) >= KEPT * len(own) and own & QUESTION_WORDS <= held
    return kept and asked.stated_words.issubset(found.words)
