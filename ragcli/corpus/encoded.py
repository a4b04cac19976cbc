"""Blanks encoded data in texts: pictures in base64, dumps in hexadecimal digits.

They hold no words that anybody asks for, but a megabyte of them costs as much as a book and
adds thousands of names to the graph. Every other character keeps its place.
"""

from __future__ import annotations

import re

LEAST = 1000
"""Characters from which encoded data is blanked: keys, signatures and hashes are shorter."""

# Base64, also of URLs, and hexadecimal digits: in one run or in lines, which may be quoted or
# indented or be in a string. Words are shorter, and paths have dots.
_RUN = r"[A-Za-z0-9+/_=-]{60,}"
_BETWEEN = r"""(?:\\r|\\n|[\s"'\\>*#+,;|]){1,24}"""
# The last line may be shorter; a single word is no such line.
_LAST = r"(?=[^\s\"']*[0-9+/=])[A-Za-z0-9+/_-]{1,59}={0,2}(?=[ \t]*(?:[\r\n\"'\\<);,]|\Z))"
_LINES = re.compile(rf"{_RUN}(?:{_BETWEEN}{_RUN})*(?:{_BETWEEN}{_LAST})?")
# The bytes of a file as numbers in the source code of a program.
_BYTES = re.compile(r"(?:0[xX][0-9a-fA-F]{1,8}[uUlL]{0,3}\s{0,9},\s{0,24}){40,}")
_KINDS = tuple(map(re.compile, ("[a-zA-Z]", "[0-9]", r"[A-Z+/_-]|\A[^0-9]*[0-9].*[a-f]")))
_SAMPLE = 400
_SHOWN = re.compile(r"\S")


def blanked(text: str) -> str:
    """The text with spaces in place of encoded data of at least ``LEAST`` characters.

    Lines stay lines, and the length is the same.

    >>> blanked("See " + "Zm9v" * 300 + " here").split()
    ['See', 'here']
    """
    if len(text) < LEAST:
        return text
    for pattern in (_LINES, _BYTES):
        text = pattern.sub(_blank, text)
    return text


def _blank(found: re.Match[str]) -> str:
    run = found[0]
    if len(run) < LEAST or not all(kind.search(run[:_SAMPLE]) for kind in _KINDS):
        return run
    return _SHOWN.sub(" ", run)
