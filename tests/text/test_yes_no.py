"""Questions for yes or no as claims."""

from __future__ import annotations

import pytest

from ragcli.text.yes_no import asked_claim, roots


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("Is the hut open in winter?", "The hut is open in winter."),
        ("Is the hut at the pass kept by nuns?", "The hut at the pass is kept by nuns."),
        ("Was the Rescue Corps founded before 1970?", "The Rescue Corps was founded before 1970."),
        ("Does --force delete untracked files?", "--force delete untracked files."),
        ("Do shares in the league earn interest?", "Shares in the league earn interest."),
        ("Is Ada Fell captain of the corps?", "Ada Fell is captain of the corps."),
        ("Can the radar see in the dark?", "The radar can see in the dark."),
        ("Has Dr Okafor written a book?", "Dr Okafor has written a book."),
        ("Was it sold?", "It was sold."),
        ("Are Ada and Per related?", "Ada and Per are related."),
    ],
)
def test_claims(question: str, claim: str) -> None:
    """The auxiliary stands after the subject; "does" is left out."""
    asked = asked_claim(question)
    assert asked is not None
    assert asked.text == claim


@pytest.mark.parametrize(
    "question",
    [
        "When was it sold?",
        "Is it red or blue?",
        "Was it sold, and by whom?",
        "Is it sold and who bought it?",
        "Isn't it sold?",
        "Was it not sold?",
        "Could it be sold?",
        "Is",
        "",
    ],
)
def test_no_claims(question: str) -> None:
    """Questions for something else, for one of two, and those that deny or suppose."""
    assert asked_claim(question) is None


def test_denied() -> None:
    """The claim that "no" makes."""
    asked = asked_claim("Does the director vote?")
    assert asked is not None
    assert asked.denied == "The director does not vote."


def test_roots() -> None:
    """All forms of a word have one."""
    assert roots("She bought and sold mills") == roots("Did she sell and buy a mill?")
