"""Items of lists that begin with a marked word: it is the heading of all their sentences."""

from __future__ import annotations

import pytest

from ragcli.answer.candidates import heading_over, sentence_at
from ragcli.text.list_terms import term_of_item
from ragcli.types import Part

from .makers import part_of

TEXT = """# Lantern

* **wick** `number` (optional) - The length in cm. `0` burns nothing.
* `oil` - The kind.
  Whale oil is dear.
  * **colour** `string` - Of the oil.
    Amber if unset.

    It fades.
  * Plain words about oil.

After the list.

- *Never leave the lantern alone. Ever.*
1. **first** of all
"""


def part() -> Part:
    """The text as one part."""
    return part_of(TEXT, ((0, "Lantern"),), "Lantern")


@pytest.mark.parametrize(
    ("words", "heading", "over"),
    [
        ("The length", "Lantern > wick", "Lantern"),
        ("`0` burns", "Lantern > wick", "Lantern > wick"),
        ("Whale oil", "Lantern > oil", "Lantern > oil"),
        ("Of the oil", "Lantern > oil > colour", "Lantern > oil"),
        ("Amber", "Lantern > oil > colour", "Lantern > oil > colour"),
        ("It fades", "Lantern > oil > colour", "Lantern > oil > colour"),
        ("Plain words", "Lantern > oil", "Lantern > oil"),
        ("After the list", "Lantern", "Lantern"),
        ("Never leave", "Lantern", "Lantern"),
        ("of all", "Lantern", "Lantern"),
    ],
)
def test_sentences_know_their_item(words: str, heading: str, over: str) -> None:
    """To the end of the item; a citation names the term only if its sentence does not."""
    at = TEXT.index(words)
    found = sentence_at(part(), at, at + len(words))
    assert (found.heading, heading_over(part(), at)) == (heading, over)


@pytest.mark.parametrize(
    ("line", "term"),
    [
        ("- `-q`, `--quiet` say less", "`-q`, `--quiet`"),
        ("+ __name__ is it", "__name__"),
        ("* **a** or **b**: either", "**a** or **b**"),
        ("- **a word of the many words of a sentence** goes on", None),
        ("- 2*3*4 is more", None),
        ("no item `at` all", None),
    ],
)
def test_terms_of_items(line: str, term: str | None) -> None:
    span = term_of_item(line)
    assert (line[slice(*span)] if span else None) == term
