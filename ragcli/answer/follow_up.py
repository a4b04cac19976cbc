"""Follow-up questions: recognised, what they may mean, and rewritten by a language model.

"Who wrote it?" may lean on what the last question named or on what its answer is. The words of the
two questions say which comes first (``referents``); where they do not, the answers decide.

The model may only replace "he", "it" or what was left out with words of the conversation. A
rewritten question is refused if it mentions a name or number that nobody has mentioned, drops what
was asked, or repeats an earlier question: a wrong question finds wrong passages, and nobody would
notice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragcli.answer.cite import take_marks
from ragcli.models.completion import Prompt
from ragcli.text.identifiers import identifiers_in
from ragcli.text.names import names_in, numbers_in
from ragcli.text.support import SourceText
from ragcli.text.words import content_words, one_line, plain

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

# "There is" and "that the" refer to nothing said before; _PRONOUN also removes these words.
_REFERRING = re.compile(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|their|theirs|this|these|those|then|ones?"
    r"|the (?:same|former|latter|other))\b"
    r"|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere\b(?! (?:is|are|was|were)\b)"
    r"|(?:^|\b(?:of|about|for|to|from|with|by|is|was|did|does|do) )that\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|their|theirs|this|that|these|those|there|then"
    r"|one|ones|the (?:same|former|latter|other))\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\A\s*(?:and|but|or|so|also|what about|how about|what of|why)\b", re.IGNORECASE
)
# "What is rsync?", "Which cranes are there?": short, and whole. "What is missing?" is not.
_WHOLE = re.compile(
    r"\s*what(?:'s| is| are| was| were) (?:an? )?(?!\w+(?:ed|ing)\b|(?:next|wrong|new|left)\b)"
    r"[\w.+-]{2,}\s*+(?:\?\s*+)?$"
    r"|\s*(?:which|what|how many) \w{2,} (?:is|are|was|were) there\s*+(?:\?\s*+)?$"
    r"|\s*(?:is|are|was|were) there (?:an?|any) \w{2,}\s*+(?:\?\s*+)?$",
    re.IGNORECASE,
)
LONGEST_REFERENT = 8  # words

_PERSON = re.compile(r"\b(?:he|him|his|she|hers?)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?:it|its|there)\b", re.IGNORECASE)
_ASKS_FOR_PERSON = re.compile(
    r"\b(?:who|whom|whose|(?:which|what) (?:\w+er|\w+or|man|woman|person|captain|chair|artist))\b",
    re.IGNORECASE,
)
_ASKS_FOR_NUMBER = re.compile(r"\s*(?:when|how (?:many|much|long|old|far|high))\b", re.IGNORECASE)
_ASKING = frozenset("who whom whose when where which what why how".split())
_SHORT = 4  # words: "Since when?" leans on what was said
_FEW = 1  # content words: "What does milk cost?" leans on nothing


def leans(text: str, names: Sequence[str]) -> bool:
    """Whether a question needs what went before to be understood.

    >>> leans("When was it built?", []), leans("When was the hut built?", ["hut"])
    (True, False)
    >>> leans("And Jon Berg?", ["Jon Berg"]), leans("Since when?", [])
    (True, True)
    >>> leans("What is rsync?", []), leans("What is it?", []), leans("What is missing?", [])
    (False, True, True)
    >>> leans("What does HX-1042 cost?", []), leans("What does it cost?", [])
    (False, True)
    """
    if _OPENING.match(text):
        return True
    if names or identifiers_in(text) or _names_something(text):
        return False
    if _WHOLE.match(text) and not _PRONOUN.search(text.replace(" there", "")):
        return False
    short = len(text.split()) <= _SHORT and len(content_words(text)) <= _FEW
    return short or bool(_REFERRING.search(text))


def _names_something(text: str) -> bool:
    """Whether a question has a name of its own, after its first word."""
    return any(not text.startswith(name) for name in names_in(text))


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as it was asked, made whole, and the answer's text."""

    question: str
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


def referents(last: Turn, names: Sequence[str], text: str) -> Referents:
    """What the follow-up ``text`` may lean on: the names of the last question, or its answer.

    >>> who = Turn("Who wrote Emma?", "", "Jane Austen")
    >>> referents(who, ["Emma"], "When was it published?")
    Referents(names=(('Emma',), ('Jane Austen',)), open=False)
    >>> referents(who, ["Emma"], "When was she born?")
    Referents(names=(('Jane Austen',), ('Emma',)), open=False)
    >>> where = Turn("Where was Jane Austen born?", "", "Steventon")
    >>> referents(where, ["Jane Austen"], "And she?")
    Referents(names=(('Jane Austen',), ('Steventon',)), open=False)
    >>> referents(where, ["Jane Austen"], "Is it big?")
    Referents(names=(('Jane Austen',), ('Steventon',)), open=True)
    """
    said = (tuple(names),) if names else ()
    if not _names_a_thing(last.short) or last.short in names:
        return Referents(said)
    answer = ((last.short,),)
    if not said:
        return Referents(answer)
    about_person = bool(_ASKS_FOR_PERSON.search(last.question))
    if _PERSON.search(text):
        return Referents(answer + said if about_person else said + answer)
    if _ASKS_FOR_NUMBER.match(last.question) or (about_person and _THING.search(text)):
        return Referents(said + answer)
    return Referents(said + answer, open=True)


def _names_a_thing(short: str) -> bool:
    """Whether a short answer can be what "he" or "it" stands for: a name, not a date or a
    sentence."""
    words = short.split()
    named = any(word[0].isupper() for word in words)
    return named and len(words) <= LONGEST_REFERENT and not any(c.isdigit() for c in short)


def prompt(turns: Sequence[Turn], text: str) -> Prompt:
    """What the model is asked: the last turns, and the question that follows."""
    said = []
    for turn in turns[-TURNS:]:
        answer = one_line(take_marks(turn.answer)[0])[:ANSWER_CHARS]
        said += [f"Question: {turn.question}", f"Answer: {answer or 'not known'}"]
    return Prompt(SYSTEM, "\n".join([*said, f"New question: {text}"]), MAX_TOKENS)


def standalone(reply: str, turns: Sequence[Turn], text: str) -> str | None:
    """The question in a model's reply; None when it is not the question ``text``, made whole.

    >>> turns = [Turn("Who keeps the Ysolde hut?", "Ann Lee keeps it.")]
    >>> standalone("When was the Ysolde hut built?", turns, "And when was it built?")
    'When was the Ysolde hut built?'
    >>> standalone("When was the Aurora built?", turns, "And when was it built?")
    >>> standalone("Who keeps the Ysolde hut?", turns, "And when was it built?")
    """
    lines = [line.strip().strip('"') for line in reply.splitlines() if line.strip()]
    found = lines[0].removeprefix("New question:").strip() if lines else ""
    former = {plain(question) for question in (text, *(turn.question for turn in turns))}
    if not found.endswith("?") or plain(found) in former:
        return None
    said = " ".join([text, *(f"{turn.question} {turn.answer}" for turn in turns)])
    source = SourceText(said)
    grounded = source.holds_numbers(found) and source.holds_names(found)
    return found if grounded and _keeps(found, text) else None


def _keeps(found: str, text: str) -> bool:
    """Whether what was asked is still asked."""
    stated = {word for name in (*names_in(text), *numbers_in(text)) for word in content_words(name)}
    bare = _PRONOUN.sub(" ", _OPENING.sub(" ", text, count=1) if _OPENING.match(text) else text)
    own, held = set(plain(bare).split()), set(plain(found).split())
    kept = len(own & held) >= KEPT * len(own) and own & _ASKING <= held
    return kept and stated <= set(content_words(found))
