"""Normalised names: the key under which every spelling of one thing meets.

normalise("The Northern  Ferries'")  -> "northern ferries"
normalise("Dr. Édith O’Brien-Müller") -> "edith o'brien müller" with accents folded
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

HONORIFICS = frozenset(
    "mr mrs ms miss mister madam madame mme sir dame lord lady dr doctor prof professor rev "
    "reverend fr father sr capt captain col colonel gen general lt lieutenant sgt sergeant maj "
    "major cmdr commander adm admiral hon judge saint king queen prince princess duke duchess "
    "count countess baron baroness emperor empress president chancellor senator".split()
)
# A title is part of the name for these when only one word follows ("King George", "Lady Anne").
_DROPPED = frozenset("mr mrs ms miss mister dr doctor prof professor".split())
_KEPT_WITH_ONE_WORD = HONORIFICS - _DROPPED
_ARTICLES = ("the ", "a ", "an ")
_POSSESSIVE = re.compile(r"(?:'s|s')(?=\s|$)")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'"})
_NOT_WORD = re.compile(r"[^\w'&+]+|_")


@lru_cache(maxsize=200_000)
def normalise(name: str) -> str:
    """Fold case, width, accents, punctuation, articles and possessives; "" if nothing is left."""
    text = unicodedata.normalize("NFKD", name.translate(_APOSTROPHES)).casefold()
    text = "".join(c for c in text if not unicodedata.combining(c))
    text = _POSSESSIVE.sub(lambda m: "s" if m.group() == "s'" else "", text)
    text = " ".join(_NOT_WORD.sub(" ", text).split()).strip("'& ")
    for article in _ARTICLES:
        if text.startswith(article):
            text = text[len(article) :]
            break
    return text


@lru_cache(maxsize=200_000)
def person_key(name: str) -> str:
    """Like normalise, without a leading title: "Mr. Darcy" -> "darcy", "King George" stays."""
    words = normalise(name).split()
    while len(words) > 1 and words[0] in HONORIFICS:
        if len(words) == 2 and words[0] in _KEPT_WITH_ONE_WORD:
            break
        words = words[1:]
    return " ".join(words)


_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


def title_names(title: str) -> dict[str, str]:
    """Key -> spelling of the names a title gives: itself, and without what only tells it apart.

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
            names.setdefault(key, " ".join(spelling.split()))
    return names


def acronym_of(name: str) -> str:
    """Initials of the capitalised words, lower-cased: "Royal Society of Arts" -> "rsa"."""
    return "".join(w[0] for w in name.replace("-", " ").split() if w[:1].isupper()).casefold()
