"""Small questions about words: how they are spaced in print, and what their letters say."""

import re
from collections.abc import Sequence

_NO_SPACE_BEFORE = set(".,;:!?)]}%") | {"...", "n't", "n’t", "…", "”"}
_NO_SPACE_AFTER = set("([{$£€“")
_JOINERS = {"-", "–", "—", "--", "/"}
_CLITIC = re.compile(r"['’](s|re|ve|ll|d|m|S)$", re.IGNORECASE)
_PENN = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
DATE_WORDS = frozenset((_MONTHS + " " + _DAYS).split()) | {
    "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    "mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun",
    "ad", "bc", "ce", "bce", "am", "pm",
}  # fmt: skip
_DEMONYM = re.compile(r"[A-Z][a-z]+(ian|ean|ese|ish|eli|aqi|stani)s?$")
_LISTED = (
    "American African Mexican Moroccan German Roman Norman Rican Cuban Tibetan Texan"
    " French Dutch Greek Swiss Czech Thai Welsh Arab Scots Flemish Saudi Filipino Kurdish"
    " Uzbek Tajik Kazakh Afghan Croat Serb Slovak Slovene Jewish Muslim Christian Catholic"
    " Hindu Buddhist Islamic Protestant Sunni Shiite Slavic Nordic Celtic Gaelic Hispanic"
    " Latino Icelandic Yemeni Omani Kuwaiti Bengali Punjabi Nepali Cypriot Basque Manx Cornish"
)
_DEMONYM_LIST = frozenset(_LISTED.split())
_NO_DEMONYM = frozenset({"Caribbean", "Mediterranean", "Jean", "Sean", "Dean", "Parish"})


def plain(word: str) -> str:
    """A word as printed: ``-LRB-`` -> ``(``, Penn quotes -> ``"``."""
    return _PENN.get(word, word)


def spacing(words: Sequence[str]) -> tuple[bool, ...]:
    """Which words of a tokenised text were followed by a blank, by the habits of print.

    >>> spacing(["He", "did", "n't", "go", "(", "yet", ")", "."])
    (True, False, True, True, False, False, False, True)
    """
    open_quotes: set[str] = set()
    spaces = [True] * len(words)
    for i, word in enumerate(words):
        before = i > 0
        after = i + 1 < len(words)
        if before and (word in _NO_SPACE_BEFORE or _CLITIC.match(word)):
            spaces[i - 1] = False
        elif word in _NO_SPACE_AFTER:
            spaces[i] = False
        elif word in _JOINERS and before and after and _joins(words, i):
            spaces[i - 1] = spaces[i] = False
        elif word in {'"', "'", "_"}:
            _quote(words, i, open_quotes, spaces)
    return tuple(spaces)


def _joins(words: Sequence[str], i: int) -> bool:
    """Does the dash at ``i`` touch its neighbours? Not in "a - b" of headings and lists."""
    left, right = words[i - 1], words[i + 1]
    return left[-1:].isalnum() and right[:1].isalnum()


def _quote(words: Sequence[str], i: int, opened: set[str], spaces: list[bool]) -> None:
    """Attach a straight quote to the text it opens or closes."""
    word = words[i]
    if word in opened:
        opened.discard(word)
        if i:
            spaces[i - 1] = False
    elif word == "'" and i and words[i - 1][-1:] in "sSz":
        spaces[i - 1] = False
    else:
        opened.add(word)
        spaces[i] = False


def capitalised(word: str) -> bool:
    """Does the word look like a name by its first letter? "I" and dates do not count."""
    return word[:1].isupper() and word not in {"I", "O"} and word.lower() not in DATE_WORDS


def is_date_word(word: str) -> bool:
    """A month, a day of the week, or a mark of era or time of day."""
    return word.lower().rstrip(".") in DATE_WORDS


def is_demonym(word: str) -> bool:
    """An adjective of people, nation or faith, such as "Norwegian" (by list and ending)."""
    return word in _DEMONYM_LIST or (bool(_DEMONYM.match(word)) and word not in _NO_DEMONYM)
