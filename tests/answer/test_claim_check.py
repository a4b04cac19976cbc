"""What a model wrote stands only where the text it cites says the same."""

from __future__ import annotations

import pytest

from ragcli.answer.claim_check import AROUND, around, check_claim
from ragcli.answer.laid import Stretch
from ragcli.models.open_reader import open_reader

from .makers import context_of

RAILWAY = (
    "The railway",
    "The line was opened in 1931. Lorenz Abt, who had succeeded Gisela Montandon as president in "
    "1996, retired in 2016. The canton closes the road. The superintendent closes the line. "
    "Nobody was hurt in the fire of 1974.",
)
PARTS = context_of(RAILWAY).parts


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Gisela Montandon succeeded Lorenz Abt as president.", "exchanged or turned round"),
        (
            "The superintendent closes the road and the canton closes the line.",
            "exchanged or turned round",
        ),
        ("The line was not opened in 1931.", "denied"),
        ("The line was opened in 1932.", "another number"),
        ("Anna Bosch retired in 2016.", "a name that is not there"),
        ("The superintendent closes twelve lines.", "another number"),
        ("The superintendent plays the violin at weekends.", "not said there"),
    ],
)
@pytest.mark.parametrize("read", [True, False])
def test_what_is_not_said_is_left_out_with_the_reason(sentence: str, why: str, read: bool) -> None:
    """With the reader and by the rules alone."""
    checked = check_claim(sentence, PARTS, open_reader() if read else None)
    assert checked.quotes == ()
    assert why in checked.why or not read


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("The line was opened in 1931.", "The line was opened in 1931."),
        ("The superintendent closes the line.", "The superintendent closes the line."),
        ("Nobody was hurt in the fire of 1974.", "Nobody was hurt in the fire of 1974."),
    ],
)
@pytest.mark.parametrize("read", [True, False])
def test_what_is_said_stands_with_its_quote(sentence: str, quote: str, read: bool) -> None:
    """With the reader and by the rules alone."""
    checked = check_claim(sentence, PARTS, open_reader() if read else None)
    assert [found.text for found in checked.quotes] == [quote]


def test_around_a_quote_whole_sentences_are_judged() -> None:
    """Not more than so many characters on either side, and always the quote."""
    text = " ".join(f"Sentence number {n} says nothing at all." for n in range(200))
    (part,) = context_of(("Long", text)).parts
    at = text.index("Sentence number 100")
    quote = Stretch(part, at, at + 39)
    seen = around(quote)
    assert quote.text in seen and seen.startswith("Sentence") and seen.endswith(".")
    assert len(seen) <= 2 * AROUND + len(quote.text)
