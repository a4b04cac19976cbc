"""Versions that brought something, as reference manuals tell them below its name."""

from __future__ import annotations

import pytest

from ragcli.answer.lookup.since import since_answer
from ragcli.types import Part

TEXT = """# Lantern

## lantern.light(path[, options])

<!-- YAML
added: v0.1.29
deprecated:
  - v18.0.0
changes:
  - version: v15.2.0
    description: The options may include a wick.
-->

Lights it.

## Event: 'burnt'

Added in: v2.1.0

## --wet

Available in 2.4.39 and later.

## lantern.dry()

Dries it.
"""
TITLES = ("Lantern", "lantern.light(path[, options])", "Event: 'burnt'", "--wet", "lantern.dry()")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("In which version was lantern.light() added?", "v0.1.29"),
        ("When was lantern.light() deprecated?", "v18.0.0"),
        ("When was the 'burnt' event added?", "v2.1.0"),
        ("Since which version is --wet available?", "2.4.39"),
        ("Which version introduced lantern.dry()?", None),
        ("Which version added it?", None),
        ("Where is lantern.light() added?", None),
    ],
)
def test_versions_below_a_name(question: str, answer: str | None) -> None:
    """The one told for what the question asks: added, deprecated, removed."""
    paths = tuple((TEXT.index(f"# {t}\n"), t) for t in TITLES)
    part = Part(1, "d.md", "Lantern", 0, len(TEXT), 1, 30, TEXT, headings=paths)
    found = since_answer(question, [part])
    assert (found.places[0].text if found else None) == answer
