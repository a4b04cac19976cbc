"""Descriptions that hang on things without names: "the department that ordered the crane".

``text.descriptions`` finds descriptions by the capitals of the name that they hang on. Here words
alone tell where a description ends: a relative clause, a participle, "the organiser of the party".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from ragcli.text.descriptions import (
    BE,
    LONGEST,
    NAME,
    NOUN,
    PERSON,
    RELATED,
    Description,
    asks_more,
    no_question,
)

_DETERMINER = r"(?:the|our|an?)"
_WORDS = rf"(?:(?:{NOUN}|\d[\w-]*) ){{0,3}}(?:{NOUN}|\d[\w-]*)"
_ONE = rf"(?:{_DETERMINER} (?:{NAME} )?{_WORDS}(?: {NAME})?|(?:{_DETERMINER} )?{NAME}|{NOUN} \d+)"
_THING = rf"{_ONE}(?: (?:of|in|on|at|near|for|from|with|under|behind|to|and) (?:{_ONE}|{NOUN}))*"
_KIND = rf"(?:{NOUN} ){{0,2}}?{NOUN}"
_ROLE = (
    rf"{PERSON}|abbot|abbess|bishop|builder|caretaker|chair|client|contractor|curator|customer|dean|deputy|discoverer|doctor|donor|drummer|driver|engineer|host"
    rf"|keeper|landlord|maker|maintainer|operator|organi[sz]er|planner|predecessor|poet|principal"
    rf"|provider|pupil|skipper|sponsor|student|successor|supervisor|supplier|teacher|tenant|treasurer|vendor|warden"
)
_DONE = (
    r"(?:[a-z]{2,}ed|written|built|made|held|won|sung|run|led|drawn|given|taken|owned|sold|kept|born"
    r"|responsible)"
)

_LINK = r"(?:where|(?:in|at|on|for|from|to|under|by|after|with|of) (?:which|whom)|that|which|whom?)"
_TO_THE_END = r"(?:[^,?.]|\.(?! ))*"
_ASIDE = r"(?:, [^,?]*,)?"
_FINITE = rf"(?:(?:{BE}|has|had) )?{NOUN}\b{_TO_THE_END}"
_ABOUT = rf"(?:{_DETERMINER} |{NAME}){_TO_THE_END}"
_PLAIN = (
    r"arrive|attend|become|begin|belong|build|buy|call|carry|charge|close|come|contain|cost|cover|die"
    r"|end|form|get|go|grow|happen|have|hold|join|keep|know|lead|learn|leave|lie|live|look|lose|make"
    r"|marry|meet|move|need|offer|open|own|pay|play|produce|receive|retire|return|run|say|sell|send"
    r"|serve|sit|speak|stand|start|stay|study|teach|use|visit|want|win|work|write"
)
_PAST = (
    rf"{_DONE}|became|began|came|drew|fell|gave|got|grew|knew|left|met|paid|said|saw|sat|spoke|stood"
    r"|taught|thought|took|went|wore|wrote"
)

# "the organiser of the summer party"
_OF = re.compile(
    rf"\b[Tt]he (?P<clause>(?:{NOUN} ){{0,2}}?(?P<kind>{RELATED}|{_ROLE})(?: in charge)?"
    rf" (?:of|for|behind) {_THING})"
)
# "the department that ordered the crane", "the man who wrote the report on the silting"
_THAT = re.compile(rf"\b[Tt]he (?P<kind>{_KIND}) (?:that|which|who){_ASIDE} (?P<clause>{_FINITE})")
# "the program that the billing service replaced", "the store in which the gateway keeps sessions"
_WHICH = re.compile(rf"\b[Tt]he (?P<kind>{_KIND}) (?P<link>{_LINK}) (?P<clause>{_ABOUT})")
# "the firm we bought the boiler from"
_OURS = re.compile(rf"\b[Tt]he (?P<kind>{_KIND}) (?P<clause>(?:we|I|they|you) {_TO_THE_END})")
_GOES_ON = re.compile(
    rf" (?:(?:who|whose|we|I|they|you|that|where)\b|{_LINK} (?:{_DETERMINER} |[A-Z]))"
)
# "the state whose official sport is jousting"
_WHOSE = re.compile(
    rf"\b[Tt]he (?P<kind>{_KIND}) whose (?P<clause>{NOUN}[^,?]* {BE} {_TO_THE_END})"
)
# "the project directed by the mayor", "the man responsible for cranes", "the country containing X"
_PARTICIPLE = re.compile(
    rf"\b[Tt]he (?P<kind>{_KIND}) (?P<clause>(?:"
    rf"{_DONE} (?:after|as|at|by|to|for|from|in|with|on|of)"
    r"|containing|using|building|making|owning|running|holding|supplying)"
    rf" (?:{_THING}|{_WORDS}))"
    r"(?! (?:who|that|which)\b)"
)
# "When was the company founded that built the bridge?"
_LATE = re.compile(
    rf"\b(?:{BE}|did|does|do) (?P<all>the (?P<kind>{NOUN}(?: {NOUN})??) (?P<kept>"
    rf"(?:{_DONE}|{_PLAIN}|worth)(?: (?:in|at|by|from|to|on|for))?) (?P<link>who|{_LINK}){_ASIDE}"
    rf" (?P<clause>{_FINITE}|{_ABOUT}))"
)
_OUTER = rf"(?: the (?:{NOUN} ){{1,4}}(?:about|at|by|for|from|in|of|on|to|with))*\s*$"
_DID = re.compile(rf"\b(?:did|does|do|can|could|will|would|may|must|should){_OUTER}")
_WAS = re.compile(rf"\b(?:{BE}|Is|Was|Are|Were|[Hh]as|[Hh]ad|[Hh]ave){_OUTER}")
_OVER = re.compile(r"(?: (?:about|at|by|for|from|in|of|on|to|with))?\W*$")
_INSIDE = re.compile(r"\b(?:where|which|that|whom)\s*$")
_BARE = re.compile(rf" (?:(?:{_PLAIN})\b|[a-z]+(?= (?:its|his|her|their|the same) ))")
_DID_WHAT = re.compile(rf" (?:{_DONE})\b(?! by\b)")
_SAID = re.compile(rf" (?:{_PAST}|{BE}|has|had|also)\b")
_SECOND = re.compile(rf"(?<!that)(?<!which)(?<!who)(?<!and) (?:{BE}|has|had|did|does|do)\b")
_NO_THING = re.compile(r"\b(?:time|day|year|way|reason|name|number|first|last|same|most|only)$")


def innermost_thing(question: str) -> Description | None:
    """The last description of a question that hangs on things without names; None without one.

    >>> innermost_thing("Who leads the department that ordered the crane?").asks
    'Which department ordered the crane?'
    >>> innermost_thing("When was the company founded that built the bridge?").asks
    'Which company built the bridge?'
    >>> innermost_thing("Who ordered the crane?") is None
    True
    """
    if len(question) > LONGEST or no_question(question):
        return None
    found = [
        one
        for pattern, make in _FORMS
        for match in _everywhere(pattern, question)
        if (one := make(match)) and asks_more(question, one)
    ]
    whole = [one for one in found if not any(_crosses(other, one) for other in found)]
    # What begins last is part of the others; of two that begin at one place, the shorter.
    return max(whole, key=lambda one: (one.start, bool(one.kept), -one.end), default=None)


def _crosses(first: Description, second: Description) -> bool:
    """Whether the second begins in the first and goes on behind it, where the question goes on."""
    return first.start < second.start < first.end < second.end


def _everywhere(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """All matches, those inside another one too."""
    match = pattern.search(text)
    while match:
        yield match
        match = pattern.search(text, match.start() + 1)


def _late(match: re.Match[str]) -> Description | None:
    clause, link = match["clause"].strip(), match["link"]
    asks = _asked(match["kind"], clause, link)
    return Description(*match.span("all"), asks, clause, f" {match['kept']}")


def _of(match: re.Match[str]) -> Description | None:
    if _GOES_ON.match(match.string, match.end()):
        return None
    end = _end(match)
    what = match.string[match.start("clause") : end]
    who = "Who" if re.search(rf"\b(?:{_ROLE})$", match["kind"]) else "What"
    return Description(match.start(), end, f"{who} is the {what}?", what)


def _clause(
    match: re.Match[str], be: str = "", link: str = "", seconds: int = 0
) -> Description | None:
    """A clause; of its verbs "is", "has" and the like, number ``seconds`` is the question's own."""
    kind = match["kind"]
    if _NO_THING.search(kind):
        return None
    end = _end(match)
    start = match.start("clause")
    clause = match.string[start:end].strip()
    verbs = [*_SECOND.finditer(clause)]
    if len(verbs) > seconds:
        end = start + verbs[seconds].start()
        clause = clause[: verbs[seconds].start()].strip()
    return Description(match.start(), end, _asked(kind, be + clause, link), clause)


def _asked(kind: str, clause: str, link: str) -> str:
    asked = f"{link.split()[0]} which {kind}" if " " in link else f"which {kind}"
    return f"{asked[0].upper()}{asked[1:]} {clause}?"


def _that(match: re.Match[str]) -> Description | None:
    return _clause(match)


def _which(match: re.Match[str]) -> Description | None:
    link = match["link"]
    return _clause(match, link="in which" if link == "where" else link, seconds=1)


def _ours(match: re.Match[str]) -> Description | None:
    return _clause(match, seconds=1)


def _whose(match: re.Match[str]) -> Description | None:
    found = _clause(match, seconds=1)
    return found and replace(found, asks=f"Which {match['kind']}'s {found.name}?")


def _participle(match: re.Match[str]) -> Description | None:
    return _clause(match, be="was " if re.match(_DONE, match["clause"]) else "is ")


def _end(match: re.Match[str]) -> int:
    """Where a description ends: before the verb of the question that it is the subject of."""
    question, before = match.string, match.string[: match.start()]
    start, end = match.span("clause")
    text = question[start:end].rstrip()
    end = start + len(text)
    if not before.strip() or (match.re is _OF and _INSIDE.search(before)):
        verbs = [*_SAID.finditer(text, text.find(" ") + 1)]
        return start + verbs[0].start() if verbs else end
    named = text.rpartition(" ")[2][:1].isupper()
    if named or question[end : end + 1] == ",":
        return end
    if _DID.search(before):
        verbs = [*_BARE.finditer(text)]
        last = _last_word(text) if _OVER.match(question, end) else len(text)
        return start + (verbs[-1].start() if verbs else last)
    if _WAS.search(before) and not re.match(r"(?:[Ww]ho|[Ww]hat) ", question):
        verbs = [*_DID_WHAT.finditer(text)]
        return start + verbs[-1].start() if verbs else end
    return end


def _last_word(text: str) -> int:
    return text.rfind(" ") if text.count(" ") > 1 else len(text)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Description | None]], ...] = (
    (_LATE, _late),
    (_OF, _of),
    (_THAT, _that),
    (_WHICH, _which),
    (_OURS, _ours),
    (_WHOSE, _whose),
    (_PARTICIPLE, _participle),
)
