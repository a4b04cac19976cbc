"""No regular expression takes longer than in proportion to the text that it is tried on."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pumped_patterns import Found, steep

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no timer that counts work")

PROGRAM = Path(__file__).with_name("pumped_patterns.py")


@pytest.mark.slow
def test_every_pattern_takes_linear_time() -> None:
    """In a process of its own: what hangs a pattern hangs its process, too."""
    command = [sys.executable, str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    *slow, count = done.stdout.splitlines()
    sys.stdout.write(f"{count}\n")
    assert not slow, "\n".join(slow)
    assert int(count.removesuffix(" patterns")) > 400


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (r"(?:[A-Z]\w*\s?)+!", "does not end"),
        (r"(?:a|a)*b", "does not end"),
        (r"\s*;", "takes"),
        (r"x.*?y.*?z", "takes"),
        (r"(?:(?<!\s)\s+)?;", ""),
        (r"\w++!", "takes"),
        (r"(?<!\w)\w++!", ""),
    ],
)
def test_a_pattern_that_is_too_slow_is_told(text: str, told: str) -> None:
    """Exponential, or all pairs of characters; and none that is linear."""
    found = steep(Found("here", re.compile(text), ()))
    assert found.startswith(told) and bool(found) == bool(told)
