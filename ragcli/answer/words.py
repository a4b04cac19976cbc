"""Words, names and numbers of a text: the lexical side of choosing and checking sentences.

Rules instead of a language model: an answer must be there at once, and these are compared only
with each other. Names here are runs of capitalised words; a common noun missed as a name, or a
sentence's first word taken for one, costs a little precision and nothing else.
"""

from __future__ import annotations

import re
import unicodedata

_STOP_WORDS = """
    a about above according after again against all also am an and any are as at be because been
    before being below between both but by can could did do does doing done down during each either
    else ever few for from further give given gives had has have having he her here hers herself him
    himself his how however i if in into is it its itself just least let like many may me might more
    most much must my myself name named neither no nor not now of off on once one only or other our
    ours ourselves out over own per said same shall she should so some such tell than that the their
    theirs them themselves then there these they this those through thus to too under until up upon
    us very was we were what when where whether which while who whom whose why will with within
    without would yet you your yours yourself
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_PLAIN_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# A name: capitalised words, joined by the small words that stand inside names.
# Small letters outside a-z are sorted out afterwards: `re` knows no class of capitals.
_CAPITAL = r"[^\W\d_a-z][\w’'\-]*"
_JOIN = r"(?:of|the|de|du|des|von|van|der|den|la|le|di|da|del|al|and|&)"
_NAME = re.compile(rf"{_CAPITAL}(?:\s+(?:{_JOIN}\s+)?{_CAPITAL})*")


def fold(text: str) -> str:
    """Return the text without case, accents or compatibility forms: ``"Café" -> "cafe"``."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def stem(word: str) -> str:
    """Cut the commonest English endings, so that "publishes", "published" and "publish" meet.

    >>> [stem(word) for word in ("cities", "published", "running", "glass")]
    ['citi', 'publish', 'run', 'glass']
    """
    for ending in ("ies", "ing", "ed", "es", "s", "y", "e"):
        if not word.endswith(ending) or len(word) - len(ending) < 3:
            continue
        if ending == "s" and word.endswith(("ss", "us", "is")):
            return word
        root = word[: -len(ending)] + ("i" if ending in ("ies", "y") else "")
        # "running" -> "run": the doubled consonant belongs to the ending.
        if ending in ("ing", "ed") and root[-1] == root[-2] and root[-1] not in "lsz":
            root = root[:-1]
        return root
    return word


def content_words(text: str) -> list[str]:
    """Return the folded stems of all words but stop words, in order, with repeats.

    >>> content_words("Who published the Journal's 3rd issue?")
    ['publish', 'journal', '3rd', 'issu']
    """
    words = (word.removesuffix("'s") for word in _WORD.findall(fold(text.replace("’", "'"))))
    return [stem(word) for word in words if word not in STOP_WORDS]


def names(text: str) -> list[str]:
    """Return the runs of capitalised words, without stop words at their edges, each once.

    >>> names("In 1986 Bank of England notes bore the Duke of Wellington.")
    ['Bank of England', 'Duke of Wellington']
    """
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and (fold(words[0]) in STOP_WORDS or not words[0][0].isupper()):
            del words[0]
        if words and len(name := " ".join(words).removesuffix("'s").removesuffix("’s")) > 1:
            found.setdefault(name)
    return list(found)


def numbers(text: str) -> list[str]:
    """Return the numbers, without grouping commas, each once, in order.

    >>> numbers("In 1986, 1,200 people paid 3.50.")
    ['1986', '1200', '3.50']
    """
    found = (re.sub(r",(?=\d{3}(?!\d))", "", match[0]) for match in _NUMBER.finditer(text))
    return list(dict.fromkeys(found))


def plain(text: str) -> str:
    """Return folded words between single spaces, so that ``in`` finds whole words only.

    >>> plain("The Café, 1986") in plain("in the cafe 1986 ...")
    True
    """
    return f" {' '.join(_PLAIN_WORD.findall(fold(text)))} "
