"""Identifiers: versions, options, error codes, dotted and underscored names.

An identifier is looked up as a whole: ``3.37.2`` is not the numbers 3, 37 and 2, and ``HX-1042``
does not contain a name ``X-1042``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ragcli.text.words import content_words, plain

_TOKEN = re.compile(
    r"(?<![\w/~.-])[~.]{0,2}/\w[\w.+-]*(?:/[\w.+-]+)*(?<![.+-])"  # a path: /etc/x.conf
    r"|(?<![\w-])-{0,2}\w+(?:(?:[._-]|::)\w+)*(?:\(\))?"
)
_SHORT_OPTION = re.compile(r"-[^\W\d_]+\Z")
_NAME_BEFORE = re.compile(
    r"(?<![\w+.-])[\d_+.-]*+([^\W\d_][\w+.-]*) (?:version |release )?\Z", re.IGNORECASE
)
_SPACES = re.compile(r"\s")
_LONGEST = 80
"""Characters before and after a piece of an identifier in which its ends are looked for."""
_PART = re.compile(r"[^\W_]+")
_JOINT = re.compile(r"\w(?:[._-]|::)\w")
_DOTTED = re.compile(r"[^\W\d_]{2}(?:\.|::)[^\W\d_]{2}")
# Two humps may be a name ("McDonald"), three are none; "maxSize" and "onSend" begin small.
# Digits and capitals by turns: "40P01", "HV00L".
_CODE = re.compile(r"(?=\w{4,}$)(?:[A-Z]+\d+[A-Z]|\d+[A-Z]+\d)[A-Z\d]*")
_HUMPS = re.compile(r"[a-z]{2,}[A-Z]|(?:[A-Z]+[a-z]+\d*|[A-Z]{2,}(?=[A-Z][a-z])){3}")


def identifiers_in(text: str) -> list[str]:
    """Return the distinct identifiers of a text, spelled as in the text.

    An identifier is an option with its dashes, a word with an underscore, words joined by dots or
    by capitals inside, digits and capitals by turns, an absolute path, a function "f()", or a
    number joined to other characters.
    Words joined by a dash need a digit to be one.

    >>> identifiers_in("Does os.EOL or --max-header-size matter for HX-1042 in 3.37.2?")
    ['os.EOL', '--max-header-size', 'HX-1042', '3.37.2']
    >>> identifiers_in("A well-known U.S. firm of 1999, e.g. Smith-Jones, had 1,200 people.")
    []
    >>> identifiers_in("Error 40P01 or HV00L on the 21st, H2O, 1990s, F16")
    ['40P01', 'HV00L']
    >>> identifiers_in("What do ssh -L and find -name do at -5 degrees?")
    ['-L', '-name']
    >>> identifiers_in("Is maxSize in /etc/x.conf, RequiredRSASize or foo()? TCP/IP, McDonald")
    ['maxSize', '/etc/x.conf', 'RequiredRSASize', 'foo()']
    >>> identifiers_in("Which up-to-date, two-year-old, built-in map is hand-drawn?")
    []
    """
    tokens = (match[0] for match in _TOKEN.finditer(text))
    return list(dict.fromkeys(filter(_is_identifier, tokens)))


def identifier_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the identifier is that ``text[start:end]`` is a piece of; None if it is of none.

    Numbers joined to numbers ("1914-1918") are one only with two dots or more.

    >>> text = "It fixes CVE-2024-1135 of 1914-1918."
    >>> identifier_around(text, 18, 22), identifier_around(text, 26, 30)
    ((9, 22), None)
    """
    for match in _TOKEN.finditer(text[: end + _LONGEST], _token_start(text, start)):
        if match.start() > start:
            return None
        if end <= match.end():
            whole = any(map(str.isalpha, match[0])) or match[0].count(".") > 1
            if "/" in text[max(0, match.start() - 1) : match.end() + 1]:  # a piece of an address
                return None
            return match.span() if whole and _is_identifier(match[0]) else None
    return None


def _token_start(text: str, at: int) -> int:
    """Where the run of characters without white space begins that holds ``text[at]``."""
    before = text[max(0, at - _LONGEST) : at]
    ends = [space.end() for space in _SPACES.finditer(before)]
    return at - len(before) + (ends[-1] if ends else 0)


def _is_identifier(token: str) -> bool:
    if token.startswith("--"):
        return len(token) > len("--x")
    if is_short_option(token):
        return True
    if token.startswith(("/", "~", "./", "../")) or token.endswith("()"):
        return True
    if not _JOINT.search(token):
        return _HUMPS.match(token) is not None or _CODE.fullmatch(token) is not None
    return "_" in token or any(map(str.isdigit, token)) or _DOTTED.search(token) is not None


def is_short_option(identifier: str) -> bool:
    """Return whether an identifier is an option with one dash: "-L", "-name"."""
    return _SHORT_OPTION.match(identifier) is not None


def holds(text: str, identifier: str) -> bool:
    """Return whether a text holds an identifier whole, in any case; joints may differ.

    An option with one dash is held with its dash and in its case only.

    >>> [holds(text, "15.3") for text in ("release-15-3.html", "v15.3,", "1.15.3", "15.3.1")]
    [True, True, False, False]
    >>> holds("set --Max-Redirs to 5", "--max-redirs"), holds("RHX-1042", "HX-1042")
    (True, False)
    >>> holds("-l, --login", "-L"), holds("-L port", "-L"), holds("well-L", "-L")
    (False, True, False)
    """
    return _pattern(identifier).search(text) is not None


@lru_cache(maxsize=256)
def _pattern(identifier: str) -> re.Pattern[str]:
    if is_short_option(identifier):
        return re.compile(rf"(?<![\w-]){identifier}(?![\w-])")
    words = [re.escape(word) for word in _PART.findall(identifier)]
    inside = r"(?:[._/ -]|::)".join(words)
    return re.compile(rf"(?:(?<!\w)(?<!\d[.])|(?<=\bv)){inside}(?!\w|[.]\d)", re.IGNORECASE)


def named_in(question: str) -> list[str]:
    """Return the identifiers of a question that name one thing.

    A number with a point names one after a name or after "version"; else it may be an amount.

    >>> named_in("Is HX-1042 in Foo 15.31, and 1.5 times as large as version 2.4?")
    ['HX-1042', '15.31', '2.4']
    >>> named_in("Who ran 1.5 miles in 2022-23?")
    []
    """
    return [
        mark
        for mark in identifiers_in(question)
        if is_named(mark)
        or re.search(rf"(?:\w\W*\s[A-Z]\S*|\bversion|\brelease)\s+{re.escape(mark)}", question)
    ]


def versions_after_names(text: str, marks: Iterable[str]) -> Iterator[str]:
    """The versions among a text's identifiers with the names before them, as ``plain`` words."""
    for mark in marks:
        before = _NAME_BEFORE.search(text[: text.find(mark)])
        if before and mark.lstrip("v")[:1].isdigit() and content_words(before[1]):
            yield plain(f"{before[1]} {mark}")


def without_identifiers(text: str) -> str:
    """Return the text with each identifier replaced by a space."""
    return _TOKEN.sub(lambda match: " " if _is_identifier(match[0]) else match[0], text)


def is_named(identifier: str) -> bool:
    """Return whether an identifier names one thing; "1.5" and "2022-23" may also be amounts.

    >>> [is_named(text) for text in ("1.5", "3.37.2", "HX-1042", "2022-23")]
    [False, True, True, False]
    """
    return len(plain(identifier).split()) > 2 or any(map(str.isalpha, identifier))
