"""A conversation: follow-ups get the names they lean on, other questions stay as they are."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from scripted import Scripted
from searching import searching

from ragcli.answer.follow_up import Turn, referents
from ragcli.asking import chat as talk
from ragcli.asking.chat import Talk, rewriter
from ragcli.asking.several import NamedIndex
from ragcli.config import Settings
from ragcli.errors import ConfigError, ModelError
from ragcli.retrieve.question import Match
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer


def said(talk: Talk, text: str) -> Answer:
    return talk.ask(AskedQuestion(text))


def whole(talk: Talk, text: str) -> str:
    """The question as it is asked."""
    return talk.whole(AskedQuestion(text)).text


@pytest.mark.parametrize(
    ("text", "names", "needed"),
    [
        ("When was it built?", [], True),
        ("And what about its roof?", ["Roof"], True),
        ("Since when?", [], True),
        ("Who keeps the Ysolde hut?", ["Ysolde hut"], False),
        ("What does the dairy pay for each litre of milk?", [], False),
        ("When did he meet Clara Rütimann?", ["Clara Rütimann"], False),
        ("What does HX-1042 cost?", [], False),
        ("What does milk cost?", [], False),
        ("Where did he meet Unknown Person?", [], False),
        ("Is there a ferry that sails on Sundays?", [], False),
        ("Who lives there?", [], True),
        ("And what of that?", [], True),
        ("which cranes are there", [], False),
        ("How many towns are there?", [], False),
        ("How many are there?", [], True),
        ("Is there a lighthouse?", [], False),
        ("What is a semaphore?", [], False),
        ("what is rsync", [], False),
        ("What is the price?", [], True),
        ("What is missing?", [], True),
        ("What is this?", [], True),
        ("What was his?", [], True),
    ],
)
def test_leans(text: str, names: list[str], needed: bool) -> None:
    """A pronoun counts only in a question that names nothing itself."""
    assert AskedQuestion(text).leans(names) is needed


@pytest.mark.parametrize(
    ("question", "short", "text", "first"),
    [
        ("Who wrote Emma?", "Jane Austen", "When was she born?", "Jane Austen"),
        ("Who wrote Emma?", "Jane Austen", "When was it published?", "Emma"),
        ("Which painter lived at Emma?", "Jane Austen", "Where did she die?", "Jane Austen"),
        ("Where did Emma live?", "Bath", "And her sister?", "Emma"),
        ("When was Emma published?", "December 1815", "And by whom?", "Emma"),
        ("Who wrote Emma?", "the author of nothing at all", "When was she born?", "Emma"),
        ("Who wrote Emma?", "", "When was she born?", "Emma"),
    ],
)
def test_referents(question: str, short: str, text: str, first: str) -> None:
    """The pronoun and what was asked say whether the answer or the name is meant."""
    found = referents(Turn(AskedQuestion(question), "", short), ["Emma"], AskedQuestion(text))
    assert found.names[0] == (first,) and not found.open


def test_follow_ups_over_a_real_store(sample_store: Path) -> None:
    """Names go on from question to question, and from an answer when the question had none."""
    settings = Settings(min_confidence=0.99)  # no short answer: names alone are leant on
    with searching(sample_store, settings) as search:
        ours = Talk([NamedIndex("", search.index)], settings, search.helpers)
        said(ours, "Who built the Kesselhorn Observatory?")
        assert (
            whole(ours, "When was it given up?") == "When was it given up? (Kesselhorn Observatory)"
        )
        follow = said(ours, "When was it given up?")
        assert "Kesselhorn Observatory" in follow.entities
        assert any("given up in 1969" in " ".join(hit.text.split()) for hit in follow.hits)
        assert whole(ours, "Who is Clara Rütimann?") == "Who is Clara Rütimann?"
        assert "Kesselhorn Observatory" in whole(ours, "And why?")
        said(ours, "Who is Clara Rütimann?")
        assert whole(ours, "Where does she work?").endswith("(Clara Rütimann)")


def test_a_follow_up_may_lean_on_the_answer(sample_store: Path) -> None:
    """But "it" after "who" is what the question named."""
    settings = Settings(min_confidence=0.1)
    with searching(sample_store, settings) as search:
        ours = Talk([NamedIndex("", search.index)], settings, search.helpers)
        said(ours, "Who captains the Brenn Rescue Corps?")
        founded = said(ours, "When was it founded?")
        assert founded.question.endswith("(Brenn Rescue Corps)")
        assert founded.reply.short and "1969" in founded.reply.short.text


def test_without_a_reader_names_are_carried_over(sample_store: Path) -> None:
    """There is no short answer to lean on, and no confidence to choose by."""
    settings = Settings(reader="none")
    with searching(sample_store, settings) as search:
        ours = Talk([NamedIndex("", search.index)], settings, search.helpers)
        said(ours, "Who captains the Brenn Rescue Corps?")
        found = said(ours, "What was she before?").question
        assert found == "What was she before? (Brenn Rescue Corps)"


def test_words_that_are_no_names_are_not_carried_over(
    monkeypatch: pytest.MonkeyPatch, sample_store: Path
) -> None:
    """The store may have "A second" as a name, and "second" is none."""
    text = "A second house of Ada"
    found = (Match("second", (1,), 0, 8, True), Match("ada", (2,), 18, 21, True))
    monkeypatch.setattr(talk, "find_entities", lambda _entities, _text: found)
    with searching(sample_store, Settings()) as search:
        ours = Talk([NamedIndex("", search.index)], Settings(), search.helpers)
        ours.remember(AskedQuestion(text), "", [])
        assert whole(ours, "Why?") == "Why? (Ada)"


BUILT = "Who built the Kesselhorn Observatory?"
BY_RULE = "When was it given up? (Kesselhorn Observatory)"


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        (
            "When was the Kesselhorn Observatory given up?\nIt was in 1969.",
            "When was the Kesselhorn Observatory given up?",
        ),
        ("When was the Paris Observatory given up?", BY_RULE),  # nobody has named it
        ("When was the Kesselhorn Observatory given up in 1801?", BY_RULE),
        ("Where is the Kesselhorn Observatory?", BY_RULE),  # another question
        ("The Kesselhorn Observatory was given up when it was.", BY_RULE),  # no question
        (BUILT, BY_RULE),
        ("When was it given up?", BY_RULE),
        ("", BY_RULE),
    ],
)
def test_a_model_makes_follow_ups_whole(
    sample_store: Path, monkeypatch: pytest.MonkeyPatch, reply: str, asked: str
) -> None:
    """With words of the conversation only, and not another question; else the rule stands."""
    model = Scripted(reply)
    monkeypatch.setattr(talk, "llm_file", lambda _setting: Path("scripted.gguf"))
    monkeypatch.setattr(talk, "open_llm", lambda _file, _settings: model)
    settings = Settings(answer="extractive", follow_ups="llm", min_confidence=0.99)
    with searching(sample_store, settings) as search:
        ours = Talk([NamedIndex("", search.index)], settings, search.helpers)
        assert said(ours, BUILT).question == BUILT and not model.asked
        assert said(ours, "When was it given up?").question == asked
        (prompt,) = model.asked
        assert BUILT in prompt.user and prompt.user.endswith("New question: When was it given up?")
        assert whole(ours, "Who is Clara Rütimann?") == "Who is Clara Rütimann?"
        assert len(model.asked) == 1


def test_who_makes_follow_ups_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """auto: the model that answers, if it is big; a small one only for who says so."""
    for parameters, settings, asked in (
        (10**9, Settings(), True),
        (10**8, Settings(), False),
        (10**9, Settings(follow_ups="rule"), False),
        (10**8, Settings(follow_ups="llm"), True),
    ):
        model = Scripted("")
        model.parameters = parameters
        monkeypatch.setattr(talk, "answerer", lambda _settings, it=model: ("auto", it))
        monkeypatch.setattr(talk, "llm_file", lambda _setting: Path("scripted.gguf"))
        monkeypatch.setattr(talk, "open_llm", lambda _file, _settings, it=model: it)
        assert (rewriter(settings) is model) is asked
    with pytest.raises(ConfigError, match="unknown way"):
        rewriter(Settings(follow_ups="magic"))
    monkeypatch.setattr(talk, "llm_file", lambda _setting: None)
    with pytest.raises(ModelError):
        rewriter(Settings(follow_ups="llm"))


def test_on_a_terminal(sample_store: Path) -> None:
    """Two questions and an empty line through a real pseudo-terminal."""
    ours, theirs = pty.openpty()
    os.write(ours, b"Who built the Kesselhorn Observatory?\nWhen was it given up?\n\n")
    done = subprocess.run(
        # Nothing is so sure: without a short answer names alone are leant on.
        [
            sys.executable,
            "-m",
            "ragcli",
            "ask",
            "--min-confidence",
            "0.99",
            "--store",
            str(sample_store),
        ],
        stdin=theirs,
        capture_output=True,
        text=True,
        timeout=120,
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert "understood as: When was it given up? (Kesselhorn Observatory)" in done.stderr
    assert done.stdout.count("[1]") >= 2
