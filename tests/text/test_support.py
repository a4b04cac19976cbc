"""Whether a text supports a claim."""

from __future__ import annotations

import pytest

from ragcli.text.support import SourceText, support
from ragcli.text.words import DESCRIPTION_WORDS

BRIDGE = "It was built in 1931.\nAnna Weil drew it. It spans 120 m."


def of(claim: str, source: str) -> float:
    """Support under the rules for answers."""
    return support(claim, SourceText(source))


def test_a_wrong_number_or_name_has_no_support() -> None:
    """However many words agree, a year or a name that is not in the source is made up."""
    assert of("Anna Weil drew the bridge in 1931.", f"Bridge. {BRIDGE}") == 1
    assert of("Anna Weil drew the bridge in 1932.", BRIDGE) == 0
    assert of("Anna Holm drew the bridge in 1931.", BRIDGE) == 0
    assert of("It was so.", BRIDGE) == 0


def test_support_is_a_share_of_the_other_words() -> None:
    """Names and numbers must all be there; of the rest, two words of four are."""
    cited = "Anna Weil often drew bridges with care."
    assert of("Anna Weil drew bridges often here", "Anna Weil drew bridges often") == 1
    assert of("Anna Weil drew two bridges with skill", cited) == 0.5
    assert of("Anna Weil is a singer", cited) == 0


def test_a_name_may_stand_word_by_word() -> None:
    """ "Corvane Hydro" is known where both words are, whatever stands between."""
    assert SourceText("The hydro plant at Corvane").holds_names("The Corvane Hydro leaks.")
    assert not SourceText("The plant at Corvane").holds_names("The Corvane Hydro leaks.")


def test_a_description_is_measured_by_its_words_alone() -> None:
    """The share of content words in the text, endings aside; nothing said has no support."""
    source = SourceText("The keeper of the lighthouse sells boats.", DESCRIPTION_WORDS)
    assert support("sold by the keeper of boats", source, "nothing") == pytest.approx(2 / 3)
    assert support("keepers selling boat", source, "nothing") == 1.0
    assert support("of the", source, "nothing") == 0.0
    assert support("Ann Lee, keeper of boats", source, "nothing") == 0.5


def test_what_must_be_exact_is_the_callers_choice() -> None:
    """A profile may name a thing in other words, but not change a number."""
    source = SourceText("The keeper sells 12 boats a year.", DESCRIPTION_WORDS)
    claim = "Keeper Ann Lee sells 12 boats"
    assert support(claim, source) == 0.0
    assert support(claim, source, "numbers") == pytest.approx(4 / 6)
    assert support(claim.replace("12", "13"), source, "numbers") == 0.0
