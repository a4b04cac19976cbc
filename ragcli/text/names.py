"""Names and numbers: finding them in text, normalising them to keys, and matching them.

Two rules find names without a model. ``names_in`` is for answers and checks. They compare names
only with each other, so it accepts any run of capitalised words (figures:
docs/adr/extractive-answers.md). ``capitalised_runs`` is for the graph, whose digest depends on it.
It includes small linking words and numbers in a name, and excludes a single capitalised word at
the start of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ragcli.text.spans import Span, is_inside
from ragcli.text.words import ANSWER_WORDS, STOP_WORDS, fold, one_line, straight

MAX_NAME_WORDS = 8
"""A longer run of capitalised words is a line in capitals, not a name."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPING = re.compile(r",(?=\d{3}(?!\d))")
# A name: capitalised words, joined by the small words that occur inside names.
# Small letters outside a-z are removed later, because `re` has no class of capitals.
_CAPITAL = r"[^\W\d_a-z][\w’'\-]*"
_JOIN = r"(?:of|the|de|du|des|von|van|der|den|la|le|di|da|del|al|and|&)"
_NAME = re.compile(rf"{_CAPITAL}(?:\s+(?:{_JOIN}\s+)?{_CAPITAL})*")

_LINK = r"(?:of|the|de|la|and|&|in|for|on|von|van|du|del|di)"
_RUN_WORD = r"[\w’'&-]*"
# Capitalised words, up to two small linking words between them; a full stop only after an initial.
_RUN = re.compile(
    rf"\b[A-Z]{_RUN_WORD}"
    rf"(?:(?:(?<=\b[A-Z])\.)?[ ](?:{_LINK}[ ]){{0,2}}(?:[A-Z]|[0-9]){_RUN_WORD})*"
)

_EDGES = " \t\n\r\"'“”‘’()[]{}<>.,;:!?*_#|-–—"
_ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)
_POSSESSIVE_END = re.compile(r"['’]s?$")

HONORIFICS = frozenset(
    "mr mrs ms miss mister madam madame mme sir dame lord lady dr doctor prof professor rev "
    "reverend fr father sr capt captain col colonel gen general lt lieutenant sgt sergeant maj "
    "major cmdr commander adm admiral hon judge saint king queen prince princess duke duchess "
    "count countess baron baroness emperor empress president chancellor senator".split()
)
# One of these is part of the name when only one word follows it ("King George", "Lady Anne").
_DROPPED = frozenset("mr mrs ms miss mister dr doctor prof professor".split())
_KEPT_WITH_ONE_WORD = HONORIFICS - _DROPPED
_ARTICLES = ("the", "a", "an")
_POSSESSIVE = re.compile(r"(?:'s|s')(?=\s|$)")
_NOT_WORD = re.compile(r"[^\w'&+]+|_")
_QUALIFIER = re.compile(r"(?:(?<!\s)\s+)?\([^()]*\)\s*$")

# What follows a name in its phrase says more about it: "Ann Lee, the owner".
_APPOSITION = re.compile(r"[,;:(\n–—]|\s(?:who|whom|whose|which|that)\s")
_PREPOSITIONS = frozenset(
    "of in on at by from for with to as near under over into about after before".split()
)

# "C" is not "C++".
_MATCHED_WORD = re.compile(r"[^\W_]+[+#]*")


def names_in(text: str) -> list[str]:
    """Return the distinct runs of capitalised words, without leading stop words.

    >>> names_in("In 1986 Bank of England notes bore the Duke of Wellington.")
    ['Bank of England', 'Duke of Wellington']
    """
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and (fold(words[0]) in ANSWER_WORDS.stop_words or not words[0][0].isupper()):
            del words[0]
        if words and len(name := " ".join(words).removesuffix("'s").removesuffix("’s")) > 1:
            found.setdefault(name)
    return list(found)


def head_name(phrase: str) -> str:
    """Return the name that a phrase describes, "" if it describes something else.

    Epithets before and after the name are left out. A name after a preposition, and one before a
    noun, only describe.

    >>> head_name("the Danish author Mia Holm"), head_name("Mia Holm, an author from Skive")
    ('Mia Holm', 'Mia Holm')
    >>> head_name("New York lawyer Jon Berg"), head_name("the keeper of the Ysolde Hut")
    ('Jon Berg', '')
    """
    phrase = _APPOSITION.split(phrase.strip(), maxsplit=1)[0]
    for name in names_in(phrase):
        before, _, after = phrase.partition(name)
        if _PREPOSITIONS.intersection(map(fold, before.split())):
            return ""
        following = after.split()
        if not following or fold(following[0]) in ANSWER_WORDS.stop_words:
            return name
    return ""


def numbers_in(text: str) -> list[str]:
    """Return the distinct numbers in order, without grouping commas.

    >>> numbers_in("In 1986, 1,200 people paid 3.50.")
    ['1986', '1200', '3.50']
    """
    found = (_GROUPING.sub("", match[0]) for match in _NUMBER.finditer(text))
    return list(dict.fromkeys(found))


def capitalised_runs(sentence: str) -> Iterator[Span]:
    """Yield the spans of the capitalised runs in one sentence.

    Leading function words are left out. So is a single first word, because every sentence begins
    with a capital.

    >>> text = "In July 2011 rain fell on the University of Copenhagen."
    >>> [text[start:end] for start, end in capitalised_runs(text)]
    ['July 2011', 'University of Copenhagen']
    """
    for match in _RUN.finditer(sentence):
        start, end = match.span()
        while (gap := sentence.find(" ", start, end)) >= 0:
            if sentence[start:gap].casefold() not in STOP_WORDS:
                break
            start = gap + 1
        text = sentence[start:end]
        words = text.split(" ")
        lone = len(words) == 1 and (start == 0 or text.casefold() in STOP_WORDS)
        if not lone and any(map(str.isupper, text)) and len(words) <= MAX_NAME_WORDS:
            yield start, end


def trim_name(text: str, start: int, end: int) -> Span:
    """Return the span without a leading article, a possessive ending and outer punctuation."""
    while True:
        before = (start, end)
        while start < end and text[start] in _EDGES:
            start += 1
        while end > start and text[end - 1] in _EDGES and not _is_initial(text, start, end):
            end -= 1
        if (match := _ARTICLE.match(text, start, end)) and match.end() < end:
            start = match.end()
        if match := _POSSESSIVE_END.search(text[start:end]):
            end = start + match.start()
        if (start, end) == before:
            return start, end


def _is_initial(text: str, start: int, end: int) -> bool:
    """Return whether the final full stop belongs to an initial or abbreviation ("U.S.")."""
    return text[end - 1] == "." and end - start >= 2 and text[end - 2].isupper()


@lru_cache(maxsize=200_000)
def normalise(name: str) -> str:
    """Return the key of a name, "" if no word remains.

    The key ignores case, width, accents, punctuation, a leading article and possessives.

    >>> normalise("The Northern  Ferries'"), normalise("Édith O’Brien-Müller")
    ('northern ferries', "edith o'brien muller")
    """
    text = fold(straight(name))
    text = _POSSESSIVE.sub(lambda m: "s" if m.group() == "s'" else "", text)
    text = " ".join(_NOT_WORD.sub(" ", text).split()).strip("'& ")
    first, space, rest = text.partition(" ")
    return rest if space and first in _ARTICLES else text


@lru_cache(maxsize=200_000)
def person_key(name: str) -> str:
    """Normalise a name and remove leading titles.

    "Mr. Darcy" becomes "darcy"; "King George" keeps its title.
    """
    words = normalise(name).split()
    while len(words) > 1 and words[0] in HONORIFICS:
        if len(words) == 2 and words[0] in _KEPT_WITH_ONE_WORD:
            break
        words = words[1:]
    return " ".join(words)


def title_names(title: str) -> dict[str, str]:
    """Return the names that a title gives, as key -> spelling.

    They are the whole title, and the title without a part that only disambiguates it.

    >>> list(title_names("Dead Ernest (novel)"))
    ['dead ernest novel', 'dead ernest']
    >>> list(title_names("West Chicago, Illinois"))
    ['west chicago illinois', 'west chicago']
    """
    bare = _QUALIFIER.sub("", title)
    spellings = [title, bare]
    if bare.count(",") == 1:
        spellings.append(bare.split(",")[0])
    names: dict[str, str] = {}
    for spelling in spellings:
        if key := normalise(spelling):
            names.setdefault(key, one_line(spelling))
    return names


def acronym_of(name: str) -> str:
    """Return the initials of capitalised words in lower case: "Royal Society of Arts" -> "rsa"."""
    return "".join(w[0] for w in name.replace("-", " ").split() if w[:1].isupper()).casefold()


class WordPlaces:
    """An index of a text's words that finds names.

    Matching ignores case, accents and punctuation between words.
    """

    def __init__(self, text: str) -> None:
        self._words: list[str] = []
        self._spans: list[Span] = []
        self._at: dict[str, list[int]] = {}
        for match in _MATCHED_WORD.finditer(text):
            word = _folded(match.group())
            self._at.setdefault(word, []).append(len(self._words))
            self._words.append(word)
            self._spans.append(match.span())

    def find(self, name: str) -> list[Span]:
        """Return the spans at which ``name`` occurs as whole words, from left to right."""
        wanted = name_words(name)
        size = len(wanted)
        found: list[Span] = []
        free = 0
        for at in self._at.get(wanted[0], ()) if wanted else ():
            if at >= free and self._words[at : at + size] == wanted:
                found.append((self._spans[at][0], self._spans[at + size - 1][1]))
                free = at + size
        return found


_folded = lru_cache(maxsize=100_000)(fold)


def name_words(name: str) -> list[str]:
    """Return the folded words of a name, without a leading article.

    >>> name_words("The  Sea-Otter’s"), name_words("C++")
    (['sea', 'otter', 's'], ['c++'])
    """
    words = [_folded(match.group()) for match in _MATCHED_WORD.finditer(name)]
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


def locate(text: str, names: Iterable[str]) -> dict[str, list[Span]]:
    """Return the spans of each name in ``text``; names that do not occur are left out.

    A name inside a longer name of the same text ("Copenhagen" in "University of Copenhagen")
    counts only if it occurs nowhere else.

    >>> locate("The Port Vale ferry left Vale for Port\\nVale.", ["port vale", "Vale", "Rome"])
    {'port vale': [(4, 13), (34, 43)], 'Vale': [(25, 29)]}
    """
    finder = WordPlaces(text)
    found: dict[str, list[Span]] = {}
    taken: list[Span] = []
    names = list(dict.fromkeys(names))
    # Longer names come first, so that names inside them are recognised.
    for name in sorted(names, key=lambda n: (-len(" ".join(name_words(n))), n)):
        if spans := finder.find(name):
            free = [s for s in spans if not any(is_inside(s, t) for t in taken)]
            found[name] = free or spans
            taken += free
    return {name: found[name] for name in names if name in found}
