"""Runs of capitalised words."""

import pytest

from ragcli.graph.capitals import run_mentions, runs
from ragcli.graph.resolve import Resolved


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("He left the University of Copenhagen early.", ["University of Copenhagen"]),
        ("In July 2011 it rained.", ["July 2011"]),
        ("J. R. Tolkien wrote.", ["J. R. Tolkien"]),
        ("Rain fell on Rome.", ["Rome"]),
        ("However, nothing came.", []),
        ("nothing at all, 1999", []),
    ],
)
def test_what_counts_as_a_run(sentence: str, found: list[str]) -> None:
    """Links inside stay, function words in front and a lone first word do not."""
    assert [sentence[a:b] for a, b in runs(sentence)] == found


def test_what_the_pipeline_found_is_not_found_again() -> None:
    """A run with the very span of a labelled mention adds nothing; aliases lead to their owner."""
    text = "She met Ann Lee. Then Lee left Rome."
    ann = Resolved(0, 0, 8, 15, "ann lee", "Ann Lee", "PERSON")
    found = run_mentions([text], [ann], {"lee": "ann lee"})
    assert [(m.key, m.label, m.own) for m in found] == [
        ("ann lee", "", False),
        ("rome", "", True),
    ]


def test_code_and_addresses_hold_no_runs() -> None:
    """What the extractor does not read is not read here."""
    assert run_mentions(["See `Big Thing` at https://Example.org/Big now."], [], {}) == []
