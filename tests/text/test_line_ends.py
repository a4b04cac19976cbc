"""Lines on purpose, and lines that only wrap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.text.line_ends import meant
from ragcli.text.sentences import sentences


def cut(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Name: sniffio\nVersion: 1.3.1\nSummary: Sniff out which async library it runs under",
        "2024-05-01 10:00:01 INFO the pump starts\n2024-05-01 10:00:02 WARN low oil\n"
        "2024-05-01 10:00:09 ERROR the pump has stopped",
        "[10:00:01] the pump starts\n[10:00:02] pumping now",
        "May  3 10:00:01 host sshd: in\nMay  3 10:00:07 host sshd: so",
        "id,name,price\n1,apple,3\n2,pear,44\n3,plum,5",
        "Mr Tom Wierzba\nSurvey Office\nKesselhorn Alpine Observatory\n4 March 2019",
        "if found:\n    return 1\nprint('not found in any of them')\nreturn 0",
    ],
)
def test_each_meant_line_is_a_sentence(text: str) -> None:
    """Records, fields, log lines, addresses and code are cut at every line end."""
    assert cut(text) == [line.strip() for line in text.splitlines()]


WRAPPED = """\
The footbridge over the gorge was built by the company's own men in the
summer of 1911 and has been closed twice since then, both times after a
flood. It was opened again in May
and nobody has measured it since.
"""


def test_wrapped_prose_is_cut_at_stops_only() -> None:
    """One short line in a paragraph is an accident."""
    assert len(cut(WRAPPED)) == 2


def test_a_paragraph_keeps_to_itself() -> None:
    """Fields above a paragraph do not make its lines meant, nor the other way round."""
    found = cut(f"Name: a\nVersion: 10.2\n\n{WRAPPED}\nfrom: here\nto: the other side")
    assert found[:2] == ["Name: a", "Version: 10.2"] and len(found) == 6


def test_list_items_may_wrap() -> None:
    """Short items are no sign that the second line of a long one is meant."""
    text = (
        "- salt\n- oil\n- a rope of at least thirty metres, and a second one for the sledge that\n"
        "  comes behind\n- tea"
    )
    assert cut(text)[2].endswith("comes behind") and len(cut(text)) == 4


WORD = st.text("abcdefgh", min_size=1, max_size=9)


@given(st.lists(WORD, min_size=30, max_size=120), st.integers(40, 90))
def test_text_wrapped_at_any_width_is_never_meant(words: list[str], width: int) -> None:
    """The oracle is the wrapper: a line ends only where the next word does not fit."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] = f"{lines[-1]} {word}".strip()
        else:
            lines.append(word)
    if len(lines) > 2:
        assert not meant(lines)
