"""Passages that begin inside a table get the table's head: without it a cell has no meaning.

Passages have about 200 tokens, so the rows of a table are often cut from the names of its columns.
What is missing is read from the store.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ragcli.corpus.normalised_text import PAGE
from ragcli.types import Hit

LONGEST = 1500
"""Characters of rows above a passage, at most, that are read with its head."""

_RULE = re.compile(r"[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)*\Z")

TextOf = Callable[[str, int, int], str]
"""Returns ``text[start:end]`` of a document, given by its id."""


def with_table_head(hit: Hit, text_of: TextOf) -> Hit:
    """The hit; one that begins below the head of a table begins with it instead.

    Only tables with a rule below the head, as in Markdown, in files whose lines are those of the
    text.
    """
    return _headed(hit, text_of) if _in_table(hit) else hit


def _in_table(hit: Hit) -> bool:
    """Whether a hit begins with a row, and each line of its text is one of the file."""
    first = hit.text.split("\n", 1)[0]
    own_lines = not hit.lines and hit.line_end - hit.line_start == hit.text.count("\n")
    return hit.start > 0 and own_lines and "|" in first and not _RULE.match(first)


def _headed(hit: Hit, text_of: TextOf) -> Hit:
    begin = max(0, hit.start - LONGEST)
    before = text_of(hit.doc, begin, hit.start)
    *lines, last = before.split("\n")
    if last.strip() or PAGE in before:
        return hit
    rows: list[str] = []
    while lines and "|" in lines[-1]:
        rows.insert(0, lines.pop())
    # What is cut off at ``begin`` is no head.
    if len(rows) < 2 or not _RULE.match(rows[1]) or (not lines and begin > 0):
        return hit
    added = "\n".join([*rows, last])
    return replace(
        hit,
        start=hit.start - len(added),
        text=added + hit.text,
        line_start=hit.line_start - len(rows),
    )
