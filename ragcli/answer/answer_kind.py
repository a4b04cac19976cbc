"""Whether an answer is of the kind that a question asks for: a person, a date, a number."""

from __future__ import annotations

import re
from collections.abc import Callable

from ragcli.text.sentences import sentences
from ragcli.text.words import content_words

_NUMBER_WORDS = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred"
    r"|thousand|million|half|dozen|none|once|twice"
)
_NUMBERS = re.compile(rf"\d|\b(?:{_NUMBER_WORDS})\b", re.IGNORECASE)
_SERIES = re.compile(r"\d+, \d+, \d+")
_MONTHS = re.compile(
    r"\b(?:jan|febr)uary|\bmarch|\bapril|\bmay\b|\bjune|\bjuly|\baugust|\b(?:sept|nov|dec)ember"
    r"|\boctober",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d{3}")
_DIGIT = re.compile(r"\d")
_VERSION = re.compile(r"\d\.\d|(?:\bv|@|\bversions? |[a-z] )\d+\b", re.IGNORECASE)
_LONG_VERSION = re.compile(r"\bv?\d+\.\d+\.\d[\w.]*|\bversions? \d[\w.]*", re.IGNORECASE)
_WORD_OF_CODE = re.compile(r"[-_./()=<>\d]|[a-z][A-Z]|\A[a-z]+\Z|\A[A-Z]+\Z")
_MOST_WORDS_OF_CODE = 4
_LIMIT = re.compile(
    rf"\d|\b(?:{_NUMBER_WORDS}|none|unlimited|infinite|infinity|disabled|no limit)\b", re.IGNORECASE
)
_SPEED = re.compile(r"\d.*(?:/ ?h\b|mph|knots|/ ?s\b|an? hour|per (?:hour|second))", re.IGNORECASE)
_SUM = re.compile(
    rf"(?<![^\W_])(?:[A-Z]{{3}})?\d|\b(?:{_NUMBER_WORDS}|free|nothing|gratis)\b", re.IGNORECASE
)
_EMAIL = re.compile(r"@|\bat\b", re.IGNORECASE)
_WEB_ADDRESS = re.compile(r"://|\w\.\w{2}")
_CVE = re.compile(r"\bCVE-\d", re.IGNORECASE)


def _is_person(answer: str) -> bool:
    return not _DIGIT.search(answer) and any(word[0].isupper() for word in answer.split())


def _is_date(answer: str) -> bool:
    return bool(_NUMBERS.search(_LONG_VERSION.sub("", answer)) or _MONTHS.search(answer))


def _is_code(answer: str) -> bool:
    """Whether an answer may be an option, a function or a setting by its letters."""
    few = len(answer.split()) <= _MOST_WORDS_OF_CODE
    return few and _WORD_OF_CODE.search(answer) is not None


def _is_amount(answer: str) -> bool:
    """Whether an answer has a number, and is no list of several."""
    return _NUMBERS.search(answer) is not None and _SERIES.search(answer) is None


def _tells_event(answer: str) -> bool:
    """Whether an answer may tell what happens: no single word, and no default."""
    return len(answer.split()) > 1 and not answer.lower().startswith("default")


def _has(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda answer: pattern.search(answer) is not None


_MONEY = (
    r"how much (?:money|did [^?]{1,60} (?:cost|charge|pay|earn)"
    r"|(?:was|were|is|are) [^?]{1,60} paid)"
    r"|what (?:does|did|do) [^?]{1,60} (?:costs?|charge)"
    r"|(?:what|which)(?: (?:is|was|were|are))?(?: the)?(?: [\w-]+)?"
    r" (?:price|cost|fee|budget|salary)"
)
_NUMBERED = "height|depth|length|width|weight|percentage|population|altitude|elevation|phone number"
_AMOUNT = (
    r"how (?:many|much|old|long|far|tall|high|large|big|wide|deep|heavy|often)|(?:what|which) time"
    r"|what (?:does|did|do) [^?]{1,60} costs?|(?:what|which)(?: [\w-]+)? (?:port|number|percentage"
    r"|price|temperature|distance|height|depth|length|amount|population|altitude|elevation)"
)

_KINDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    (r"(?:what|which|whose) year", _has(_DIGITS)),
    (r"(?:what|which) CVEs?", _has(_CVE)),
    (r"what happens", _tells_event),
    (r"(?:what|which)(?: [\w.+-]+){0,3} (?:versions?|releases?)", _has(_VERSION)),
    (
        r"(?:what|which)(?: [\w.+-]+){0,2} (?:options?|flags?|switch(?:es)?|settings?|directives?"
        r"|environment variables?|functions?|methods?|hooks?|config(?:uration)? keys?)",
        _is_code,
    ),
    (
        r"what(?: is| are| was|'s) the (?:default|max(?:imum)?|min(?:imum)?|largest|smallest)"
        r"(?: [\w-]+){0,2} (?:size|length|number|timeout|limit|interval|delay|port|age|count|depth"
        r"|level|percentage)",
        _has(_LIMIT),
    ),
    (r"when|(?:what|which) (?:date|month|day)", _is_date),
    (r"how fast|(?:what|which)(?: [\w-]+){0,2} speed(?: limit)?", _has(_SPEED)),
    (_MONEY, _has(_SUM)),
    (_AMOUNT, _is_amount),
    (rf"what (?:is|was|are|were) the (?:{_NUMBERED}|telephone number)s? of", _has(_NUMBERS)),
    (r"what (?:is|was) the e-?mail address", _has(_EMAIL)),
    (r"what (?:is|was) the (?:url|web address)", _has(_WEB_ADDRESS)),
    (r"who|whom|whose", _is_person),
)
_ASKED = tuple((re.compile(rf"\b(?:{words})\b", re.IGNORECASE), fit) for words, fit in _KINDS)
_COUNT_ASKED = re.compile(
    rf"\s*(?:how (?:many|much)\b|what (?:is|was|are|were) the (?:{_NUMBERED})s? of\b)",
    re.IGNORECASE,
)
_MONEY_ASKED = re.compile(rf"\s*(?:{_MONEY})\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"\bhow (?:many|much(?! (?:d(?:id|oes|o)|is|are|w(?:as|ere|ill|ould)|ha(?:s|ve|d)|c(?:an|ould)"
    r"|may|must|more|less|longer)\b))"
    r" (?:of (?:the|his|her|its|their) )?((?:[\w'-]+ ){0,3}?[\w'-]+)"
    r"(?= (?:did|does|do|are|is|was|were|has|have|had|can|could|may|must|will|would|in|of|on|at"
    r"|from|per|to|there|came|took|live)\b|\?|\Z)",
    re.IGNORECASE,
)
_AT_LENGTH = re.compile(
    r"\s*(?:(?:and |so |but )?why\b|how (?:did|do|does|is|are|was|were|has|have|had|can|could)\b"
    r"|(?:in|by) (?:what|which) (?:ways?|respects?|means)\b)",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\band (?:(?:by|in|on|at|to|for|from|of|with) )?"
    r"(?:who|whom|whose|what|which|when|where|why|how)\b"
    r"|\bin common\b"
    r"|\A\W*(?:which|who)\b.*\b(?:first|last|more|less|\w+er)\b.*\bor\b"
    r"|\A\W*(?:was|were|is|are|did|does|do)\b.*\bor\b",
    re.IGNORECASE | re.DOTALL,
)
_ANYTHING = frozenset(content_words("people persons times things kinds types money"))
_YEAR_ASKED = re.compile(r"\s*(?:in |since |until )?(?:what|which) year\b", re.IGNORECASE)
_RELEASED = re.compile(
    r"\s*when (?:was|were|did)\b.*\b(?:releas(?:ed?|ing)|come out)\b", re.IGNORECASE
)
_ASKED_AMOUNT = re.compile(rf"\b(?:{_AMOUNT})\b", re.IGNORECASE)


def asks_amount(question: str) -> bool:
    """Whether a question asks how many or how much.

    >>> asks_amount("How many beds are there?"), asks_amount("Who counts them?")
    (True, False)
    """
    return _ASKED_AMOUNT.search(question) is not None


def asks_at_length(question: str) -> bool:
    """Whether a question asks how something is or why, which takes a sentence to answer.

    >>> asks_at_length("How did the system develop?"), asks_at_length("Why is it closed?")
    (True, True)
    >>> asks_at_length("How old was it?"), asks_at_length("In what year did it close?")
    (False, False)
    """
    return _AT_LENGTH.match(question) is not None


def asks_several(question: str) -> bool:
    """Whether a question asks for several things, or for one that is found by comparing two.

    No one place in a text answers it.

    >>> asks_several("When was it built, and by whom?"), asks_several("Which is older, A or B?")
    (True, True)
    >>> asks_several("What have Ann and Bob in common?"), asks_several("It burned. When was that?")
    (True, True)
    >>> asks_several("Who built and owned it?"), asks_several("When did St. Ann burn?")
    (False, False)
    """
    return _SEVERAL.search(question) is not None or len(sentences(question)) > 1


def has_no_short_answer(question: str) -> bool:
    """Whether no single place of a few words in a text can answer a question."""
    return asks_at_length(question) or asks_several(question)


def lacks_number(question: str, answer: str) -> bool:
    """Whether a question asks how many, how much, what year or when something was released, and
    the answer has no such number or date.

    >>> lacks_number("How many huts are there?", "on the ridge"), lacks_number("How many?", "six")
    (True, False)
    >>> lacks_number("In which year did it close?", "the 90's"), lacks_number("Who?", "Abt")
    (True, False)
    >>> lacks_number("What is the price of it?", "L2070"), lacks_number("What is its fee?", "free")
    (True, False)
    >>> lacks_number("When was foo 2.4 released?", "version 2.4.0")
    True
    """
    if _YEAR_ASKED.match(question):
        return not _DIGITS.search(answer)
    if _MONEY_ASKED.match(question):
        return not _SUM.search(answer)
    if _RELEASED.match(question):
        return not _is_date(answer)
    return bool(_COUNT_ASKED.match(question)) and not _NUMBERS.search(answer)


def counts_other(question: str, said: str) -> bool:
    """Whether a question asks how many or how much there is of what ``said``, the text around the
    answer, does not mention. People, times and money are told of without the word.

    >>> counts_other("How many runways does it have?", "It lies three miles south of the town.")
    True
    >>> counts_other("How many runways does it have?", "It has three long runways.")
    False
    >>> counts_other("How much coal does it burn?", "It burns 30 tonnes of peat a day.")
    True
    """
    counted = _COUNTED.search(question)
    words = content_words(counted[1]) if counted else []
    if not words or words[-1] in _ANYTHING:
        return False
    return words[-1] not in content_words(said)


def fits(question: str, answer: str) -> bool:
    """Whether the answer is of the kind asked for; True where the question names no kind.

    The first words in the question that ask for a kind say which.

    >>> fits("When was it built?", "in May 1931"), fits("When was it built?", "Anna Weil")
    (True, False)
    >>> fits("Who drew it?", "Anna Weil"), fits("Who drew it?", "120 m"), fits("Why?", "rain")
    (True, False, True)
    >>> fits("Which CVE was fixed?", "in 15.3"), fits("Which version is it?", "version 7.77.0")
    (False, True)
    """
    found = [(match.start(), fit) for words, fit in _ASKED if (match := words.search(question))]
    return min(found, key=lambda pair: pair[0])[1](answer) if found else True
