"""Questions in steps: what a question describes instead of naming it.

"What is the population of the state where Dodge City Regional Airport is located?" describes a
state. Once it is known which ("In which state is Dodge City Regional Airport located?"), the rest
is a question of one step: "What is the population of Kansas?". Rules over words find such
descriptions; capitals show the name that a description depends on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LONGEST = 600
"""Characters of a question that are looked at."""

MOST_STEPS = 3
"""Descriptions in one question that are replaced."""

_SOME_NAME = "Xx"
"""Stands for a name that is not known: other descriptions hang on it."""

_CAPITAL = r"(?:(?:[^\W_a-z])[\w.’&/-]*(?:'(?!s\b)\w+)?(?:'(?= [A-Z]))?)"
_SMALL = (
    r"(?:of|the|and|in|at|for|de|du|la|le|van|von|der|to|with|on|a|an|und|y|&|by|from|or|as|del"
    r"|di|da|al|el)"
)
NAME = rf"(?:\"[^\"]+\"|“[^“”]+”|{_CAPITAL}(?:,? (?:{_SMALL} ){{0,2}}{_CAPITAL})*)"
"""Words with capitals and small ones between them; or something in quotation marks."""

PERSON = (
    "actor|actress|architect|artist|author|boss|brother|captain|chairman|chairwoman|champion|chief"
    "|child|coach|commander|composer|conductor|creator|daughter|designer|developer|director|editor"
    "|father|founder|governor|head|husband|inventor|king|leader|lyricist|manager|mayor|minister"
    "|mother|owner|painter|parent|partner|performers?|photographer|president|producer|queen|ruler"
    "|screenwriter|sculptor|secretary|sibling|singer|sister|son|songwriter|spouse|superintendent"
    "|translator|widow|wife|winner|writer"
)
RELATED = (
    r"alma mater|birth (?:place|country|city|town)|(?:place|city|country|state|town) of"
    r" (?:birth|death|origin|citizenship|residence|burial)|home (?:town|state|country|city)"
    r"|record label|burial place|birthplace|capital|continent|country|employer|headquarters"
    r"|hometown|label|manufacturer|publisher"
)
_BELONGING = (
    "affiliation|band|city|club|company|county|district|network|organi[sz]ation|province|region"
    "|school|series|state|team|town|university"
)
BE = r"(?:is|was|are|were|has been|had been)"
_PREPOSITION = r"(?:in|at|by|from|of|to|on|for|with|under|into|as)"
NO_NOUN = (
    rf"(?!(?:{_PREPOSITION}|{BE}|did|does|do|has|have|had|can|will|would|the|an?|that|which|who"
    r"|whose|whom|where|when|what|and|or|be|been|her|his|its|their|we|they|you|he|she|played)\b)"
)
NOUN = rf"{NO_NOUN}[a-z][\w-]*"

# "the director of Jump for Glory", "Jump for Glory's director"
_OF = re.compile(
    rf"\b(?:(?:[Tt]he|an?) (?:{NOUN} ){{0,2}}?)?(?P<kind>{RELATED}|{PERSON}) (?:of|for|behind)"
    rf" (?:(?:the )?(?:{NOUN} ){{1,3}}|the )?(?P<name>{NAME})"
)
_OWNED = re.compile(
    rf"(?<![\w.’&/-])(?P<name>{NAME})(?:'s|’s|'|’)"
    rf" (?P<kind>(?:{NOUN} ){{0,2}}?(?:{RELATED}|{PERSON}|{_BELONGING}))\b"
)

# "the city where Karel Purkyně died", "the country Signmark is from"
_SUBJECT = rf"(?:the (?:{NOUN} )?)?(?P<name>{NAME})(?:(?:'s|’s|'|’)(?: {NOUN}\b){{1,4}}?)?"
_WHERE = re.compile(
    rf"\b[Tt]he (?P<kind>(?:{NOUN} ){{1,3}}?)(?P<link>where|(?:in|at|on|for|under) which|that"
    rf"|which|)(?(link) ?)(?P<subject>{_SUBJECT}) (?P<verb>{BE}|[a-z]+(?:s|ed|ew|ove)\b|got"
    rf"|took place|occurs?)(?P<rest>(?: (?:an? )?(?:[a-z]+ly )?(?:located|situated|born|found|held"
    rf"|formed|set"
    rf"|based|made|buried|played|raised|shot|filmed|part|citizen|member|native|resident|fought"
    rf"|licensed(?: to broadcast)?|signed|published|considered))?)(?P<prep> {_PREPOSITION}\b)?"
    rf"(?P<more>(?: (?:when|before|after|during) [^,?]+)?)"
)
_NO_THING = re.compile(r"\b(?:time|day|year|way)$")

# "the country that produced Fist Power"
_THAT = re.compile(
    rf"\b[Tt]he (?P<kind>(?:{NOUN} ){{1,4}}?)(?P<link>that|which|who|containing|premiering|hosting"
    rf"|producing|ruling) (?P<clause>(?:{NO_NOUN}|(?=(?:{BE}|has|had) ))"
    rf"[a-z][\w-]*(?: [a-z][\w-]*){{0,8}}? (?P<name>{NAME}))[^,?]*"
)
_ADDED = re.compile(
    rf"(?: (?:out )?{_PREPOSITION} (?:(?:the|an?) )?(?:(?:{NOUN} ){{0,3}}{NAME}|{NOUN}))*"
)
"""What may follow a name in a clause: "in the television series 'Due South'", "out of the snow"."""
_BEFORE_SUBJECT = re.compile(
    r"(?:^|\b(?:is|was|are|were|did|does|do|has|have|had|can|will|would|when|that|where))\s*$"
)

_TOLD_TO_LIST = re.compile(r"\s*(?:name|list|tell)\b", re.IGNORECASE)
_NOTHING_ASKED = re.compile(
    r"\W*(?:(?:who|what|where|which|when)(?:'s| is| was| are| were))?\s*(?:the )?"
    r"(?:(?:full |first |last )?name of )?\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Description:
    """What stands for a name: ``question[start:end]``; the question ``asks`` finds the name out.

    ``name`` is the name inside it: a passage that gives the answer mentions it.
    """

    start: int
    end: int
    asks: str
    name: str

    def replaced(self, question: str, by: str) -> str:
        """The question with a name in the place of its description."""
        made = question[: self.start] + by + question[self.end :]
        return made[:1].upper() + made[1:]


def innermost(question: str) -> Description | None:
    """The description that no other one is part of; None where the question has none.

    >>> innermost("Who is the spouse of the director of Jump for Glory?").asks
    'Who is the director of Jump for Glory?'
    >>> innermost("When was the country that produced Fist Power taken by the British?").asks
    'Which country produced Fist Power?'
    >>> innermost("Who wrote the letter to Anna Weil?") is None
    True
    """
    if len(question) > LONGEST or _TOLD_TO_LIST.match(question):
        return None
    return next((one for one in _descriptions(question) if _asks_more(question, one)), None)


def steps_of(question: str) -> list[str]:
    """What is asked for each description, innermost first, and what is left to ask about "it".

    Empty where the question describes nothing.

    >>> steps_of("Who is the spouse of the director of Jump for Glory?")
    ['Who is the director of Jump for Glory?', 'Who is the spouse of it?']
    """
    left = " ".join(question.split())
    steps: list[str] = []
    while len(steps) < MOST_STEPS and (described := innermost(left)):
        steps.append(described.asks)
        left = described.replaced(left, _SOME_NAME)
    return [step.replace(_SOME_NAME, "it") for step in (*steps, left)] if steps else []


def _descriptions(question: str) -> Iterator[Description]:
    """All of them; those by a word before those by a clause, which may hold them."""
    words = [*_found(_OF, _of, question), *_found(_OWNED, _owned, question)]
    yield from sorted(words, key=lambda one: -one.start)
    clauses = [*_found(_WHERE, _where, question), *_found(_THAT, _that, question)]
    yield from sorted(clauses, key=lambda one: -one.start)


def _found(
    pattern: re.Pattern[str], make: Callable[[re.Match[str]], Description | None], question: str
) -> Iterator[Description]:
    made = map(make, pattern.finditer(question))
    return (one for one in made if one is not None)


def _asks_more(question: str, one: Description) -> bool:
    """Whether more is asked than the description itself, and it is not a role taken ("as")."""
    if question[: one.start].endswith(" as "):
        return False
    return not _NOTHING_ASKED.match(f"{question[: one.start]} {question[one.end :]}")


def _owned(match: re.Match[str]) -> Description:
    kind, name = match["kind"], match["name"]
    return Description(*match.span(), f"{_who(kind)} is the {kind} of {name}?", name)


def _of(match: re.Match[str]) -> Description | None:
    if match["name"].isdigit() and match.string[match.end() :][1:2].islower():
        return None  # "the winner of the 2019 race"
    words = re.sub(r"^(?:the|an?) ", "", match[0], flags=re.IGNORECASE)
    return Description(*match.span(), f"{_who(match['kind'])} is the {words}?", match["name"])


def _who(kind: str) -> str:
    return "Who" if re.search(rf"\b(?:{PERSON})$", kind) else "What"


def _where(match: re.Match[str]) -> Description | None:
    """ "The N where NAME VERB", and "the N NAME VERB PREPOSITION"."""
    kind, link, verb = match["kind"].strip(), match["link"], match["verb"]
    rest, prep, more = match["rest"], match["prep"] or "", match["more"]
    if not link and (not (rest or prep) or _NO_THING.search(kind)):
        return None
    subject = match["subject"]
    said = f"{verb} {subject}" if re.fullmatch(BE, verb) else f"{subject} {verb}"
    if prep and link in ("", "that", "which"):
        asks, end = f"Which {kind} {said}{rest}{prep}{more}?", match.end()
    elif prep and not more:  # the preposition belongs to what follows
        asks, end = f"In which {kind} {said}{rest}?", match.end("rest")
    else:
        asks, end = f"In which {kind} {said}{rest}{more}?", match.end()
    return Description(match.start(), end, asks, match["name"])


def _that(match: re.Match[str]) -> Description:
    """ "The N that VERB ... NAME": to the end of the clause, or of the name if a verb follows."""
    question, link, end = match.string, match["link"], match.end()
    if _BEFORE_SUBJECT.search(question[: match.start()]):
        more = _ADDED.match(question, match.end("name"))
        end = more.end() if more else match.end("name")
    verb = "" if link in ("that", "which", "who") else f"{link} "
    words = question[match.start("clause") : end].strip()
    asks = f"Which {match['kind'].strip()} {verb}{words}?"
    return Description(match.start(), end, asks, match["name"])
