"""Identifiers: versions, options, error codes, dotted and underscored names.

An identifier is looked up as a whole: ``3.37.2`` is not the numbers 3, 37 and 2, and ``HX-1042``
does not contain a name ``X-1042``.
"""

from __future__ import annotations

import re

from ragcli.text.words import plain

_TOKEN = re.compile(r"(?<![\w-])-{0,2}\w+(?:(?:[._-]|::)\w+)*")
_JOINT = re.compile(r"\w(?:[._-]|::)\w")
_DOTTED = re.compile(r"[^\W\d_]{2,}(?:\.|::)[^\W\d_]{2,}")


def identifiers_in(text: str) -> list[str]:
    """Return the distinct identifiers of a text, spelled as in the text.

    An identifier is an option with two dashes, a word with an underscore, words joined by dots,
    or a number joined to other characters. Words joined by a dash need a digit to be one.

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
    """Return the text with each identifier replaced by a space."""
    return _TOKEN.sub(lambda match: " " if _is_identifier(match[0]) else match[0], text)


def is_named(identifier: str) -> bool:
    """Return whether an identifier names one thing; "1.5" and "2022-23" may also be amounts.

    >>> [is_named(text) for text in ("1.5", "3.37.2", "HX-1042", "2022-23")]
    [False, True, True, False]
    """
    return len(plain(identifier).split()) > 2 or any(map(str.isalpha, identifier))
