"""Defaults of settings, as documentation tells them."""

from __future__ import annotations

import pytest

from ragcli.answer.lookup.defaults import default_answer
from ragcli.types import Part

TEXT = """# Settings

## max_size

How large it gets. The default value is 5G. The suffix of sizes defaults to k.

## retry_delay

+ Default: `100` (ms)

## log_dest

Where to log, by default nowhere.

The option --wick-length is 3 cm by default; the default of --wick-width is 0.5 cm, in summer.
"""


def answered(question: str) -> str | None:
    """What stands at the place of the answer."""
    titles = ("Settings", "max_size", "retry_delay", "log_dest")
    paths = tuple(
        (TEXT.index(f"# {t}\n"), f"Settings > {t}" if t != "Settings" else t) for t in titles
    )
    part = Part(1, "d.md", "Settings", 0, len(TEXT), 1, 20, TEXT, headings=paths)
    found = default_answer(question, [part])
    return found.places[0].text if found else None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the default of max_size?", "5G"),
        ("What's the default value for retry_delay?", "100"),
        ("What does max_size default to?", "5G"),
        ("What is the default max_size?", "5G"),
        ("What is the default of --wick-width?", "0.5 cm"),
    ],
)
def test_defaults(question: str, answer: str) -> None:
    """The value below the setting's name, or in one sentence with it, without quotes."""
    assert answered(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "What is the default of log_dest?",  # told in no such words
        "What is the default of min_size?",
        "What is the largest max_size?",
        "What is the default of the delay?",
    ],
)
def test_no_default(question: str) -> None:
    """Other questions, and settings whose default is not told, are left to the reader."""
    assert answered(question) is None
