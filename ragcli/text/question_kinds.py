"""What a question asks for, by its words. ``AskedQuestion`` has the results."""

from __future__ import annotations

import re

QUESTION_WORDS = frozenset("who whom whose what which when where why how".split())
QUESTION_WORD = re.compile(rf"\b(?:{'|'.join(sorted(QUESTION_WORDS))})\b", re.IGNORECASE)
CHOICE = re.compile(r"\bor\b", re.IGNORECASE)
_WROTE = re.compile(r"\b(?:sign(?:s|ed)?|wrote|writes?|written|sent|sends?)\b", re.IGNORECASE)
_LETTER = re.compile(
    r"\b(?:letter|note|notice|memo|e-?mail|mail|message|reply|postcard|contract|agreement)s?\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_ASKS_DATE = re.compile(
    r"\s*(?:(?:when (?:was|did|were)|(?:on )?(?:what|which) (?:is|was|day|date))\b.*"
    r"\b(?:releas(?:ed?|ing)|published|come out|came out|appear)\b)",
    re.IGNORECASE | re.DOTALL,
)
_CHANGE = (
    r"(?:add|introduc|appear|support|fix|repair|resolv|remov|drop|deprecat|chang|renam|replac|br[eo]k"
    r"|bec[ao]m|beg[ai]n|start|stop|bring|brought|enabl|disabl|bump|requir|improv|ma[dk]e)"
)
_CHANGES = re.compile(rf"\b{_CHANGE}", re.IGNORECASE)
_ASKS_RELEASE = re.compile(
    r"\s*(?:(?P<when>(?:in|since|from|with|by|as of) (?:what|which) (?:[\w.+-]+ ){0,2}?"
    r"(?:version|release)\b(?! of\b))"
    r"|(?:what|which) (?:is|was) the (?:first|last|earliest|oldest) (?:[\w.+-]+ ){0,2}?"
    r"(?:version|release) (?:to|that|which|with)\b"
    r"|(?:what|which) (?:[\w.+-]+ ){0,2}?(?:version|release) (?:of [\w.+-]+ )?(?:first )?"
    rf"{_CHANGE})",
    re.IGNORECASE,
)
_ASKS_DATE_OF_CHANGE = re.compile(
    r"\s*(?:(?:and |so )?when|(?:on |at )?(?:what|which) (?:date|day))"
    r" (?:was|were|did|has|have|had)\b[^?]*\b(?:add(?:ed)?|introduced?|removed?|dropp?(?:ed)?"
    r"|deprecated?|fix(?:ed)?|renamed?|patch(?:ed)?|bump(?:ed)?|get|got|supported|merged?)\b",
    re.IGNORECASE,
)


def asks_who_signed(question: str) -> bool:
    """Whether a question asks who signed, wrote or sent a letter.

    >>> asks_who_signed("Who signed the resin letter?"), asks_who_signed("Who wrote the novel?")
    (True, False)
    """
    return all(asked.search(question) for asked in (_WHO, _WROTE, _LETTER))


def asks_release(question: str) -> bool:
    """Whether a question asks which release made a change, or since which one something is so.

    >>> asks_release("Since which version may names be long?"), asks_release("Which version is it?")
    (True, False)
    """
    asked = _ASKS_RELEASE.match(question)
    return asked is not None and bool(asked["when"] or _CHANGES.search(question))


def asks_date_of_change(question: str) -> bool:
    """Whether a question may ask when a change of a program was made, not when it was released.

    >>> asks_date_of_change("When was --wet added?"), asks_date_of_change("When was it built?")
    (True, False)
    """
    return bool(_ASKS_DATE_OF_CHANGE.match(question) and not _ASKS_DATE.match(question))
