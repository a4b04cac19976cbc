"""Which answerer is taken."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ragcli.answer import AnswerModels, How, answer
from ragcli.errors import ModelError
from ragcli.text.asked_question import AskedQuestion

from .makers import Parrot, context_of, encode

CONTEXT = context_of(("Cheese", "Cheese is made of milk."))
QUESTION = "What is cheese made of?"
SAID = "Cheese is milk."


@pytest.mark.parametrize(
    ("how", "parameters", "by"),
    [
        ("auto", None, "extractive"),
        ("auto", 134_515_008, "llm"),
        ("auto", 3_000_000_000, "llm"),
        ("llm", 134_515_008, "llm"),
        ("extractive", 3_000_000_000, "extractive"),
        ("none", 3_000_000_000, "none"),
    ],
)
def test_who_answers(how: How, parameters: int | None, by: str) -> None:
    """``auto`` lets a model answer that is given, of whatever size; the user's word goes first."""
    llm = Parrot(SAID, parameters) if parameters else None
    emitted: list[str] = []
    reply = answer(
        AskedQuestion(QUESTION), CONTEXT, how, AnswerModels(encode, llm=llm), emit=emitted.append
    )
    assert reply.by == by and not reply.abstained
    assert "".join(emitted) == (reply.text if by == "llm" else "")


def test_a_written_answer_needs_a_model() -> None:
    """The error says how to mend it."""
    with pytest.raises(ModelError) as caught:
        answer(AskedQuestion(QUESTION), CONTEXT, "llm", AnswerModels(encode))
    assert "ragcli models add" in caught.value.hint


def test_nothing_heavy_is_imported() -> None:
    """An extractive answer needs neither torch nor spaCy nor llama.cpp."""
    code = "import ragcli.answer, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"torch", "spacy", "sentence_transformers", "llama_cpp"} & set(loaded)
