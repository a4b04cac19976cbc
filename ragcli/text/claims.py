"""Where a written sentence goes against its source: rules over words, exact where they apply.

A sentence made of the source's own words may still be untrue: names exchanged, a clause turned
round, another number, a negation. Each function looks for one of these. They are silent about a
sentence in other words; whether the source says it at all is for a reader to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ragcli.text.sentences import sentences
from ragcli.text.words import STOP_WORDS, fold, singular, stem

LONGEST = 80
"""Tokens of a sentence that are compared; what follows is left out."""

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*\d*|[,;:.—–|\n]")
_POSSESSIVE = re.compile(r"'s?\Z")
_BREAKS = frozenset(",;:.\n—–") | {"and", "but", "while", "whereas", "though", "although", "nor"}
_NOTHING_SAID = (STOP_WORDS | {"said", "also", "still"}) - {"two"}
_NEGATIONS = frozenset(
    "not no never neither nor none nobody nothing without cannot n't nowhere hardly".split()
)
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

_TENS_AND_ONES = {
    f"{ten}-{one}": 10 * n + m
    for n, ten in enumerate(_TENS, 2)
    for m, one in enumerate(_ONES[1:10], 1)
}
# "one" is a pronoun too often to be compared as a number.
_NUMBERS = {word: str(n) for n, word in enumerate(_ONES) if n > 1} | {
    word: str(10 * n) for n, word in enumerate(_TENS, 2)
}
_JOINED = re.compile(r"(?<![^\W\d_])[^\W\d_]++-[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Token:
    """``key`` is the stem or the number's digits, ``content`` whether it says something by itself,
    ``clause`` the number of its clause, ``capital`` whether it is written with one."""

    key: str
    content: bool
    clause: int
    capital: bool


def _tokens(text: str) -> list[_Token]:
    """The words of a text. Marks and "and" end a clause; a row of a table is one clause."""
    found: list[_Token] = []
    clause, row = 0, False
    for match in _TOKEN.finditer(text):
        word = match[0]
        folded = fold(word).replace("’", "'")
        if word in "|\n":
            row = word == "|"
        if word == "|":
            continue
        ends = folded in _BREAKS and not (row and not folded.isalpha())
        clause += ends
        if folded[0].isalnum():
            found += _words(folded, clause, word[0].isupper(), joins=ends)
    return found[: 10 * LONGEST]


def _words(folded: str, clause: int, capital: bool, *, joins: bool) -> list[_Token]:
    """One word as tokens: "wasn't" is two."""
    if folded.endswith("n't"):
        return [_Token(folded[:-3], False, clause, capital), _Token("n't", False, clause, False)]
    bare = _POSSESSIVE.sub("", folded)
    if joins or bare in _NOTHING_SAID or bare in _NEGATIONS:
        return [_Token(bare, False, clause, capital)]
    key = bare.replace(",", "") if bare[0].isdigit() else _NUMBERS.get(bare) or stem(singular(bare))
    return [_Token(key, True, clause, capital)]


def content_keys(text: str) -> list[str]:
    """The words of a text that say something, in order, so written that equal ones are equal.

    >>> content_keys("Twenty-four saplings"), content_keys("the 24 sapling’s")
    (['24', 'sapl'], ['24', 'sapl'])
    >>> content_keys("Saint-Orrin")
    ['saint', 'orrin']
    """
    whole = _JOINED.sub(lambda word: str(_TENS_AND_ONES.get(word[0].lower(), word[0])), text)
    keys = (token.key for token in _tokens(whole) if token.content)
    return [part for key in keys for part in key.split("-") if part]


class ClaimSource:
    """A text that written sentences are compared with."""

    def __init__(self, text: str) -> None:
        self.sentences = [_tokens(text[start:end]) for start, end in sentences(text)]
        self.words = {token.key for part in self.sentences for token in part if token.content}
        self._clauses: dict[str, set[int]] = {}
        self._whole: dict[str, set[int]] = {}
        for at, part in enumerate(self.sentences):
            for token in part:
                if token.content:
                    self._clauses.setdefault(token.key, set()).add(at * 1000 + token.clause)
                    self._whole.setdefault(token.key, set()).add(at)
        self._runs = {run for part in self.sentences for run in _runs([t.key for t in part])}

    def crosses(self, claim: str) -> bool:
        """Whether two clauses of the claim have exchanged what they say.

        Two words of one clause stand apart in the source, each beside a word of another clause.

        >>> source = ClaimSource("Abt sold the hut, and Berg bought the mill.")
        >>> source.crosses("Berg sold the hut and Abt bought the mill.")
        True
        >>> source.crosses("Berg bought the mill after Abt had sold the hut.")
        False
        """
        tokens = _tokens(claim)[:LONGEST]
        return any(_crossed(tokens, places) for places in (self._clauses, self._whole))

    def gain_by_exchange(self, claim: str) -> int:
        """How many more of the claim's runs of two and three words the source holds after two of
        its words or names have changed places; 0 if no exchange helps.

        >>> source = ClaimSource("Lorenz Abt, who had succeeded Montandon, retired.")
        >>> source.gain_by_exchange("Montandon succeeded Lorenz Abt.") > 0
        True
        >>> source.gain_by_exchange("Lorenz Abt succeeded Montandon.")
        0
        """
        tokens = _tokens(claim)[:LONGEST]
        keys = [token.key for token in tokens]
        units = [unit for unit in _units(tokens) if self.words.issuperset(keys[slice(*unit)])]
        held = len(_runs(keys) & self._runs)
        best = 0
        for (a, b), (c, d) in combinations(units, 2):
            if keys[a:b] != keys[c:d]:
                turned = keys[:a] + keys[c:d] + keys[b:c] + keys[a:b] + keys[d:]
                best = max(best, len(_runs(turned) & self._runs) - held)
        return best

    def lacks_number(self, claim: str) -> bool:
        """Whether the claim gives a number, in digits or words, that the source does not.

        >>> ClaimSource("All twelve came in 1921.").lacks_number("12 came in 1921.")
        False
        >>> ClaimSource("All twelve came in 1921.").lacks_number("Eleven came.")
        True
        """
        tokens = _tokens(claim)[:LONGEST]
        return any(t.content and t.key[0].isdigit() and t.key not in self.words for t in tokens)

    def differs_in_negation(self, claim: str) -> bool:
        """Whether the claim denies what the most similar sentence of the source states, or
        states what that sentence denies.

        >>> ClaimSource("Abt sold the hut.").differs_in_negation("Abt did not sell the hut.")
        True
        """
        tokens = _tokens(claim)[:LONGEST]
        said = {token.key for token in tokens if token.content}
        best = max(
            self.sentences,
            key=lambda part: len(said & {token.key for token in part if token.content}),
            default=[],
        )
        near = {token.clause for token in best if token.content and token.key in said}
        denied = any(token.key in _NEGATIONS for token in best if token.clause in near)
        return denied != any(token.key in _NEGATIONS for token in tokens)


def _runs(keys: Sequence[str]) -> set[tuple[str, ...]]:
    """The runs of two and of three words."""
    return {tuple(keys[i : i + n]) for n in (2, 3) for i in range(len(keys) - n + 1)}


def _units(tokens: Sequence[_Token]) -> list[tuple[int, int]]:
    """What may change places: single words and names of several, as [start, end)."""
    units: list[tuple[int, int]] = []
    for at, token in enumerate(tokens):
        if not token.content:
            continue
        if units and units[-1][1] == at and token.capital and tokens[at - 1].capital:
            units[-1] = (units[-1][0], at + 1)
        else:
            units.append((at, at + 1))
    return units


def _crossed(tokens: Sequence[_Token], places: Mapping[str, set[int]]) -> bool:
    """Whether words a, b of one clause and c, d of another stand as a with d and b with c only."""
    clauses: dict[int, dict[str, set[int]]] = {}
    for token in tokens:
        if token.content and token.key in places:
            clauses.setdefault(token.clause, {})[token.key] = places[token.key]
    for one, other in combinations(clauses.values(), 2):
        mine = {word: at for word, at in one.items() if word not in other}
        theirs = {word: at for word, at in other.items() if word not in one}
        there = list(_apart(theirs))
        for a, b in _apart(mine):
            if any((a & d and b & c) or (a & c and b & d) for c, d in there):
                return True
    return False


def _apart(words: Mapping[str, set[int]]) -> Iterator[tuple[set[int], set[int]]]:
    """The places of each two words that never stand together."""
    for one, other in combinations(words.values(), 2):
        if not one & other:
            yield one, other
