"""Questions for a default: "What is the default of max_size?"

The text about a setting says it in one of few ways ("The default is 5G", "Defaults to auto-",
"**Default:** `300`"), below the setting's name or in one sentence with it. A reader often takes
another value from there (docs/adr/technical-documents.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragcli.answer.candidates import Sentence, candidates
from ragcli.answer.lookup.looked_up import LookedUp
from ragcli.answer.windows import Stretch
from ragcli.text.identifiers import holds, identifiers_in, is_short_option
from ragcli.text.markup import without_emphasis
from ragcli.types import Part

_ASKS = re.compile(
    r"\s*what(?:'s| is| are| was| were)? (?:the |its )?defaults?(?: \w+){0,2} (?:of|for)\b"
    r"|\s*what does [^?]+ default to\b|\s*what is [^?]+ set to by default\b",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\bdefaults?(?:\s+(?:value|setting))?(?:\s+(?:of|for)\s+(?P<other>\S+))?"
    r"(?:[ ]*[:=]|\s+(?:is|are|to))\s*(?:the\s+)?"
    r"(?P<value>[^\s.,;:()][^\n;()]{0,60}?)"
    r"(?=[ ]*(?:[.,;:](?:\s|\Z)|[()]|\n|\Z|[ ]{2,}"
    r"|[ ](?:if|is|unless|when|which|and|but|since|for)\b))",
    re.IGNORECASE,
)
_QUOTES = "\"'“”‘’"
_MOST_WORDS = 5

SURE = 0.75


def default_answer(question: str, parts: Sequence[Part]) -> LookedUp | None:
    """The default of the only identifier of a question; None if none is asked for, or told."""
    marks = identifiers_in(question)
    if len(marks) != 1 or not (_ASKS.match(question) or _names_default(question, marks[0])):
        return None
    mark = marks[0]
    found: list[tuple[int, LookedUp]] = []
    for part in parts:
        for sentence in candidates(part):
            if near := _nearness(sentence, mark):
                found += ((near, answer) for answer in _values(sentence, mark))
    # Sorting is stable: of equals the first, in the passage that was found first.
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _names_default(question: str, mark: str) -> bool:
    """Whether the identifier stands right after "default": "What is the default max_size?"."""
    asked = re.match(r"\s*what(?:'s| is| was) the default (?:value )?", question, re.IGNORECASE)
    return asked is not None and question.startswith(mark, asked.end())


def _nearness(sentence: Sentence, mark: str) -> int:
    """2 below a heading that is the identifier's, 1 if the sentence holds it itself, else 0."""
    title = sentence.heading.rpartition(" > ")[2]
    if holds(title, mark) and (is_short_option(mark) or len(title.split()) <= len(mark) + 1):
        return 2
    return 1 if holds(sentence.text, mark) else 0


def _values(sentence: Sentence, mark: str) -> Iterator[LookedUp]:
    """The defaults that a sentence tells, but for those of other settings."""
    part = sentence.part
    raw = part.text[sentence.start - part.start : sentence.end - part.start]
    for match in _SAID.finditer(without_emphasis(raw)):
        value = match["value"].rstrip()
        lead = len(value) - len(value.lstrip(_QUOTES))
        inner = value.strip(_QUOTES)
        own = match["other"] is None or holds(match["other"], mark)
        if own and inner and len(inner.split()) <= _MOST_WORDS:
            start = sentence.start + match.start("value") + lead
            yield LookedUp((Stretch(part, start, start + len(inner)),), SURE)
