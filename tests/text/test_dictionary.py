"""Entries of dictionaries: head words, pronunciations, and what stands after them."""

from __future__ import annotations

import time

import pytest

from ragcli.text.dictionary import entry_head, is_pronunciation, without_pronunciations


@pytest.mark.parametrize(
    ("text", "word", "meaning"),
    [
        (":hacker: n. 1. A person.", "hacker", "1. A person."),
        (":odd: /od/ or /awd/ /adj./  Strange.", "odd", "Strange."),
        ('DORY \\Do"ry\\, n. [Named so.]', "DORY", "[Named so.]"),
        ("bastion host /ˈbæstɪən həʊst/ A gateway.", "bastion host", "A gateway."),
        ("kedge [kɛdʒ] noun: an anchor", "kedge", "an anchor"),
        ("**kedge** (/kɛdʒ/, *noun*)\n: An anchor.", "kedge", "An anchor."),
    ],
)
def test_an_entry_begins_with_its_head_word(text: str, word: str, meaning: str) -> None:
    found = entry_head(text)
    assert found is not None and (found[0], text[found[1] :]) == (word, meaning)
    assert without_pronunciations(text).endswith(meaning)
    assert len(without_pronunciations(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "Copy /usr/local-lib/ to the disk.",
        "Note: see n. 5 of the report.",
        "A verb /and/or a noun are needed.",
        "Smith, A. n. d. of the report",
        "and [1] noun phrases",
    ],
)
def test_paths_and_remarks_are_no_pronunciations(text: str) -> None:
    assert entry_head(text) is None and without_pronunciations(text) == text
    assert not is_pronunciation(text)


@pytest.mark.parametrize("pumped", ["a /", "/a", "/a/ or ", "[ə", ":a: ", "n. ", "\\a", "a a, ("])
def test_time_grows_with_the_text(pumped: str) -> None:
    """No text makes the patterns try everything."""
    text = pumped * 20_000
    begin = time.process_time()
    entry_head(text), is_pronunciation(text), without_pronunciations(text)
    assert time.process_time() - begin < 2
