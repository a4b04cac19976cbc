"""Questions for a default or a bound: "What is the default of max_size?"

The text about a setting says it in one of few ways ("The default is 5G", "Defaults to auto-",
"**Default:** `300`", "The minimum value is ten"), below the setting's name or in one sentence with
it. A reader often takes another value from there (docs/adr/technical-documents.md). A question may
also spell a name out: "the default EDNS buffer size" is that of ``edns-buffer-size``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ragcli.answer.answer_kind import asks_amount
from ragcli.answer.candidates import Sentence, candidates
from ragcli.answer.lookup.looked_up import LookedUp
from ragcli.answer.lookup.terms import LEAST_WORTH
from ragcli.answer.view import View
from ragcli.answer.windows import Stretch
from ragcli.text.identifiers import holds, identifiers_in, is_short_option
from ragcli.text.markup import without_emphasis
from ragcli.text.words import content_words, stem
from ragcli.types import Part

_ASKS = re.compile(
    r"\s*what(?:'s| is| are| was| were)? (?:the |its )?(?:default|minimum|maximum)s?"
    r"(?: \w+){0,2} (?:of|for)\b"
    r"|\s*what does [^?]+ default to\b|\s*what is [^?]+ set to by default\b",
    re.IGNORECASE,
)
_ASKS_BOUND = re.compile(r"\s*what(?:'s| is) the (?P<kind>max|min)(?:imum)?\b", re.IGNORECASE)
_ASKS_WITHOUT_NAME = re.compile(
    r"\s*what(?:'s| is| are) the (?:default|max(?:imum)?|min(?:imum)?|largest|smallest)\b"
    r"|.*\bby default\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?:of|for) (?:the )?(?:(?:option|setting|directive|parameter|property|field|key) )?"
    r"[`\"']?(?P<before>[\w.:-]*\w)[`\"']?"
    r"(?: (?:option|setting|directive|parameter|property|field|key|attribute)\b)?"
    r"(?: (?:in|of|for) [\w .'-]+)?\s*\?*\s*\Z"
    r"|\bwhat does (?:the )?[`\"']?(?P<after>[\w.:-]*\w)[`\"']? (?:option |setting )?default to\b",
    re.IGNORECASE,
)
"""The name of a setting by its place in a question, however it is spelled: "pipelining"."""
_VALUE = r"""(?:\|[ ]*)?(?P<value>\[[^\]\n]{1,80}\]|[^\s.,;:()|][^\n;()|]{0,60}?)
    (?=[ ]*(?:[.,;:](?:\s|\Z)|[()]|\n|\Z|[ ]{2,}
    |[ ](?:if|is|unless|when|which|and|but|since|for)\b
    |[ ][-–—][ ]|[ ]*\|))"""
_SAID = re.compile(
    rf"""\bdefaults?(?:\s+(?:value|setting))?(?:\s+(?:of|for)\s+(?P<other>\S+))?
    (?:[ ]*[:=]|\s+(?:is|are|to)|(?=[ ]+[`'"\d]))\s*(?:the\s+)?{_VALUE}""",
    re.IGNORECASE | re.VERBOSE,
)
_BOUND_SAID = {
    kind: re.compile(
        rf"""\b{kind}(?:imum)?(?:\s+[^\W\d_]+){{0,2}}
        (?:[ ]*[:=]|\s+(?:is|are))\s*{_VALUE}""",
        re.IGNORECASE | re.VERBOSE,
    )
    for kind in ("min", "max")
}
_QUOTES = "\"'“”‘’"
_MARKS = "`*\"':"
_MOST_WORDS = 5
_SPELLED = {
    "max": "maximum",
    "min": "minimum",
    "num": "number",
    "len": "length",
    "dir": "directory",
}
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_FIRST_NAME = re.compile(r"[\w.-]*\w")

_DEFAULT_LABEL = re.compile(r"defaults?(?: values?| settings?)?:?", re.IGNORECASE)
_LABEL = re.compile(r"(?i:defaults?(?: values?| settings?)?):?|[A-Z][\w ]*:")
_NOTHING = re.compile(r"none|unset|not set", re.IGNORECASE)
"""No value: what is used then is told elsewhere."""
_SECTION = re.compile(r"\A\d+(?:\.\d+)*\.?\s+")
SURE = 0.75
SURE_OF_SPELLED = 0.6
"""Confidence of a default whose setting the question does not name as the document does."""


def default_answer(question: str, parts: Sequence[Part], view: View) -> LookedUp | None:
    """The default, or the bound, of the setting that a question names; None if none is asked for,
    or told."""
    asked = _ASKS.match(question)
    bound = _ASKS_BOUND.match(question)
    said = _BOUND_SAID[bound["kind"].lower()] if bound else _SAID
    marks = identifiers_in(question)
    if len(marks) == 1 and (asked or bound or _names_default(question, marks[0])):
        return _of_parameter(question, parts, marks[0], said) or _told(parts, marks[0], said, 1)
    name = _NAME.search(question) if asked and not marks else None
    if name and (found := _told(parts, name["before"] or name["after"], said, 2)):
        return found
    if not _ASKS_WITHOUT_NAME.match(question) and not asks_amount(question):
        return None
    return _of_spelled(question, parts) or _of_described(question, view, name)


def _of_parameter(
    question: str, parts: Sequence[Part], mark: str, said: re.Pattern[str]
) -> LookedUp | None:
    """The value of a parameter that a question names beside ``mark``, which heads its section."""
    words = set(re.findall(r"[\w-]+", question)) - set(re.findall(r"[\w-]+", mark))
    for part in parts:
        for sentence in candidates(part):
            above, _, name = sentence.heading.rpartition(" > ")
            values = _values(sentence, name, said) if name in words and holds(above, mark) else ()
            if found := next(iter(values), None):
                return found
    return None


def _told(parts: Sequence[Part], mark: str, said: re.Pattern[str], least: int) -> LookedUp | None:
    """The value told below the heading of a setting; if ``least`` is 1, also beside its name."""
    found: list[tuple[int, LookedUp]] = []
    for part in parts:
        for sentence in candidates(part):
            near = _nearness(sentence, mark)
            if near >= least and (least < 2 or _is_name(_last(sentence), mark)):
                found += ((near, answer) for answer in _values(sentence, mark, said))
    # Sorting is stable: of equals the first, in the passage that was found first.
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _of_spelled(question: str, parts: Sequence[Part]) -> LookedUp | None:
    """The default of the setting whose name a question spells out; the longest such name counts."""
    words = frozenset(map(stem, content_words(question))) | frozenset(content_words(question))
    found: list[tuple[int, LookedUp]] = []
    for part in parts:
        for sentence in candidates(part):
            name = _first_name(_last(sentence))
            pieces = _pieces(name)
            if len(pieces) > 1 and words.issuperset(pieces):
                found += ((len(pieces), answer) for answer in _values(sentence, name, _SAID))
    if not found:
        return None
    best = max(found, key=lambda pair: pair[0])[1]
    return LookedUp(best.places, SURE_OF_SPELLED)


def _of_described(question: str, view: View, named: re.Match[str] | None) -> LookedUp | None:
    """The default of the setting that the sentence most about a question tells of.

    That sentence either tells it, or has no number itself: "The wait in msec" above "Default is 5".
    If the question names something (``named``), the name of the setting holds its words.
    """
    worth = (view.similarity + view.covers.sum(axis=1)).tolist()
    value, best = max(zip(worth, view.sentences, strict=True), key=lambda pair: pair[0])
    if value < LEAST_WORTH or not _may_be_setting(_last(best)):
        return None
    if named and not _pieces(named["before"] or named["after"]) <= _pieces(_last(best)):
        return None
    for sentence in [best, *(one for one in candidates(best.part) if one.heading == best.heading)]:
        for answer in _values(sentence, _first_name(_last(best)), _SAID):
            number = any(map(str.isdigit, answer.places[0].text))
            own = sentence is best or not any(map(str.isdigit, best.text))
            if number and own:
                return LookedUp(answer.places, SURE_OF_SPELLED)
    return None


def _may_be_setting(title: str) -> bool:
    """Whether a title is the name of a setting by its letters: words joined, or one small word."""
    name = title.strip(_MARKS)
    return len(_pieces(_first_name(title))) > 1 or (name.islower() and len(name.split()) == 1)


def _last(sentence: Sentence) -> str:
    """The lowest heading above a sentence, or the term of its list item; but for labels, which
    say what is told of the setting above them: "max_size > Default value:"."""
    titles = sentence.heading.split(" > ")
    while len(titles) > 1 and _LABEL.fullmatch(titles[-1]):
        titles.pop()
    return _SECTION.sub("", titles[-1])


def _is_name(title: str, mark: str) -> bool:
    return _first_name(title).lower() == mark.lower()


def _first_name(title: str) -> str:
    found = _FIRST_NAME.search(title)
    return found[0] if found else ""


@lru_cache(maxsize=4096)
def _pieces(name: str) -> frozenset[str]:
    """The words that a name is made of, as they are compared: "maxSize" has "maximum" and "size".

    >>> sorted(_pieces("edns-buffer-size")), sorted(_pieces("maxHeaderSize"))
    (['buffer', 'edns', 'siz'], ['header', 'maximum', 'siz'])
    """
    pieces = (piece.lower() for piece in _PIECES.findall(name))
    return frozenset(stem(_SPELLED.get(piece, piece)) for piece in pieces)


def _names_default(question: str, mark: str) -> bool:
    """Whether the identifier stands right after "default": "What is the default max_size?"."""
    asked = re.match(r"\s*what(?:'s| is| was) the default (?:value )?", question, re.IGNORECASE)
    return asked is not None and question.startswith(mark, asked.end())


def _nearness(sentence: Sentence, mark: str) -> int:
    """2 below a heading that is the identifier's, 1 if the sentence holds it itself, else 0."""
    title = _last(sentence)
    if holds(title, mark) and (is_short_option(mark) or len(title.split()) <= len(mark) + 1):
        return 2
    return 1 if holds(sentence.text, mark) else 0


def _values(sentence: Sentence, mark: str, said: re.Pattern[str]) -> Iterator[LookedUp]:
    """The defaults, or bounds, that a sentence tells, but for those of other settings."""
    part = sentence.part
    raw = part.text[sentence.start - part.start : sentence.end - part.start]
    if said is _SAID and _DEFAULT_LABEL.fullmatch(sentence.heading.rpartition(" > ")[2]):
        inner = sentence.text.strip(_MARKS).removesuffix(".")
        at = raw.find(inner)
        few = len(inner.split()) <= _MOST_WORDS and not _NOTHING.fullmatch(inner)
        if inner and at >= 0 and few:
            start = sentence.start + at
            yield LookedUp((Stretch(part, start, start + len(inner)),), SURE)
    for match in said.finditer(without_emphasis(raw)):
        value = match["value"].rstrip()
        lead = len(value) - len(value.lstrip(_QUOTES))
        inner = value.strip(_QUOTES)
        other = match.groupdict().get("other")
        own = other is None or holds(other, mark)
        first, _, rest = inner.partition(" ")
        if first == mark and rest:  # "Default: MaxSize 5" in a table
            inner, lead = rest.lstrip(), lead + len(inner) - len(rest.lstrip())
        if own and inner and (len(inner.split()) <= _MOST_WORDS or inner.startswith("[")):
            start = sentence.start + match.start("value") + lead
            yield LookedUp((Stretch(part, start, start + len(inner)),), SURE)
