"""A conversation: follow-ups get the names they lean on, other questions stay as they are."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from ragcli.config import Settings
from ragcli.pipeline.opening import open_space
from ragcli.pipeline.talk import Talk, leans


@pytest.mark.parametrize(
    ("text", "names", "needed"),
    [
        ("When was it built?", [], True),
        ("And what about its roof?", ["Roof"], True),
        ("Since when?", [], True),
        ("Who keeps the Ysolde hut?", ["Ysolde hut"], False),
        ("What does the dairy pay for each litre of milk?", [], False),
        ("When did he meet Clara Rütimann?", ["Clara Rütimann"], False),
    ],
)
def test_leans(text: str, names: list[str], needed: bool) -> None:
    """A pronoun counts only in a question that names nothing itself."""
    assert leans(text, names) is needed


def test_follow_ups_over_a_real_store(sample_store: Path) -> None:
    """Names go on from question to question, and from an answer when the question had none."""
    with open_space(sample_store, Settings()) as space:
        talk = Talk(space, Settings())
        talk.ask("Who built the Kesselhorn Observatory?")
        assert (
            talk.whole("When was it given up?") == "When was it given up? (Kesselhorn Observatory)"
        )
        follow = talk.ask("When was it given up?")
        assert "Kesselhorn Observatory" in follow.entities
        assert any("given up in 1969" in " ".join(hit.text.split()) for hit in follow.hits)
        assert talk.whole("Who is Clara Rütimann?") == "Who is Clara Rütimann?"
        assert "Kesselhorn Observatory" in talk.whole("And why?")
        talk.ask("Who is Clara Rütimann?")
        assert talk.whole("Where does she work?").endswith("(Clara Rütimann)")


def test_on_a_terminal(sample_store: Path) -> None:
    """Two questions and an empty line through a real pseudo-terminal."""
    ours, theirs = pty.openpty()
    os.write(ours, b"Who built the Kesselhorn Observatory?\nWhen was it given up?\n\n")
    done = subprocess.run(
        [sys.executable, "-m", "ragcli", "ask", "--store", str(sample_store)],
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
