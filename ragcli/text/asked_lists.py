"""Questions that ask for several things of one kind: "Which villages does it serve?", "Name all".

Only the words of the question are looked at. Where it may ask for one thing, it counts as such: a
list in the place of one answer is worse than one item of a list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragcli.text.number_words import NUMBER_WORDS
from ragcli.text.words import content_words

_NUMBERS = {word: number for word, number in NUMBER_WORDS.items() if 2 <= number <= 12}
_COUNT = rf"(?:(?P<count>{'|'.join(_NUMBERS)}|\d{{1,2}}) )?"
_ONE_OF = r"(?!(?:one|which|single) )"
_WORD = r"(?:(?!(?:of|that|which|who|in|on|at|for|to|by|with|from)\b)[^\W_][\w.+/’'-]*)"
_NOT_PLURAL = (
    r"does|is|was|has|this|its|his|hers|news|series|means|physics|mathematics|politics|economics"
    r"|gas|lens|always|perhaps|besides|sometimes|towards|afterwards|as|us|plus|yes|headquarters"
)
_NOUN = (
    rf"(?P<noun>(?!(?:{_NOT_PLURAL})\b)"
    r"(?:[^\W\d_][\w-]+(?<![su])(?<!i)s|people|persons|children|men|women|criteria|staff|crew)"
    r"(?![\w'’-]))"
)
_AUXILIARY = (
    r"(?:are|were|do|did|does|have|had|has|can|could|may|might|must|will|would|should|shall"
    r"|is|was)"
)
_NOT_DOING = r"(?! (?:doing|dressed|like|going|saying)\b)(?!.{0,60}\bcalled\b)"
_PLURAL_VERB = (
    r"(?:set|make|control|remain|exist|belong|use|need|take|come|go|lie|serve|contain|support"
    r"|require|allow|affect|cause|help|live|work|appear|form|wrote|made|took|led|came|went|stood"
    r"|held|[a-z]+ed)"
)
_ASKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\s*(?:(?:in|on|at|to|from|for|by|with|of|between) )?(?:which|what) {_COUNT}"
        rf"(?:(?!(?:{_NOT_PLURAL}|are|were|do|did|have|had)\b){_WORD} ){{0,3}}?{_NOUN}"
        rf"(?= (?:of|there|{_AUXILIARY}|{_PLURAL_VERB})\b)",
        rf"\s*(?:which|what|who) (?:are|were) (?:all )?(?:of )?(?:the|its|his|her|their) {_COUNT}"
        rf"(?:names of (?:all )?(?:the )?{_COUNT.replace('count', 'named')})?"
        rf"(?:{_WORD} ){{0,3}}?{_NOUN}{_NOT_DOING}",
        rf"\s*(?:please )?(?:list|name|enumerate|give me|tell me|show me) {_ONE_OF}"
        rf"(?:all |me )?(?:of )?(?:the |its |his |her |their )?{_COUNT}"
        rf"(?:{_WORD} ){{0,3}}?{_NOUN}",
    )
)
_PERSONS = re.compile(
    r"\s*who (?:all )?(?:attended|took part|participated|was present|were present|was there"
    r"|sent apologies)\b",
    re.IGNORECASE,
)
_SAYS_LIST = frozenset(content_words("list name enumerate give tell show called there available"))
_ANYTHING = frozenset(content_words("things items points ones"))


@dataclass(frozen=True, slots=True)
class AskedList:
    """What a question asks several of: ``noun`` is the stem of what they are, "" if anything or
    persons; ``count`` how many, 0 if the question does not say; ``words`` are its other stems, and
    ``names`` those of them that are written with capitals or digits."""

    noun: str
    count: int
    words: frozenset[str]
    names: frozenset[str] = frozenset()


def asked_list(question: str) -> AskedList | None:
    """What a question asks several of; None if it may ask for one thing.

    >>> asked_list("Which two villages does the bus serve?").count
    2
    >>> asked_list("What are the recommendations of the report?").noun
    'recommendation'
    >>> asked_list("Which bus serves the villages?"), asked_list("Which class does he teach?")
    (None, None)
    """
    text = " ".join(question.split())
    if _PERSONS.match(text):
        return AskedList("", 0, frozenset(content_words(text)))
    found = next(filter(None, (pattern.match(text) for pattern in _ASKS)), None)
    if found is None:
        return None
    groups = found.groupdict()
    said = groups.get("count") or groups.get("named") or ""
    count = int(said) if said.isdigit() else _NUMBERS.get(said.lower(), 0)
    noun = (content_words(found["noun"]) or [""])[-1]
    beside = frozenset(content_words(text)) - {noun} - _SAYS_LIST - frozenset(content_words(said))
    names = (word for word in text.split()[1:] if any(c.isupper() or c.isdigit() for c in word))
    named = beside.intersection(content_words(" ".join(names)))
    return AskedList("" if noun in _ANYTHING else noun, count, beside, named)
