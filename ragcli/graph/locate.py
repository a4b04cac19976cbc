"""Where the names that a language model gives stand in the text it read.

Compared are words, without case and accents, whatever stands between them. A name counts where it
stands as whole words; inside a longer name of the same text only when it stands nowhere else
("Copenhagen" in "University of Copenhagen").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

Span = tuple[int, int]

# "C" is not "C++".
_WORD = re.compile(r"[^\W_]+[+#]*")
_ARTICLES = ("the", "a", "an")


class WordPlaces:
    """The words of a text, folded, with their places."""

    def __init__(self, text: str) -> None:
        self._words: list[str] = []
        self._spans: list[Span] = []
        self._at: dict[str, list[int]] = {}
        for match in _WORD.finditer(text):
            word = _fold(match.group())
            self._at.setdefault(word, []).append(len(self._words))
            self._words.append(word)
            self._spans.append(match.span())

    def find(self, name: str) -> list[Span]:
        """Spans of the text that say ``name``, left to right, none within another."""
        wanted = name_words(name)
        size = len(wanted)
        found: list[Span] = []
        free = 0
        for at in self._at.get(wanted[0], ()) if wanted else ():
            if at >= free and self._words[at : at + size] == wanted:
                found.append((self._spans[at][0], self._spans[at + size - 1][1]))
                free = at + size
        return found


@lru_cache(maxsize=100_000)
def _fold(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word).casefold()
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def name_words(name: str) -> list[str]:
    """The words that a name is looked for by; an article before it does not count.

    >>> name_words("The  Sea-Otter’s"), name_words("C++")
    (['sea', 'otter', 's'], ['c++'])
    """
    words = [_fold(match.group()) for match in _WORD.finditer(name)]
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


def locate(text: str, names: Iterable[str]) -> dict[str, list[Span]]:
    """Spans of each name in ``text``; names that do not stand there are left out.

    >>> locate("The Port Vale ferry left Vale for Port\\nVale.", ["port vale", "Vale", "Rome"])
    {'port vale': [(4, 13), (34, 43)], 'Vale': [(25, 29)]}
    """
    words = WordPlaces(text)
    found: dict[str, list[Span]] = {}
    taken: list[Span] = []
    names = list(dict.fromkeys(names))
    # Longer names first, so that what stands inside them is known.
    for name in sorted(names, key=lambda n: (-len(" ".join(name_words(n))), n)):
        if spans := words.find(name):
            free = [s for s in spans if not any(_inside(s, t) for t in taken)]
            found[name] = free or spans
            taken += free
    return {name: found[name] for name in names if name in found}


def _inside(span: Span, other: Span) -> bool:
    return other[0] <= span[0] and span[1] <= other[1] and span != other
