"""Which sentences introduce an entity."""

from __future__ import annotations

from ragcli.graph.entity_description import MAX_CHARS, describe
from ragcli.graph.resolve import Resolved
from ragcli.text.sentences import sentences

TEXT = (
    "# Mara Linde\n\n"
    "On the quay stood a crowd, and somebody in it had seen Mara Linde leave. "
    "Mara Linde, captain of the Aurora, lives in Port Vale with two dogs. "
    "Nobody knew where the storm had taken the boat. "
    "He asked Mara Linde about it."
)


def mentions() -> list[Resolved]:
    """Every place where the name stands."""
    found, at = [], TEXT.find("Mara")
    spans = sentences(TEXT)
    while at >= 0:
        number = next(i for i, (a, b) in enumerate(spans) if a <= at < b)
        found.append(Resolved(0, number, at, at + 10, "mara linde", "Mara Linde", "PERSON"))
        at = TEXT.find("Mara", at + 1)
    return found


def test_the_sentence_that_says_what_it_is_is_taken() -> None:
    """The apposition and one more; no heading, nothing too short; in the order of the text."""
    said = describe([TEXT], mentions(), {"mara linde"})["mara linde"]
    assert "Mara Linde, captain of the Aurora, lives in Port Vale" in said
    assert said.startswith("On the quay")
    assert "#" not in said and "He asked" not in said


def test_only_what_is_wanted_and_never_more_than_fits() -> None:
    """Other keys are left out; a very long sentence is cut after a word."""
    assert describe([TEXT], mentions(), {"aurora"}) == {}
    long = "Mara Linde was " + "very " * 200 + "brave."
    m = Resolved(0, 0, 0, 10, "mara linde", "Mara Linde", "PERSON")
    said = describe([long], [m], {"mara linde"})["mara linde"]
    assert len(said) <= MAX_CHARS and said.endswith("very…")
