"""The prompt fits the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragcli.answer.prompt import SYSTEM, message, prompt
from ragcli.text.asked_question import AskedQuestion

from .makers import context_of

CONTEXT = context_of(("One", "First text. It goes on."), ("", "Second text."), ("Three", "Third."))


def count(text: str) -> int:
    """Count words."""
    return len(text.split())


def test_passages_stand_under_number_and_title() -> None:
    """The message as the model sees it."""
    assert message(AskedQuestion("Why? "), CONTEXT.parts[:2]) == (
        "Passages:\n\n[1] One\nFirst text. It goes on.\n\n[2]\nSecond text.\n\nQuestion: Why?"
    )


def test_what_is_known_stands_before_the_passages() -> None:
    """LightRAG's three parts; lines that do not fit in half of the room are dropped first."""
    known = replace(
        CONTEXT, entities=("Ann: A diver.", "Bob: A cook."), relations=("Ann - Bob: x",)
    )
    user, parts = prompt(AskedQuestion("Why?"), known, count(SYSTEM) + 64 + 100, count)
    assert user.startswith("Entities:\nAnn: A diver.\nBob: A cook.\n\nRelations:\nAnn - Bob: x")
    assert parts == CONTEXT.parts
    user, _ = prompt(AskedQuestion("Why?"), known, count(SYSTEM) + 64 + 10, count)
    assert user.startswith("Entities:\nAnn: A diver.\n\nPassages:")


@pytest.mark.parametrize("room", range(30))
def test_parts_are_dropped_from_the_last_until_it_fits(room: int) -> None:
    """With less room there are fewer parts, then a cut one, then none."""
    limit = count(SYSTEM) + 64 + room
    user, parts = prompt(AskedQuestion("Why?"), CONTEXT, limit, count)
    assert [part.n for part in parts] == [1, 2, 3][: len(parts)]
    assert not parts or count(user) <= room
    for part in parts:
        assert part.text == CONTEXT.parts[part.n - 1].text[: len(part.text)] != ""


def test_the_first_part_is_cut_at_a_sentence() -> None:
    """A first part that is too long keeps its first sentences."""
    _, (part,) = prompt(AskedQuestion("Why?"), CONTEXT, count(SYSTEM) + 64 + 7, count)
    assert part.text == "First text."
