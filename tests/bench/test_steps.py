"""``bench/steps.py`` asks the second part with the answer to the first, and scores as ``eval``."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import ROOT

from ragcli.evaluate.cases import Case, GoldEvidence
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Hit

# At the end: bench has a file of the name of a library, llm.
sys.path.append(str(ROOT / "bench"))

import steps

SAID = {
    "Which film was shot there?": ("Maximum Overdrive", "ab"),
    "Who directed Maximum Overdrive?": ("Stephen King", "cde"),
    "Who was it?": ("", "a"),
}


def hit(doc: str) -> Hit:
    return Hit(f"{doc}@0", doc, "", 0, 1, 1, 1, "x", 1.0, 1)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that are asked; their answers are those of SAID."""
    questions: list[str] = []

    def ask_in(_index: Any, question: AskedQuestion, _settings: Any, _helpers: Any) -> Any:
        questions.append(question.text)
        text, docs = SAID[question.text]
        reply = SimpleNamespace(short=SimpleNamespace(text=text) if text else None)
        return SimpleNamespace(answer=SimpleNamespace(reply=reply, hits=tuple(map(hit, docs))))

    monkeypatch.setattr(steps, "ask_in", ask_in)
    return questions


def in_steps(split: str) -> steps.Outcome:
    nothing: Any = None
    return steps.in_steps(nothing, nothing, split)


def test_the_first_answer_takes_its_place(asked: list[str]) -> None:
    """The hits of both are taken in turn."""
    found = in_steps("Which film was shot there?\nWho directed #1?\n")
    assert asked == ["Which film was shot there?", "Who directed Maximum Overdrive?"]
    assert found.said == "Stephen King" and "".join(h.doc for h in found.hits) == "acbde"
    case = Case("1", "Who?", ("Stephen King",), (GoldEvidence("b"), GoldEvidence("z")))
    assert found.scores(case) == (1.0, 1.0, 0.5)


@pytest.mark.parametrize("split", ["Who was it?\nWho directed #1?", "Which film was shot there?"])
def test_no_answer_to_the_first_or_no_second(asked: list[str], split: str) -> None:
    found = in_steps(split)
    assert found.said == "" and found.hits and len(asked) == 1


def test_rows_of_a_table() -> None:
    """Means of both and of their difference; equal differences have an interval of no width."""
    found = [((0.0, 0.0, 1.0), (0.5, 0.0, 1.0)), ((0.5, 0.0, 1.0), (1.0, 0.0, 1.0))]
    assert steps.rows(found)[0] == ["F1", "0.250", "0.750", "+0.500 [+0.500, +0.500]"]
    assert [row[0] for row in steps.rows(found)] == list(steps.NAMES)
