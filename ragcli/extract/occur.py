"""Whether a name stands in a text, whatever its case, spacing, accents and punctuation."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'"})
_POSSESSIVE = re.compile(r"'s\b|(?<=s)'(?!\w)")
_WORD = re.compile(r"[^\W_]+")
_ARTICLE = re.compile(r"^ (?:the|a|an)(?= \S)")


def folded(text: str) -> str:
    """Words without case, accents and possessives, between single spaces.

    >>> folded("The  Ysolde-Hut's\\nÉclair")
    ' the ysolde hut eclair '
    """
    text = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES)).casefold()
    text = "".join(c for c in text if not unicodedata.combining(c))
    return f" {' '.join(_WORD.findall(_POSSESSIVE.sub('', text)))} "


@lru_cache(maxsize=50_000)
def folded_name(name: str) -> str:
    """A name as ``occurs`` looks for it: folded, without a leading article.

    >>> folded_name("The Ysolde Hut")
    ' ysolde hut '
    """
    return _ARTICLE.sub("", folded(name))


def occurs(name: str, text: str) -> bool:
    """Whether ``name`` stands in ``text``, which is ``folded``; a name without a word does not.

    >>> occurs("the ysolde hut", folded("Ysolde Hut's keeper")), occurs("hut", folded("huts"))
    (True, False)
    """
    key = folded_name(name)
    return bool(key.strip()) and key in text
