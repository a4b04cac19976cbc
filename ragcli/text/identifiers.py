"""Identifiers: versions, options, error codes, dotted and underscored names.

They are looked up whole: ``3.37.2`` is not the numbers 3, 37 and 2, and ``HX-1042`` is no name
``X-1042``.
"""

from __future__ import annotations

import re

from ragcli.text.words import plain

_TOKEN = re.compile(r"(?<![\w-])-{0,2}\w+(?:(?:[._-]|::)\w+)*")
_JOINT = re.compile(r"\w(?:[._-]|::)\w")
_DOTTED = re.compile(r"[^\W\d_]{2,}(?:\.|::)[^\W\d_]{2,}")


def identifiers_in(text: str) -> list[str]:
    """Return the identifiers of a text as it writes them, each once.

    An identifier is an option with two dashes, a word with an underscore, words joined by dots,
    or a number joined to something. Words that a dash joins are none without a digit.

    >>> identifiers_in("Does os.EOL or --max-header-size matter for HX-1042 in 3.37.2?")
    ['os.EOL', '--max-header-size', 'HX-1042', '3.37.2']
    >>> identifiers_in("A well-known U.S. firm of 1999, e.g. Smith-Jones, had 1,200 people.")
    []
    """
    found = (match[0] for match in _TOKEN.finditer(text))
    return list(dict.fromkeys(token for token in found if _is_identifier(token)))


def _is_identifier(token: str) -> bool:
    if token.startswith("--"):
        return len(token) > len("--x")
    if not _JOINT.search(token):
        return False
    return "_" in token or any(map(str.isdigit, token)) or _DOTTED.search(token) is not None


def without_identifiers(text: str) -> str:
    """Return the text with each identifier as a space."""
    return _TOKEN.sub(lambda match: " " if _is_identifier(match[0]) else match[0], text)


def is_named(identifier: str) -> bool:
    """Tell whether an identifier names one thing: "1.5" and "2022-23" also stand for amounts.

    >>> [is_named(text) for text in ("1.5", "3.37.2", "HX-1042", "2022-23")]
    [False, True, True, False]
    """
    return len(plain(identifier).split()) > 2 or any(map(str.isalpha, identifier))
