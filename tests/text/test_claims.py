"""Rules that find where a written sentence goes against its source."""

from __future__ import annotations

import pytest

from ragcli.text.claims import ClaimSource

PROJECTS = ClaimSource(
    "- Project Alder, begun in 2011, replants the wood. It is directed by Ann Lee.\n"
    "- Project Sand, begun in 2017, gave the valley a radar."
)
TABLE = ClaimSource("| Roads office | 3.9 |\n| Loan from the insurer, 15 years | 1.6 |\n")


@pytest.mark.parametrize(
    ("source", "claim", "crosses"),
    [
        (PROJECTS, "Project Sand replants the wood and Project Alder gave a radar.", True),
        (PROJECTS, "Project Alder replants the wood and Project Sand gave a radar.", False),
        (TABLE, "The roads office lent 1.6 million and the insurer gave 3.9 million.", True),
        (TABLE, "The roads office gave 3.9 million and the insurer lent 1.6 million.", False),
        (TABLE, "", False),
    ],
)
def test_clauses_that_exchange_what_they_say(
    source: ClaimSource, claim: str, crosses: bool
) -> None:
    """Whole rows of a table and whole sentences count as one clause, too."""
    assert source.crosses(claim) is crosses


def test_an_exchange_that_would_fit_better_is_counted() -> None:
    """Common words count as well as names: "signal above the noise"."""
    source = ClaimSource("The signal is so weak that it does not rise above the noise.")
    assert source.gain_by_exchange("The noise is so weak that it is lost in the signal.") > 0
    assert source.gain_by_exchange("The signal does not rise above the noise.") == 0
    assert source.gain_by_exchange("Nothing of this is there.") == 0


@pytest.mark.parametrize(
    ("claim", "lacks"),
    [
        ("Forty people came.", False),
        ("40 people came.", False),
        ("Fifty people came.", True),
        ("One of them stayed.", False),
        ("It cost 1200 crowns.", False),
        ("It cost 1,300 crowns.", True),
    ],
)
def test_numbers_in_digits_and_words_are_the_same(claim: str, lacks: bool) -> None:
    """ "One" is no number: it mostly stands for a thing."""
    source = ClaimSource("Forty people came, and it cost 1,200 crowns.")
    assert source.lacks_number(claim) is lacks


@pytest.mark.parametrize(
    ("claim", "differs"),
    [
        ("The bridge was not rebuilt.", True),
        ("The bridge was rebuilt.", False),
        ("Nobody was hurt.", False),
        ("Somebody was hurt.", True),
        ("The bridge wasn't rebuilt.", True),
    ],
)
def test_a_denial_is_compared_with_the_clause_that_says_it(claim: str, differs: bool) -> None:
    """The negation of the other clause does not count."""
    source = ClaimSource("The bridge was rebuilt, and nobody was hurt.")
    assert source.differs_in_negation(claim) is differs


def test_an_empty_source_holds_nothing() -> None:
    """No sentence, no word, no error."""
    source = ClaimSource("")
    assert not source.crosses("Ann came and Ben left.")
    assert source.gain_by_exchange("Ann came.") == 0
    assert source.lacks_number("In 1921.")
    assert not source.differs_in_negation("Ann came.")
