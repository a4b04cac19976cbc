"""Whether an answer is of the kind that a question asks for: a person, a date, a number."""

from __future__ import annotations

import re

_KINDS = re.compile(
    r"\b(?:(?P<year>(?:what|which) year)|(?P<date>when|what (?:date|month|day))"
    r"|(?P<number>how (?:many|much|old|long|far|tall|high)|what time)"
    r"|(?P<person>who|whom|whose))\b",
    re.IGNORECASE,
)
_MONTHS = re.compile(
    r"\b(?:jan|febr)uary|\bmarch|\bapril|\bmay\b|\bjune|\bjuly|\baugust|\b(?:sept|nov|dec)ember"
    r"|\boctober",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty"
    r"|hundred|thousand|million|half|dozen)\b",
    re.IGNORECASE,
)


def fits(question: str, answer: str) -> bool:
    """Whether the answer is of the kind asked for; True where the question names no kind.

    >>> fits("When was it built?", "in May 1931"), fits("When was it built?", "Anna Weil")
    (True, False)
    >>> fits("Who drew it?", "Anna Weil"), fits("Who drew it?", "120 m"), fits("Why?", "rain")
    (True, False, True)
    """
    match = _KINDS.search(question)
    if match is None:
        return True
    if match["year"]:
        return re.search(r"\d{3}", answer) is not None
    if match["date"]:
        return bool(_NUMBERS.search(answer) or _MONTHS.search(answer))
    if match["number"]:
        return _NUMBERS.search(answer) is not None
    return not re.search(r"\d", answer) and any(word[0].isupper() for word in answer.split())
