"""Markdown for people: no marks, all words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.text.readable import readable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain text. [1] More [2][3].", "Plain text. [1] More [2][3]."),
        ("See [x][], [y][z] and ![alt](a.png).", "See x, y and alt."),
        ("[![badge](a.svg)](b.html) ok", "badge ok"),
        ("Set **`top_k`** to *ten*, ***now***.", "Set `top_k` to ten, now."),
        ("It raises **no alarm. [1]", "It raises no alarm. [1]"),
        ("x = 2**3 * 4 ** 5 and a * b * c", "x = 2**3 * 4 ** 5 and a * b * c"),
        ("call __init__ and __all__", "call __init__ and __all__"),
        ("this __very much__ so", "this very much so"),
        ("run cat a | grep b | wc", "run cat a | grep b | wc"),
        ("| a | b | |---|---| | 1 | 2 | [1]", "a – b; 1 – 2 [1]"),
        ("| a | b |\n|:--|--:|\n| 1 | 2 |", "a – b\n\n1 – 2"),
        ("One. [1] | 17:00 | Out | [2]", "One. [1] 17:00 – Out [2]"),
        ("# Title\n\nText\n## Part", "Title\n\nText\nPart"),
        ("C# and issue #7 stay", "C# and issue #7 stay"),
        ("a note[^1] here", "a note here"),
        ("f(x)[0] and [a b](c d)", "f(x)[0] and [a b](c d)"),
    ],
)
def test_readable(text: str, expected: str) -> None:
    assert readable(text) == expected


@given(st.text(alphabet="ab 1*_|[]()#-\n`!^", max_size=60))
def test_no_word_is_lost_but_targets_of_links(text: str) -> None:
    """Letters outside links stay, in their order."""
    if re.search(r"\]\s*[(\[]|\[\^", text):
        return
    assert re.findall("[ab1]", readable(text)) == re.findall("[ab1]", text)
