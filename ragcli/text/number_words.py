"""Numbers that are written as words: "sixteen", "twenty-three"."""

from __future__ import annotations

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

NUMBER_WORDS = {word: n for n, word in enumerate(_ONES)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
"""The number that a single word stands for, 0 to 90."""

TENS_AND_ONES = {
    f"{ten}-{one}": 10 * n + m
    for n, ten in enumerate(_TENS, 2)
    for m, one in enumerate(_ONES[1:10], 1)
}
"""The number that two words joined by a dash stand for, 21 to 99."""
