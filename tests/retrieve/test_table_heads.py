"""Passages that begin inside a table get its head."""

from __future__ import annotations

import pytest

from ragcli.retrieve.table_heads import LONGEST, with_table_head
from ragcli.types import Hit

TEXT = "Lamps\n\n| Lamp | Oil |\n| ---- | --- |\n| red  | 1 l |\n| blue | 2 l |\n\nEnd.\n"


def hit(text: str, begin: int, end: int, lines: tuple[tuple[int, int], ...] = ()) -> Hit:
    """A hit of a stretch of a document."""
    first = 1 + text.count("\n", 0, begin)
    last = first + text.count("\n", begin, end)
    return Hit("c", "d.md", "", begin, end, first, last, text[begin:end], 1.0, 1, lines=lines)


def headed(found: Hit, text: str = TEXT) -> Hit:
    """The hit after what is missing was read."""
    return with_table_head(found, lambda doc, a, b: text[a:b])


@pytest.mark.parametrize("row", ["| red", "| blue"])
def test_the_head_is_put_before_the_rows(row: str) -> None:
    """Offsets, text and lines stay those of the document."""
    found = headed(hit(TEXT, TEXT.index(row), TEXT.index("\n\nEnd")))
    assert found.text == TEXT[found.start : found.end]
    assert found.text.startswith("| Lamp | Oil |")
    assert (found.line_start, found.line_end) == (3, 6)


def test_other_passages_stay() -> None:
    """At the head, in prose, without a rule, too far below, and where lines are not the file's."""
    row = TEXT.index("| red")
    loose = TEXT.replace("| ---- | --- |\n", "")
    long = TEXT.replace("| red  | 1 l |\n", "| red  | 1 l |\n" * (LONGEST // 10))
    for text, found in (
        (TEXT, hit(TEXT, TEXT.index("| Lamp"), len(TEXT))),
        (TEXT, hit(TEXT, TEXT.index("End"), len(TEXT))),
        (TEXT, hit(TEXT, row, len(TEXT), lines=((row, 5),))),
        (loose, hit(loose, loose.index("| blue"), len(loose))),
        (long, hit(long, long.index("| blue"), len(long))),
    ):
        assert headed(found, text) == found
