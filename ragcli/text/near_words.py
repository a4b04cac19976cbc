"""Finds the existing word that is most similar to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable

FEWEST_LETTERS = 5
"""A shorter word is similar to too many others."""

_LONG = 8
"""A word of at least this many letters may contain two mistakes, a shorter one only one."""


def nearest_word(word: str, words: Iterable[str]) -> str | None:
    """Return the most likely intended word, or None if no word is similar enough.

    The first letter must be correct. A missing, extra or wrong letter is one mistake, and so are
    two swapped letters.

    >>> nearest_word("databse", ["data", "database", "databases"])
    'database'
    >>> nearest_word("pump", ["dump"]) is None
    True
    """
    if len(word) < FEWEST_LETTERS or not word.isalpha():
        return None
    most = 2 if len(word) >= _LONG else 1
    near = [
        (mistakes, other)
        for other in words
        if other[:1] == word[0]
        and len(other) >= FEWEST_LETTERS
        and abs(len(other) - len(word)) <= most
        and other.isalpha()
        and (mistakes := _mistakes(word, other)) <= most
    ]
    return min(near)[1] if near else None


def _mistakes(one: str, other: str) -> int:
    """Return the number of edits between two words (optimal string alignment distance)."""
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, against in enumerate(other, 1):
            least = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        before, above = above, row
    return above[-1]
