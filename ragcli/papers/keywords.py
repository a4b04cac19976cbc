"""Keywords of a question on two levels, after LightRAG: names (low) and topics (high).

A language model writes them if there is one. Without a model, or if its reply is unusable, the low
level is the names of the store in the question, and the high level is its remaining phrases.
Keywords are looked up one by one, because the vector of several keywords matches none of them well.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import orjson

from ragcli.models.completion import Completer, Prompt
from ragcli.retrieve.question import Question
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.names import locate
from ragcli.text.words import STOP_WORDS, SURFACE_WORD

_log = logging.getLogger(__name__)

# The paper's limit for keywords of a question.
MAX_TOKENS = 100
MAX_KEYWORDS = 6

SYSTEM = """\
You prepare a search. From the question you are given take two short lists of keywords.
"low": the names, places, works, dates and particular things that it mentions, as it spells them.
"high": the subjects it is about: the kinds of relation, event or theme that an answer states.
Reply with JSON and nothing else: {"low": [...], "high": [...]}."""

GRAMMAR = r"""
root ::= "{\"low\": " list ", \"high\": " list "}"
list ::= "[]" | "[" word (", " word){0,5} "]"
word ::= "\"" [^"\\\x00-\x1f]{1,48} "\""
"""

_ASKING = frozenset(("many", "much", "name", "kind", "type", "describe", "explain", "tell"))


@dataclass(frozen=True, slots=True)
class Keywords:
    """``low`` are names of particular things, ``high`` are themes. ``by``: "llm" or "question"."""

    low: tuple[str, ...]
    high: tuple[str, ...]
    by: str = "question"


def keywords(question: Question, model: Completer | None = None) -> Keywords:
    """The keywords of a question; on each level the model's, if it gives any."""
    own = from_question(question)
    if model is None:
        return own
    given = from_reply(_asked(question.asked, model))
    if given is None:
        return own
    # Names of the store are always looked up, whether the model lists them or not; a name that the
    # question does not hold is one that the model made up.
    low = tuple(dict.fromkeys((*own.low, *locate(question.asked.text, given.low))))
    return Keywords(low, given.high or own.high, "llm")


def from_question(question: Question) -> Keywords:
    """Names found in the store, and the remaining runs of content words.

    A question without names has all its phrases on both levels.
    """
    low = tuple(question.names)
    high = tuple(_phrases(question))
    return Keywords(low or high, high or low)


def _phrases(question: Question) -> list[str]:
    """Runs of content words outside the names."""
    text = question.asked.text
    taken = [(match.start, match.end) for match in question.matches if match.named]
    phrases: list[str] = []
    run: list[str] = []
    end = 0
    for match in SURFACE_WORD.finditer(text):
        word = match.group()
        inside = any(a < match.end() and match.start() < b for a, b in taken)
        broken = text[end : match.start()].strip() != ""
        end = match.end()
        dull = word.casefold() in STOP_WORDS or word.casefold() in _ASKING
        if (inside or dull or broken) and run:
            phrases.append(" ".join(run))
            run = []
        if not inside and not dull:
            run.append(word)
    return list(dict.fromkeys([*phrases, " ".join(run)] if run else phrases))


def _asked(asked: AskedQuestion, model: Completer) -> str:
    prompt = Prompt(SYSTEM, f"Question: {asked.text.strip()}", MAX_TOKENS, GRAMMAR)
    return next(iter(model.complete([prompt])))[1].text


def from_reply(reply: str) -> Keywords | None:
    """The keywords in a model's reply, None if it is not JSON of that form or contains none.

    >>> from_reply('{"low": ["Ada Holm", ""], "high": ["film"]}')
    Keywords(low=('Ada Holm',), high=('film',), by='llm')
    >>> from_reply('{"low": ["Ada')
    """
    try:
        found = orjson.loads(reply)
    except orjson.JSONDecodeError:
        _log.debug("the model's keywords are not JSON: %r", reply)
        return None
    if not isinstance(found, dict):
        return None
    lists = [found.get(name) for name in ("low", "high")]
    if not all(isinstance(words, list) for words in lists):
        return None
    low, high = (
        tuple(dict.fromkeys(w.strip() for w in words if isinstance(w, str) and w.strip()))
        for words in lists
        if words is not None
    )
    return Keywords(low[:MAX_KEYWORDS], high[:MAX_KEYWORDS], "llm") if low or high else None
