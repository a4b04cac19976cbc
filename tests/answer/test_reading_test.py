"""The reading test: which replies are right, and what follows for who answers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from ragcli.answer.prompt import SYSTEM
from ragcli.answer.reading_test import PASS, QUESTIONS, is_right, reading_test
from ragcli.asking import ask
from ragcli.config import Settings
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.models.reading_scores import ReadingScore, keep_score, kept_score, may_answer


class Knowing:
    """Answers the first ``known`` questions and refuses the others."""

    parameters, context, fingerprint = 1, 4096, "knowing"

    def __init__(self, known: int) -> None:
        self.known = known

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        for at, (prompt, test) in enumerate(zip(prompts, QUESTIONS, strict=True)):
            assert prompt.system == SYSTEM and test.question in prompt.user
            said = test.answer.split("|")[0] if at < self.known else ""
            yield at, Completion(f"{said or 'Not in the passages'}. [1]", "stop", 1, 1)


def test_answerable_questions_are_answered_by_their_passages_only() -> None:
    """Each answer stands in the passages that are shown, each wrong one as well."""
    unanswerable = [test for test in QUESTIONS if not test.answer]
    assert 4 <= len(unanswerable) <= len(QUESTIONS) // 2
    for test in QUESTIONS:
        text = " ".join(f"{a} {b}" for a, b in test.passages).casefold()
        for word in filter(None, (*test.answer.split("|"), *test.wrong.split("|"))):
            assert word in text, (test.question, word)


def test_who_says_never_or_always_something_does_not_pass() -> None:
    """Refusing everything is right for the unanswerable ones alone."""
    everything = reading_test(Knowing(len(QUESTIONS)))
    assert everything == ReadingScore(len(QUESTIONS), len(QUESTIONS), True)
    nothing = reading_test(Knowing(0))
    assert nothing.right == sum(not test.answer for test in QUESTIONS) and not nothing.passed
    assert nothing.right < PASS * len(QUESTIONS)
    assert set(nothing.missed) == {test.question for test in QUESTIONS if test.answer}


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Tove Halm built it in 1874. [1]", True),
        ("**Answer:** Tove Halm [1]", True),
        ("Tove Halm or Pia Strand.", False),
        ("Not in the passages.", False),
        ("", False),
    ],
)
def test_replies_to_who_built_the_mill(reply: str, right: bool) -> None:
    """With marks and markup; two names are no answer."""
    assert is_right(reply, QUESTIONS[0]) is right


def test_only_a_model_that_has_passed_answers_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Known by its content; the user's word goes over it; who named a model is told why."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF" + bytes(1000))
    monkeypatch.setattr(ask, "open_llm", lambda path, _settings: path)
    auto, named = Settings(llm=str(file)), Settings(llm=str(file), answer="llm")
    log = logging.getLogger("ragcli")
    monkeypatch.setattr(log, "propagate", True)

    def who(settings: Settings = auto) -> tuple[str, object]:
        ask._say_why_not.cache_clear()
        caplog.clear()
        return ask.answerer(settings)

    assert who() == ("extractive", None) and "has not been tested" in caplog.text
    keep_score(file, ReadingScore(10, 16, False, ("Who?",)))
    assert kept_score(file) == ReadingScore(10, 16, False, ("Who?",)) and not may_answer(file)
    assert who() == ("extractive", None) and "10 of 16 questions" in caplog.text
    assert who(named) == ("llm", file)
    keep_score(file, ReadingScore(15, 16, True))
    assert who() == ("auto", file) and not caplog.text
    file.rename(tmp_path / "y.gguf")
    assert may_answer(tmp_path / "y.gguf")
    (tmp_path / "y.gguf").write_bytes(b"GGUF" + bytes(1001))
    assert not may_answer(tmp_path / "y.gguf")


@pytest.mark.parametrize("content", [b"", b"[]", b"{nonsense", b'{"1 x": 3}'])
def test_a_damaged_file_of_results_is_as_none(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test is made again."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path))
    (tmp_path / "reading-tests.json").write_bytes(content)
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF")
    assert kept_score(file) is None and not may_answer(file)
    keep_score(file, ReadingScore(16, 16, True))
    assert may_answer(file)
