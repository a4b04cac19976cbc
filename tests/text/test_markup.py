"""Blanking what holds no names: the same as a plain pattern says, and quick on long runs."""

from __future__ import annotations

import re
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.text.markup import blank_noise

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
    start = time.perf_counter()
    assert blank_noise(f"{text} mail a.b@c.example now") == f"{text} mail {' ' * 13} now"
    assert time.perf_counter() - start < 5
