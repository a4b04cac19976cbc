"""Which lines of a text may be shown as an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.answer.candidates import all_candidates, sentence_at
from ragcli.text.markup import is_heading

from .makers import context_of, part_of

PAGE = """\
# Fares

WINTER TIMES

What does it cost? 45 crowns a year.
It is due in November.

Covers:

- the railway
- the bus

| Line | Fare |
|------|-----:|
| Brenn | 12 |

```sh
ring office
```
"""


def sentences_of(text: str) -> dict[str, tuple[str, str]]:
    """Return text -> (lead, asked) of each candidate."""
    return {s.text: (s.lead, s.asked) for s in all_candidates(context_of(("", text)))}


def test_headings_table_heads_fences_and_questions_are_only_leads() -> None:
    """Rows and list items may be answers, without their list mark."""
    assert list(sentences_of(PAGE)) == [
        "45 crowns a year.",
        "It is due in November.",
        "the railway",
        "the bus",
        "| Brenn | 12 |",
        "ring office",
    ]


def test_a_signature_is_no_sentence() -> None:
    """Signed mail keeps its own sentences."""
    line = "iD8DBQFGKjLkUaz2rXW+gJcRAhXZAJ9uZ0FUyGYpbqQ4Ylt8pZVqSgCgkq2F"
    mail = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nThe bridge opens in May.\n\n"
        f"-----BEGIN PGP SIGNATURE-----\nVersion: GnuPG v1.4.9\n\n{line}\n{line}\n=Qt7d\n"
        "-----END PGP SIGNATURE-----"
    )
    assert list(sentences_of(mail)) == ["The bridge opens in May."]


@pytest.mark.parametrize("markup", ["```sh\n{}\n```", "    {}", ".. code-block:: sh\n\n   {}"])
def test_a_sentence_that_announces_is_one_and_code_is_code(markup: str) -> None:
    """A comment in code is no heading, and a line with "|" is no head of a table."""
    code = markup.format("# all of them\n    ring list | sort")
    found = sentences_of(f"# Rings\n\nYou can list them:\n\n{code}\n\nExample:\n\nA bell.\n")
    shown = [text for text, (lead, _) in found.items() if lead == "Rings You can list them:"]
    assert " ".join(shown) == "You can list them: # all of them ring list | sort"
    assert found["A bell."] == ("Rings Example:", "") and "Example:" not in found


def test_output_that_draws_a_table_is_a_table() -> None:
    """Its rows know their head."""
    found = sentences_of("It prints:\n\n```\n| id | name |\n+----+------+\n|  1 | Brenn |\n```\n")
    assert found["| 1 | Brenn |"][0].startswith("| id | name |")


def test_leads_say_what_a_line_is_about() -> None:
    """A line knows its heading, table head, question, or the line that opens its list."""
    found = sentences_of(PAGE)
    assert found["45 crowns a year."] == ("WINTER TIMES What does it cost?", "What does it cost?")
    assert found["the bus"] == ("WINTER TIMES Covers:", "")
    assert found["| Brenn | 12 |"][0] == "WINTER TIMES | Line | Fare |"


def test_a_question_in_bold_is_a_question() -> None:
    """FAQ pages set their questions in bold or as headings."""
    found = sentences_of("**Who may join?** Anyone.\n\nNothing else.\n\n## How?\n\nWrite to us.")
    assert {text: asked for text, (_, asked) in found.items()} == {
        "Anyone.": "**Who may join?**",
        "Nothing else.": "",
        "Write to us.": "How?",
    }


def test_a_bold_lead_stands_above_what_it_defines() -> None:
    """Alone it says nothing; emphasis inside a sentence, and a long one, are no leads."""
    found = sentences_of(
        "(Intro.) **Generations.** A store counts its changes. They never repeat.\n\n"
        "**This sentence is bold because its writer wanted every word of it read.** It is."
    )
    assert found["A store counts its changes."] == ("Generations.", "")
    assert found["They never repeat."] == ("Generations.", "")
    assert "**Generations.**" not in found
    assert found["It is."] == ("", "") and len(found) == 5


def test_headings_by_mark_or_capitals() -> None:
    """Short lines of capitals without a stop are headings; a year or a sentence is none."""
    assert is_heading("## Notes") and is_heading("CHAPTER TWO")
    assert not is_heading("NO ENTRY AFTER 9") and not is_heading("STOP!")


@given(st.text(st.sampled_from("abC .?|#-\n\t:`0"), max_size=80))
def test_offsets_are_exact(text: str) -> None:
    """Each candidate is the stretch of the document it says it is."""
    for sentence in all_candidates(context_of(("T", text))):
        shown = " ".join(text[sentence.start : sentence.end].split())
        assert shown.endswith(sentence.text) and sentence.text


def test_directives_without_text_are_no_sentences() -> None:
    """A target and the begin of a block say nothing; a note says what it says."""
    text = (
        ".. _top:\n\n.. setting:: wick_size\n\nHow wide.\n\n.. versionadded:: 4.3 For flat wicks.\n"
    )
    assert list(sentences_of(text)) == ["How wide.", ".. versionadded:: 4.3 For flat wicks."]


def test_a_heading_knows_itself() -> None:
    """What stands below the term that answers is shown with it, so its path is known."""
    text = "### `daemon`\n\nRun in the background.\n"
    part = part_of(text, headings=((0, "Server > daemon"),))
    assert sentence_at(part, 5, 11).heading == "Server > daemon"
