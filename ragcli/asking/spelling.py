"""Reads mistyped words of a question as the words of the documents that were probably meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ragcli.search.search_index import SearchIndex
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.near_words import FEWEST_LETTERS

_WORD = re.compile(r"(?<![^\W_])[^\W\d_A-Z]+(?![^\W_])")
"""Words in small letters, in identifiers too. A name in capitals may be one that is not there."""


def read_as(
    indexes: Sequence[SearchIndex], asked: AskedQuestion, count: Callable[[str], int]
) -> dict[str, str]:
    """Return the mistyped words of a question, and the words of the documents to read them as.

    A word is mistyped if no document holds it, it is not in the embedder's vocabulary either, and
    a similar word is in the documents. ``count`` returns the tokens of a text: a word of the
    vocabulary is one token.
    """
    found: dict[str, str] = {}
    for match in _WORD.finditer(asked.text):
        word = match[0]
        if len(word) < FEWEST_LETTERS or word in found or count(word) == 1:
            continue
        meant = (index.word_meant(word) for index in indexes)
        if not any(index.has_word(word) for index in indexes) and (
            first := next(filter(None, meant), "")
        ):
            found[word] = first
    return found


def corrected(asked: AskedQuestion, words: dict[str, str]) -> AskedQuestion:
    """Return a question with its mistyped words replaced.

    >>> asked = AskedQuestion("Which databse has a timeuot?")
    >>> corrected(asked, {"databse": "database", "timeuot": "timeout"}).text
    'Which database has a timeout?'
    """
    if not words:
        return asked
    return AskedQuestion(_WORD.sub(lambda match: words.get(match[0], match[0]), asked.text))


def note(words: dict[str, str]) -> str:
    """Return the note of a reply about the words that were read differently; "" without any.

    >>> note({"databse": "database"})
    "read 'databse' as 'database'"
    """
    return f"read {', '.join(f'{a!r} as {b!r}' for a, b in words.items())}" if words else ""
