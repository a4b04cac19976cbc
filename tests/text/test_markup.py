"""Blanking what holds no names: the same as a plain pattern says, and quick on long runs."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.text.markup import blank_noise, unmarked

PLAIN = re.compile(
    r"^(```|~~~).*?(?:^\1[`~]*\s*$|\Z)|`[^`\n]+`"
    r"|https?://\S+|\S+@\S+\.\w+|^[ \t]*#+[ \t]|[*_|]{1,3}",
    re.MULTILINE | re.DOTALL,
)


def plainly(text: str) -> str:
    """The oracle: a mail address is looked for from every character."""
    return PLAIN.sub(lambda m: "".join(c if c == "\n" else " " for c in m.group()), text)


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from([*"aé@.*_|`~# \n)", "```", "http://"]), max_size=24).map("".join))
def test_what_is_blanked(text: str) -> None:
    """Starting addresses only where a run begins, or goes on after other noise, changes nothing."""
    assert blank_noise(text) == plainly(text)


def test_a_run_without_spaces_takes_no_time() -> None:
    """An image embedded in a page as one word: half a minute when each letter starts a search."""
    text = "iVBORw0KGgo" * 20_000
    start = time.process_time()
    assert blank_noise(f"{text} mail a.b@c.example now") == f"{text} mail {' ' * 13} now"
    assert time.process_time() - start < 5


def test_levels_of_log_lines_are_no_names() -> None:
    """A level after a time or at the beginning; elsewhere a word in capitals may be a name."""
    for line, blanked in (
        ("2026-01-31 10:00:01,123 DEBUG db.pool: Ada", "DEBUG"),
        ("[2026-01-31T10:00:01Z] [WARN] Ada", "WARN"),
        ("Jan 31 10:00:01 host app[7]: ERROR Ada", "ERROR"),
        ("INFO: Ada", "INFO"),
        ("  FATAL | Ada", "FATAL"),
        ("Ada wrote INFO on it.", ""),
        ("DEBUGGER is a program of 1999", ""),
        ("INFORMATION, the ship", ""),
    ):
        made = blank_noise(line)
        assert len(made) == len(line)
        expected = line.replace(blanked, " " * len(blanked), 1) if blanked else line
        assert made == blank_noise(expected) and ("Ada" in made) is ("Ada" in line)
        assert blanked not in made or not blanked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See :ref:`the policy\n<security-contact>`, and", "See the policy\n , and"),
        ("See :ref:`Limits <limits>`.", "See Limits ."),
        ("Use :option:`--keep <foo --keep>` here", "Use --keep here"),
        ("See `the limits <limits_>`_ or `one`_", "See the limits or `one`_"),
        ("Run foo --in=<path> at <security-contact>", "Run foo --in=<path> at <security-contact>"),
        ("A time: `one <two>` and a vec `<int>`", "A time: `one <two>` and a vec `<int>`"),
    ],
)
def test_roles_and_links_leave_their_text(text: str, shown: str) -> None:
    """Whole, also across a line end; offsets and lines stay."""
    made = unmarked(text)
    assert re.sub(" +", " ", made) == shown and len(made) == len(text)
