"""The words by which a question leans on what was said before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragcli.text.identifiers import identifiers_in
from ragcli.text.names import names_in
from ragcli.text.words import content_words, plain

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
_PERSON = re.compile(r"\b(?:he|him|his|she|hers?)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?:it|its|there)\b", re.IGNORECASE)
_FOR_PERSON = re.compile(
    r"\b(?:who|whom|whose|(?:which|what) (?:\w+er|\w+or|man|woman|person|captain|chair|artist))\b",
    re.IGNORECASE,
)
_FOR_NUMBER = re.compile(r"\s*(?:when|how (?:many|much|long|old|far|high))\b", re.IGNORECASE)
_SHORT = 4  # words: "Since when?" leans on what was said
_FEW = 1  # content words: "What does milk cost?" leans on nothing


@dataclass(frozen=True, slots=True)
class References:
    """What a question says of what was said before it.

    ``opens``: it begins as a follow-up ("And Jon Berg?"). ``leans``: it is not whole, unless a
    store knows a name in it. ``person``, ``thing``: it says "he", or "it". ``for_person``,
    ``for_number``: what answers it. ``bare_words`` are its words, folded, without those that lean.
    """

    opens: bool
    leans: bool
    person: bool
    thing: bool
    for_person: bool
    for_number: bool
    bare_words: frozenset[str]


def references_in(question: str) -> References:
    """What a question leans on, by its words.

    >>> [references_in(f"When was {what} built?").leans for what in ("it", "Skive")]
    [True, False]
    >>> references_in("And Jon Berg?").opens, references_in("Since when?").leans
    (True, True)
    >>> [references_in(f"What is {what}?").leans for what in ("rsync", "it", "missing")]
    [False, True, True]
    >>> [references_in(f"What does {what} cost?").leans for what in ("HX-1042", "it")]
    [False, True]
    """
    opens = _OPENING.match(question) is not None
    rest = _OPENING.sub(" ", question, count=1) if opens else question
    return References(
        opens,
        not _names_something(question) and _lacks(question),
        _PERSON.search(question) is not None,
        _THING.search(question) is not None,
        _FOR_PERSON.search(question) is not None,
        _FOR_NUMBER.match(question) is not None,
        frozenset(plain(_PRONOUN.sub(" ", rest)).split()),
    )


def _names_something(question: str) -> bool:
    """Whether a question has an identifier, or a name of its own after its first word."""
    if identifiers_in(question):
        return True
    return any(not question.startswith(name) for name in names_in(question))


def _lacks(question: str) -> bool:
    """Whether a question without a name is short, or refers to something, and is not whole."""
    if _WHOLE.match(question) and not _PRONOUN.search(question.replace(" there", "")):
        return False
    short = len(question.split()) <= _SHORT and len(content_words(question)) <= _FEW
    return short or _REFERRING.search(question) is not None
