"""What a model reads of a context: the best sentences, within its tokens, under their numbers."""

from __future__ import annotations

from ragcli.answer.candidates import candidates
from ragcli.answer.excerpt import excerpts
from ragcli.answer.view import View, look
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context

from .makers import context_of, encode

LONG = (
    "The Orlen Mill",
    "The mill at Orlen grinds rye. Its wheel is of oak. The river freezes in January. "
    "Pia Strand bought the mill in 1921. She paid with two horses. The roof is of slate. "
    "Swallows nest under the eaves.",
)
OTHER = ("Skive", "Skive is a town on the fjord. Its market is held on Fridays.")
CONTEXT = context_of(LONG, OTHER)
QUESTION = "Who bought the mill at Orlen?"


def words(text: str) -> int:
    return len(text.split())


def view(context: Context = CONTEXT) -> View:
    return look(AskedQuestion(QUESTION), context, encode=encode, entities=(), pool=24)


def test_the_best_sentences_within_the_room() -> None:
    """The answer is there, under its number and title; what is left out leaves a sign."""
    parts = excerpts(view(), (), 26, words)
    assert parts[0].n == 1 and parts[0].title == "The Orlen Mill"
    assert "Pia Strand bought the mill in 1921." in parts[0].text
    assert "The mill at Orlen grinds rye. … " in parts[0].text
    assert sum(words(f"{part.title} {part.text}") for part in parts) <= 26
    everything = excerpts(view(), (), 1000, words)
    assert everything[0].text == LONG[1] and everything[1].text == OTHER[1]


def test_the_sentence_with_the_short_answer_comes_first() -> None:
    """However little it has of the question; and with the one that it leans on."""
    paid = next(s for s in candidates(CONTEXT.parts[0]) if s.text.startswith("She paid"))
    (part,) = excerpts(view(), [paid], 24, words)
    assert part.text == "Pia Strand bought the mill in 1921. She paid with two horses."


def test_nothing_fits_nothing_is_shown() -> None:
    """No room, or no sentence."""
    assert excerpts(view(), (), 3, words) == ()
    assert excerpts(view(context_of(("Empty", "# Heading"))), (), 100, words) == ()
