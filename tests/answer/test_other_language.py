"""Answers in other languages than English: on the corpora of six languages, without any model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragcli.answer import AnswerModels
from ragcli.answer.extractive import extractive
from ragcli.answer.other_language import spoken
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context, Reply

from .makers import context_of, encode

DATA = Path(__file__).parent.parent / "data" / "languages"
TITLE = ""


def corpus(language: str) -> Context:
    """All ten documents of a language, in the order of their names."""
    files = sorted((DATA / language).glob("*.txt"))
    return context_of(*((TITLE, path.read_text(encoding="utf-8")) for path in files))


def questions(language: str, kind: str) -> list[dict[str, Any]]:
    """The fifteen questions of a language with ("questions") or without an answer."""
    lines = (DATA / f"{language}.{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def ask(question: str, context: Context) -> Reply:
    """The reply without a reader."""
    return extractive(AskedQuestion(question), context, AnswerModels(encode))


@pytest.mark.parametrize(
    ("language", "answered", "refused"),
    [("de", 13, 9), ("fr", 14, 12), ("zh", 14, 13), ("ja", 12, 11), ("es", 14, 10), ("ru", 13, 11)],
)
def test_answered_and_refused(language: str, answered: int, refused: int) -> None:
    """Of fifteen questions with an answer at most one is refused, of those without most are."""
    context = corpus(language)
    given = [(ask(q["question"], context), q["answer"]) for q in questions(language, "questions")]
    assert sum(reply.abstained for reply, _ in given) <= 1
    right = [any(answer in c.quote for c in reply.citations) for reply, answer in given]
    assert sum(right) >= answered
    without = [ask(q["question"], context) for q in questions(language, "unanswerable")]
    assert sum(reply.abstained for reply in without) >= refused


def test_what_is_missing_is_told_as_it_is_written() -> None:
    """Words that stand nowhere, in the spelling of the question."""
    reply = ask("Wo liegt das Schloss Ehrenstein?", corpus("de"))
    assert reply.abstained
    assert "words found nowhere: liegt, Schloss, Ehrenstein" in reply.note


@pytest.mark.parametrize(
    ("question", "documents", "told"),
    [
        ("Wer leitet das Theater?", "fr", "in German, the passages found are in French"),
        ("谁设计了灯塔？", "de", "in Chinese, the passages found are in German"),
        ("Who designed the hydrometer?", "ja", "in English, the passages found are in Japanese"),
    ],
)
def test_another_language_than_that_of_the_documents_is_told(
    question: str, documents: str, told: str
) -> None:
    """Rather than that nothing was found about the words of the question."""
    reply = ask(question, corpus(documents))
    assert reply.abstained
    assert told in reply.note
    assert "words found nowhere" not in reply.note


def test_a_multilingual_embedder_answers_across_languages() -> None:
    """The sentence nearest in meaning is quoted, and the note says that words were no help."""

    def meaning(texts: list[str]) -> np.ndarray[Any, Any]:
        near = [0 if "Theater" in t or "Odile Marchand" in t else 1 for t in texts]
        return np.eye(2, dtype=np.float32)[near]

    models = AnswerModels(meaning, multilingual=True)
    reply = extractive(AskedQuestion("Wer leitet das Theater?"), corpus("fr"), models)
    assert "Odile Marchand" in reply.text
    assert "chosen by meaning alone" in reply.note
    assert not reply.abstained


def test_key_words_are_of_the_language_of_the_best_passage() -> None:
    """Without small words nothing says English but the alphabet."""
    german, french = corpus("de"), corpus("fr")
    assert spoken(AskedQuestion("Leuchtturm Rauhfels Höhe"), german) == "de"
    assert spoken(AskedQuestion("Leuchtturm Rauhfels Höhe"), french) == "fr"
    assert spoken(AskedQuestion("Who built Rauhfels?"), german) == "en"


def test_passages_and_questions_go_to_their_encoders() -> None:
    """Each with the prompt of its own, if the model has some."""
    seen: dict[str, list[str]] = {"question": [], "passage": []}

    def into(kind: str) -> Callable[[list[str]], Any]:
        def taking(texts: list[str]) -> Any:
            seen[kind] += texts
            return encode(texts)

        return taking

    models = AnswerModels(into("question"), encode_passages=into("passage"))
    extractive(AskedQuestion("Wie tief reicht der Schacht?"), corpus("de"), models)
    assert seen["question"] == ["Wie tief reicht der Schacht?"]
    assert "Der tiefste Schacht reicht 610 Meter hinab." in seen["passage"]
