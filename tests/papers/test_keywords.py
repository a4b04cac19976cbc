"""Keywords on two levels, from the question itself and from a model's reply."""

from __future__ import annotations

import numpy as np
import orjson
import pytest
from scripted import Scripted

from ragcli.papers.keywords import MAX_KEYWORDS, MAX_TOKENS, from_reply, keywords
from ragcli.retrieve.question import Match, Question
from ragcli.text.asked_question import AskedQuestion


def question(text: str, *names: str) -> Question:
    matches = [
        Match(n.casefold(), (i,), text.index(n), text.index(n) + len(n), n[0].isupper())
        for i, n in enumerate(names)
    ]
    return Question(AskedQuestion(text), np.zeros(3, dtype=np.float32), tuple(matches))


@pytest.mark.parametrize(
    ("asked", "low", "high"),
    [
        (
            question(
                "What is the home village of the captain of the Sea Otter known for?", "Sea Otter"
            ),
            ("Sea Otter",),
            ("home village", "captain", "known"),
        ),
        (
            question("How does trade influence public health, and why?"),
            ("trade influence public health",),
            ("trade influence public health",),
        ),
        (question("Who is Ann?", "Ann"), ("Ann",), ("Ann",)),
        (question("What is it?"), (), ()),
    ],
)
def test_without_a_model(asked: Question, low: tuple[str, ...], high: tuple[str, ...]) -> None:
    """Names are low, phrases between them high; an empty level borrows the other's."""
    found = keywords(asked)
    assert (found.low, found.high, found.by) == (low, high, "question")


def test_a_model_adds_to_the_names() -> None:
    """One call with the paper's limit; names known to the store stay, made-up ones do not come."""
    model = Scripted('{"low": ["Captain Pell", "Ada Holm"], "high": ["seafaring", "origin"]}')
    asked = question("Where is captain Pell of the Sea Otter from?", "Sea Otter")
    found = keywords(asked, model)
    assert found.low == ("Sea Otter", "Captain Pell")
    assert found.high == ("seafaring", "origin")
    assert [p.max_tokens for p in model.asked] == [MAX_TOKENS]


@pytest.mark.parametrize("reply", ["", "sorry", "[]", '{"low": "Ann"}', '{"low": [], "high": []}'])
def test_a_useless_reply_is_no_failure(reply: str) -> None:
    """The question's own keywords serve."""
    assert from_reply(reply) is None
    asked = question("Who is Ann?", "Ann")
    assert keywords(asked, Scripted(reply)) == keywords(asked)


def test_keywords_are_few() -> None:
    """Whatever the model lists."""
    found = from_reply(orjson.dumps({"low": [f"k{i}" for i in range(30)], "high": []}).decode())
    assert found is not None and len(found.low) == MAX_KEYWORDS
