"""The words of a text: folding, stop words, stems and content words.

``content_words`` is the one function that returns the content words. There is one set of rules
for each use. The rules differ because stored data or measured figures depend on each of them:

- ``ANSWER_WORDS``: choosing and checking the sentences of an answer
  (figures: docs/adr/extractive-answers.md);
- ``SUMMARY_WORDS``: extractive summaries, which are part of a store's digest;
- ``DESCRIPTION_WORDS``: checking a language model's descriptions of a chunk
  (figures: docs/adr/llm-extraction.md);
- ``SEARCH_WORDS``: queries to the lexical index, which has no stems (retrieval figures).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from ragcli.text.scripts import spaced


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_EVERYWHERE = _listed("""
    a about above after again against all also am an and any are as at be because been before being
    below between both but by can could did do does doing down during each either else ever few for
    from further had has have having he her here hers herself him himself his how i if in into is it
    its itself just like may me might more most must my myself no nor not now of off on once one
    only or other our ours out over own per said same shall she should so some such than that the
    their theirs them themselves then there these they this those through thus to too under until up
    upon us very was we were what when where which while who whom whose why will with within without
    would yet you your yours
""")
"""Function words that all rules except ``SEARCH_WORDS`` exclude."""

STOP_WORDS = _EVERYWHERE | _listed("""
    didn't don't every he's i'm i've isn't it's mine she's that's there's though two wasn't
""")
"""Function words of running text. Summaries, names and keywords do not begin with them."""

# Words that phrase a question or introduce an answer ("name the many ...").
_QUESTION_STOP_WORDS = _EVERYWHERE | _listed("""
    according done give given gives however least let many much name named neither ourselves tell
    whether yourself
""")
# The lexical index ranks by rarity, so only words that occur in almost every question are excluded.
_QUERY_STOP_WORDS = _listed("""
    a an and are as at be been by can could did do does for from had has have he her his how i if
    in into is it its me my of on or our she so than that the their them they this to was we were
    what when where which who whom whose why will with would you your
""")

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_PLAIN_WORD = re.compile(r"[^\W_]+")
_LETTERS_OR_NUMBER = re.compile(r"[^\W\d_][\w'’-]+|\d[\d.,:]*\d|\d")
_TWO_OR_DIGIT = re.compile(r"[^\W_]{2,}|\d")
_RUN = re.compile(r"\w+")

# Marks that make another letter, "か" and "が"; and the parts of Korean syllables.
_VOICED = "\u3099\u309a"
_COMPOSED = re.compile("[\u3099\u309a\u1100-\u11ff]")

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'"})

SURFACE_WORD = re.compile(r"[\w&][\w'’.&-]*\w|\w")
"""A word with the punctuation marks that occur inside names: "O'Brien", "U.S", "AT&T"."""


def fold(text: str) -> str:
    """Return the text in lower case, without accents and compatibility forms: "Café" -> "cafe"."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    folded = "".join(c for c in decomposed if c in _VOICED or not unicodedata.combining(c))
    return unicodedata.normalize("NFC", folded) if _COMPOSED.search(folded) else folded


def straight(text: str) -> str:
    """Replace every kind of apostrophe by the straight one."""
    return text.translate(_APOSTROPHES)


def plain(text: str) -> str:
    """Return the folded words between single spaces, so that ``in`` matches whole words only.

    >>> plain("The Café, 1986") in plain("in the cafe 1986 ...")
    True
    """
    return f" {' '.join(_PLAIN_WORD.findall(spaced(fold(text))))} "


def counted(count: int, thing: str) -> str:
    """Write a number and what it counts.

    >>> counted(1, "entity"), counted(3, "entity"), counted(1200, "file")
    ('1 entity', '3 entities', '1,200 files')
    """
    several = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{count:,} {thing if count == 1 else several}"


def one_line(text: str) -> str:
    """Replace each run of white space by one space."""
    return " ".join(text.split())


def stem(word: str) -> str:
    """Remove the commonest English endings: "publishes" and "published" get the same stem.

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


def singular(word: str) -> str:
    """Remove the "s" of the plural: "boats" -> "boat"; "glass" is unchanged."""
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=100_000)
def _without_ending(word: str) -> str:
    for ending in ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@dataclass(frozen=True, slots=True)
class WordRules:
    """How a text is split into folded words, which are excluded, and how they are stemmed."""

    split: Callable[[str], Iterable[str]]
    stop_words: frozenset[str]
    stem: Callable[[str], str]


def _without_possessive(text: str) -> Iterable[str]:
    folded = fold(text.replace("’", "'"))
    return (word.removesuffix("'s") for word in _WORD.findall(folded))


def _case_folded(text: str) -> Iterable[str]:
    return (word.casefold() for word in _LETTERS_OR_NUMBER.findall(text))


def _runs(text: str) -> Iterable[str]:
    return (word.casefold() for word in _RUN.findall(text))


ANSWER_WORDS = WordRules(_without_possessive, _QUESTION_STOP_WORDS, stem)
SUMMARY_WORDS = WordRules(_case_folded, STOP_WORDS, singular)
DESCRIPTION_WORDS = WordRules(
    lambda text: _TWO_OR_DIGIT.findall(fold(straight(text))), STOP_WORDS, _without_ending
)
SEARCH_WORDS = WordRules(_runs, _QUERY_STOP_WORDS, str)


def content_words(text: str, rules: WordRules = ANSWER_WORDS) -> list[str]:
    """Return the stems of the content words in order, with repeats.

    >>> content_words("Who published the Journal's 3rd issue?")
    ['publish', 'journal', '3rd', 'issu']
    >>> content_words("Who published the Journal's 3rd issue?", SEARCH_WORDS)
    ['published', 'journal', 's', '3rd', 'issue']
    """
    words = rules.split(spaced(text))
    return [rules.stem(word) for word in words if word not in rules.stop_words]
