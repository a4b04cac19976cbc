"""Finds what the writer of a mail did not write now: quoted mails, and the signature at the end.

Marks and layout show it in every language: lines that begin with ">", the heads of a mail in the
middle of another one, and the line "-- " above a signature (RFC 3676).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from ragcli.text.lines import TextLine, lines_of
from ragcli.types.blocks import Block

_HEAD = re.compile(r"[ \t*]*[^\W\d_][^:\n]{0,19}:[ \t*]+\S")
_RULE = re.compile(r"[ \t]*[-_*=]{3,}[^-_*=\n]{0,60}[-_*=]{0,60}[ \t]*")
_ADDRESS = re.compile(r"[^\s@<>]{1,64}@[^\s@<>]{1,255}")
_FEWEST_HEADS = 3
_MOST_HEADS = 8
_MOST_SIGNATURE = 15
"""Lines of the longest signature; what is longer is text below a rule."""


def blocks_of_mail(text: str, start: int) -> Iterator[Block]:
    """Yield the quotes and the signature in the text of a mail, which begins at an offset.

    The head of a quoted mail, which names who wrote it, is the quote's "lead"; a sentence above a
    quote that ends with a colon becomes its lead when blocks are made of a text.

    >>> text = "Yes.\\n\\nAnn wrote:\\n> Is it?\\n\\n-- \\nBob"
    >>> [(block.kind, text[block.start : block.end]) for block in blocks_of_mail(text, 0)]
    [('quote', '> Is it?'), ('signature', '-- \\nBob')]
    """
    lines = [line for line in lines_of(text) if line.bare]
    forwarded = _forwarded(lines)
    own = lines[: forwarded[0]] if forwarded else lines
    signed = _signature(own)
    for is_quoted, group in groupby(own, _is_quoted):
        block = list(group)
        if not is_quoted and signed and signed[0] in block:
            yield Block("signature", start + signed[0].begin, start + signed[-1].stop)
        elif is_quoted:
            yield Block("quote", start + block[0].begin, start + block[-1].stop)
    if forwarded:
        first, last = forwarded
        lead = Block("lead", start + lines[first].begin, start + lines[last].stop)
        yield Block("quote", start + lines[first].begin, start + lines[-1].stop, (lead,))


def _is_quoted(line: TextLine) -> bool:
    return line.text[:4].lstrip(" \t").startswith(">")


def _signature(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines of the signature; what announces a quote below it is none of them."""
    unquoted = sum(not _is_quoted(line) for line in lines)
    for at, line in enumerate(lines):
        if line.text.rstrip(" \t") == "--" and unquoted <= _MOST_SIGNATURE:
            signed = list(takewhile(lambda line: not _is_quoted(line), lines[at:]))
            above_quote = at + len(signed) < len(lines) and signed[-1].bare.endswith(":")
            return signed[:-1] if above_quote else signed
        unquoted -= not _is_quoted(line)
    return []


def _forwarded(lines: Sequence[TextLine]) -> tuple[int, int] | None:
    """Return the first and last line of the heads of a mail that is quoted below, None without one.

    They are some lines with a name and a value next to each other, and one has an address or a
    rule is above them.
    """
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and end - at < _MOST_HEADS and _HEAD.match(lines[end].text):
            end += 1
        ruled = at > 0 and bool(_RULE.fullmatch(lines[at - 1].text))
        named = any(_ADDRESS.search(line.text) for line in lines[at:end])
        if end - at >= _FEWEST_HEADS and (ruled or named) and end < len(lines):
            return at - ruled, end - 1
        at = max(end, at + 1)
    return None
