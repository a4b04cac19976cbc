"""The words by which a question leans on what was said before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragcli.text.identifiers import identifiers_in
from ragcli.text.names import names_in
from ragcli.text.words import content_words

# "There is" and "that the" refer to nothing said before; _PRONOUN also removes these words.
_REFERRING = re.compile(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|their|theirs|this|these|those|then|ones?"
    r"|the (?:same|former|latter|other))\b"
    r"|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere\b(?! (?:is|are|was|were)\b)"
    r"|(?:^|\b(?:of|about|for|to|from|with|by|is|was|did|does|do) )that\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|their|theirs|this|that|these|those|there|then"
    r"|one|ones|the (?:same|former|latter|other))\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\A\s*(?:and|but|or|so|also|what about|how about|what of|why)\b", re.IGNORECASE
)
# "What is rsync?", "Which cranes are there?": short, and whole. "What is missing?" is not.
_WHOLE = re.compile(
    r"\s*what(?:'s| is| are| was| were) (?:an? )?(?!\w+(?:ed|ing)\b|(?:next|wrong|new|left)\b)"
    r"[\w.+-]{2,}\s*+(?:\?\s*+)?$"
    r"|\s*(?:which|what|how many) \w{2,} (?:is|are|was|were) there\s*+(?:\?\s*+)?$"
    r"|\s*(?:is|are|was|were) there (?:an?|any) \w{2,}\s*+(?:\?\s*+)?$",
    re.IGNORECASE,
)
PERSON = re.compile(r"\b(?:he|him|his|she|hers?)\b", re.IGNORECASE)
THING = re.compile(r"\b(?:it|its|there)\b", re.IGNORECASE)
ASKS_FOR_PERSON = re.compile(
    r"\b(?:who|whom|whose|(?:which|what) (?:\w+er|\w+or|man|woman|person|captain|chair|artist))\b",
    re.IGNORECASE,
)
ASKS_FOR_NUMBER = re.compile(r"\s*(?:when|how (?:many|much|long|old|far|high))\b", re.IGNORECASE)
_SHORT = 4  # words: "Since when?" leans on what was said
_FEW = 1  # content words: "What does milk cost?" leans on nothing


def leans(question: str, names: Sequence[str]) -> bool:
    """Whether a question needs what went before to be understood.

    >>> leans("When was it built?", []), leans("When was the hut built?", ["hut"])
    (True, False)
    >>> leans("And Jon Berg?", ["Jon Berg"]), leans("Since when?", [])
    (True, True)
    >>> leans("What is rsync?", []), leans("What is it?", []), leans("What is missing?", [])
    (False, True, True)
    >>> leans("What does HX-1042 cost?", []), leans("What does it cost?", [])
    (False, True)
    """
    if _OPENING.match(question):
        return True
    if names or identifiers_in(question) or _names_something(question):
        return False
    if _WHOLE.match(question) and not _PRONOUN.search(question.replace(" there", "")):
        return False
    short = len(question.split()) <= _SHORT and len(content_words(question)) <= _FEW
    return short or bool(_REFERRING.search(question))


def _names_something(question: str) -> bool:
    """Whether a question has a name of its own, after its first word."""
    return any(not question.startswith(name) for name in names_in(question))


def without_references(question: str) -> str:
    """A question without the words that lean on what was said."""
    rest = _OPENING.sub(" ", question, count=1) if _OPENING.match(question) else question
    return _PRONOUN.sub(" ", rest)
