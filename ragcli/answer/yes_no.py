"""Yes or no to a question about one thing, where a sentence of a document decides it.

The question is made a claim (``text.yes_no``), and the sentences nearest to the question are
compared with it. Only what a sentence plainly says counts: the
claim's own words, the same denied, their opposite, a number or a year to compare, or "Yes" and "No"
below the question itself. Everything else is left undecided: what follows from a text takes more
than a small reader can (figures: docs/adr/answers-by-reading.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

from ragcli.answer.candidates import Sentence
from ragcli.answer.heads import document_heads, path_words
from ragcli.answer.view import View
from ragcli.answer.windows import Stretch
from ragcli.text.opposites import opposites
from ragcli.text.quantities import Bound, asked_bound, quantities, years
from ragcli.text.yes_no import AskedClaim, asked_claim, roots, roots_in_order
from ragcli.types import Part

Said = Literal["yes", "no"]

MOST_SENTENCES = 6
"""Sentences nearest to the question that are compared with it."""

HEAD_CHARS = 300
"""Characters at the start of a document that say what it is about."""

ALIKE = 0.75
"""The share of their words that two questions have in common if they ask the same."""

ANSWERED_SURE = 0.95
COMPARED_SURE = 0.9
STATED_SURE = 0.85
DENIED_SURE = 0.85
OPPOSITE_SURE = 0.85
"""How often each rule was right on the questions that it was made with."""

FEWEST_ALONE = 2
"""Words that a sentence must say where its subject is named only above it."""

MOST_OTHERS = 1
"""Other words of a sentence that leaves it to the headings what is meant."""

BEFORE_CHARS = 200
"""Characters before a sentence that begins with "it" or "they", which say what that is."""

SHORT = 12
"""Words of a sentence that is about one thing, so that a denial in it is one of all of it."""

WIDEST = 2.0
"""How many words that say something may stand where a claim is stated, for each of its own."""

_PLACED = re.compile(
    r"(?:in|on|at|of|from|with|for|to|near|under|over|by|a part|part)\b", re.IGNORECASE
)
_HAS = re.compile(r"(?:have|has|had|having|got)\b", re.IGNORECASE)
_HAS_ANY = re.compile(r"\b(?:have|has|had|having|with|owns?|contains?|includes?)\b", re.IGNORECASE)
_SHORT_ANSWER = re.compile(r"\W*(?:A(?:nswer)?:\W*)?(?P<said>yes|no)\b(?!\.? \d)", re.IGNORECASE)
_NEGATION = re.compile(
    r"\b(?:no longer|no one|not|no|never|nobody|none|neither|nor|cannot|nothing|nowhere)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_NOT_ALONE = re.compile(
    r"\bnot (?:(?:do|does|did) )?(?:only|just|merely|necessarily|always|usually|normally|generally"
    r"|often|all|every|actually|yet)\b|\b(?:un\w{3,}|\w+-free|without|prevent\w*|fail\w*)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:if|unless|only|may|might|could|would|should|possibl[ey]|propos\w+|plan(?:s|ned)|considered"
    r"|expected|likely|probably|alleged(?:ly)?|whether|rather|instead|although|though|however|but"
    r"|formerly|until|while|some(?:times)?|usually|typically|generally|often|many|most(?:ly)?"
    r"|almost|nearly|wants?|wanted|tried|asked|hoped?|used to|before|supposed|supposedly"
    r"|fail\w*|resist\w*|remov\w*|nominat\w*|absence|lack\w*|without|restrict\w*|near(?:by)?"
    r"|second|third|replac\w*|limit\w*|ceas\w*|stopp?ed|avoid\w*|prevent\w*|refus\w*|reject\w*"
    r"|den(?:y|ies|ied)|attempt\w*|outside|except|other than|instead of|myth|fictional|called|named"
    r"|hardly|rarely|seldom|few|unlike|against|claim\w*|intend\w*|future|subsequent\w*)\b",
    re.IGNORECASE,
)
_QUANTIFIER = re.compile(
    r"\b(?:all|every|only|always|any|same|ever|both|most|entire(?:ly)?|actually|really|more|less"
    r"|still|first|last|before|after|until|since|[a-z]{2,}(?<!t)(?<!f)(?<!w)est)\b",
    re.IGNORECASE,
)
_ANYBODY = roots("anyone anybody someone somebody everyone everybody")
_MODAL = frozenset(("can", "may", "must", "will"))
_SUBORDINATE = re.compile(
    r"\b(?:if|unless|until|when|while|which|who|that|where|because|since|too|enough|necessary|longer"
    r"|evidence|as \w+ as)\b",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[,;:—–|]|\s-\s|\b(?:and|but|while|whereas|although|though|because)\b")
_PRONOUN = re.compile(r"(?:It|They|He|She|This|These|Both|Neither|We|You|I)\b")
_WORD = re.compile(r"[\w’'-]+")
_THING = re.compile(
    r"\b(?:an?|the|its|their|his|her|our|your|this|that|some|any|one|two|three|four|five|many|several"
    r"|of|with|by|\d+)\s+(?P<words>\w+(?: \w+)?)",
    re.IGNORECASE,
)
"""What an article, a possessive or a number stands before: a word, or a word and its attribute."""
_BESIDE = 4
"""Words between a negation and what it denies, at most."""


@dataclass(frozen=True, slots=True)
class YesOrNo:
    """Yes or no, the sentence that decides it, and the probability that it is right."""

    said: Said
    sentence: Sentence
    sure: float

    @property
    def place(self) -> Stretch:
        """The whole sentence."""
        return Stretch(self.sentence.part, self.sentence.start, self.sentence.end)


@dataclass(frozen=True)
class _ClaimBeside:
    """A claim beside a sentence: the words of both, and what the headings above it say."""

    claim: AskedClaim
    sentence: Sentence
    above: frozenset[str]

    @cached_property
    def said(self) -> frozenset[str]:
        return roots(self.sentence.text)

    @cached_property
    def subject(self) -> frozenset[str]:
        return roots(self.claim.subject) - _ANYBODY

    @cached_property
    def predicate(self) -> frozenset[str]:
        return roots(self.claim.predicate)

    def lacks(self, words: frozenset[str]) -> frozenset[str]:
        """The words that neither the sentence nor what stands above it has."""
        return words - self.said - self.above


Rule = Callable[[_ClaimBeside], Said | None]


def yes_or_no(question: str, view: View, parts: Sequence[Part]) -> YesOrNo | None:
    """Yes or no, if one of the sentences nearest to the question says so.

    None if the question is not of the kind, no sentence decides it, or two of them differ.
    ``parts`` are all that was found; their beginnings say what their documents are about.
    """
    claim = asked_claim(question)
    if claim is None:
        return None
    heads = {doc: roots(text) for doc, text in document_heads(parts, HEAD_CHARS).items()}
    compared = [
        _ClaimBeside(claim, one, heads.get(one.part.doc, frozenset()) | _above(one))
        for one in _nearest(view)
    ]
    if len(compared[0].subject | compared[0].predicate) < FEWEST_ALONE if compared else True:
        return None
    verdicts = list(_verdicts(question, compared))
    said = {verdict.said for verdict in verdicts if verdict.sure < ANSWERED_SURE}
    best = max(verdicts, key=lambda verdict: verdict.sure, default=None)
    return best if best and (best.sure >= ANSWERED_SURE or len(said) == 1) else None


def _above(sentence: Sentence) -> frozenset[str]:
    """The words of the headings above a sentence, and of those before it that "it" refers to."""
    before = ""
    if _PRONOUN.match(sentence.text):
        end = sentence.start - sentence.part.start
        before = sentence.part.text[max(0, end - BEFORE_CHARS) : end]
    return roots(f"{sentence.lead} {before}")


def _nearest(view: View) -> list[Sentence]:
    """The sentences most about the question."""
    worth = (view.similarity + view.covers.sum(axis=1)).tolist()
    ranked = sorted(zip(worth, view.sentences, strict=True), key=lambda pair: -pair[0])
    return [sentence for _, sentence in ranked[:MOST_SENTENCES]]


def _verdicts(question: str, compared: Sequence[_ClaimBeside]) -> Iterator[YesOrNo]:
    """What each sentence says, by the first rule that applies to it."""
    rules: tuple[tuple[Rule, float], ...] = (
        (partial(_answered, question), ANSWERED_SURE),
        (_bounded, COMPARED_SURE),
        (_opposite, OPPOSITE_SURE),
        (_denied, DENIED_SURE),
        (_stated, STATED_SURE),
    )
    for one in compared:
        for rule, sure in rules:
            if said := rule(one):
                yield YesOrNo(said, one.sentence, sure)
                break


def _answered(question: str, one: _ClaimBeside) -> Said | None:
    """What follows the same question in the document: "Yes. ..."."""
    short, above = _SHORT_ANSWER.match(one.sentence.text), one.sentence.asked
    if short is None or not above or _NEGATION.search(above):
        return None
    asked, there = roots(question), roots(above)
    alike = len(asked & there) >= ALIKE * len(asked | there)
    return _as_said(short["said"]) if alike else None


def _as_said(text: str) -> Said:
    return "yes" if text.lower() == "yes" else "no"


def _bounded(one: _ClaimBeside) -> Said | None:
    """Compare a number or a year of the sentence with the bound in the question."""
    bound = asked_bound(one.claim.predicate)
    if bound is None or one.claim.auxiliary in _MODAL or _NEGATION.search(one.sentence.text):
        return None
    beside = roots(bound.without)
    near = one.said | roots(one.sentence.heading.rpartition(" > ")[2])
    if one.lacks(one.subject) or one.lacks(beside) or not (beside | one.subject) & near:
        return None
    values = _values(bound, one.sentence.text, beside)
    verdicts = {bound.holds(value) for value in values}
    if len(verdicts) != 1:
        return None
    return "yes" if verdicts.pop() else "no"


def _values(bound: Bound, text: str, beside: frozenset[str]) -> list[float]:
    """The numbers of a sentence that may be meant; years only in the clauses that say what
    happened."""
    if bound.unit == "year":
        clauses = [clause for clause in _CLAUSE_ENDS.split(text) if roots(clause) & beside]
        return [float(year) for clause in clauses for year in years(clause)]
    return [value for value, unit in quantities(text) if unit == bound.unit]


def _opposite(one: _ClaimBeside) -> Said | None:
    """No if the sentence says the opposite of one word of the claim, and the rest of it."""
    text = one.sentence.text
    if one.claim.auxiliary in _MODAL or _QUANTIFIER.search(one.claim.predicate):
        return None
    if one.lacks(one.subject) or _open(one):
        return None
    missing = one.predicate - one.said
    against = {word: _contradicting(word, text) for word in missing}
    turned = [word for word, found in against.items() if found]
    if len(turned) != 1 or one.lacks(one.predicate - {turned[0]}):
        return None
    held = ((one.predicate - {turned[0]}) | one.subject) & one.said
    if not held and not _PRONOUN.match(text):
        return None
    if not _close(held | roots(min(against[turned[0]])), text):
        return None
    return "yes" if _NEGATION.search(text) else "no"


def _contradicting(word: str, text: str) -> frozenset[str]:
    """The words of a text that say the opposite of one with this root."""
    return opposites(word) & set(map(str.lower, _WORD.findall(text)))


def _open(one: _ClaimBeside) -> bool:
    """Whether the sentence says it under a condition, or of another time, that the question does
    not name."""
    own = {word.lower() for word in _WORD.findall(one.claim.text)} | {"May"}
    if one.claim.auxiliary in ("can", "may"):
        own |= {"can", "may", "could", "might"}
    hedges = (found[0] for found in _HEDGE.finditer(one.sentence.text))
    return any(hedge not in own and hedge.lower() not in own for hedge in hedges)


def _denied(one: _ClaimBeside) -> Said | None:
    """No if the sentence denies what is claimed, in the clause that says it."""
    text = one.sentence.text
    beside = one.said | roots(one.sentence.lead)
    if not one.predicate & one.said or one.predicate - beside or one.lacks(one.subject):
        return None
    negations = list(_NEGATION.finditer(text))
    if len(negations) != 1 or _NOT_ALONE.search(text):
        return None
    return "no" if _denies(text, negations[0], one) else None


def _denies(text: str, negation: re.Match[str], one: _ClaimBeside) -> bool:
    """Whether a negation stands right before words of the predicate, in one clause with all of
    them; "no" and "nobody" may stand before the subject."""
    start = max((end.end() for end in _CLAUSE_ENDS.finditer(text, 0, negation.start())), default=0)
    stop = _CLAUSE_ENDS.search(text, negation.end())
    clause = text[start : stop.start() if stop else len(text)]
    whole = len(text.split()) <= SHORT or (one.predicate & one.said) <= roots(clause)
    if not whole or _SUBORDINATE.search(clause):
        return False
    near = _WORD.findall(text[negation.end() : start + len(clause)])[:_BESIDE]
    plainly = negation[0].lower() in ("no", "nobody", "none", "neither", "no one")
    denied = one.predicate | (one.subject if plainly else frozenset())
    return bool(roots(" ".join(near)) & denied)


def _stated(one: _ClaimBeside) -> Said | None:
    """Yes if the sentence has all words of the claim close together, and none that takes it
    back."""
    text, claim = one.sentence.text, one.claim
    if _NEGATION.search(text) or _QUANTIFIER.search(claim.text) or _open(one):
        return None
    if one.predicate - one.said - _titles(one.sentence) or one.lacks(one.subject):
        return None
    verbs = roots_in_order(claim.predicate)[:1]
    if not verbs or verbs[0] not in one.said:
        return None
    if _PLACED.match(claim.predicate) or (
        _HAS.match(claim.predicate) and not _HAS_ANY.search(text)
    ):
        return None
    if any(_contradicting(word, text) for word in one.predicate):
        return None
    if claim.subject == "there" and not _as_thing(verbs[0], text):
        return None
    if one.predicate - one.said and len(one.said - one.predicate - one.subject) > MOST_OTHERS:
        return None
    if one.subject - one.said and not _of_subject(one):
        return None
    return "yes" if _close((one.predicate | one.subject) & one.said, text) else None


def _as_thing(root: str, text: str) -> bool:
    """Whether a text has a word as the name of a thing, not as a verb: "the old lift", not "lift
    the handset"."""
    return any(root in roots_in_order(found["words"]) for found in _THING.finditer(text))


def _of_subject(one: _ClaimBeside) -> bool:
    """Whether a sentence that lacks words of the subject is about it all the same: it has others of
    them or begins with a pronoun, says enough, and names nothing else."""
    about = one.subject & one.said or _PRONOUN.match(one.sentence.text)
    return bool(about) and len(one.predicate) >= FEWEST_ALONE and not _names_another(one)


def _titles(sentence: Sentence) -> frozenset[str]:
    """The words of a document's path and title, and of the headings above a sentence."""
    return roots(f"{path_words(sentence.part.doc)} {sentence.part.title} {sentence.lead}")


def _names_another(one: _ClaimBeside) -> bool:
    """Whether a sentence names something that neither the claim nor what stands above it names."""
    known = one.subject | one.predicate | one.above
    return any(roots(name) - known for name in one.sentence.names)


def _close(words: frozenset[str], text: str) -> bool:
    """Whether words stand together in a text: few others that say something between them."""
    said = roots_in_order(text)
    places = [at for at, root in enumerate(said) if root in words]
    width = min(
        (
            last - first + 1
            for first in places
            for last in places
            if words <= set(said[first : last + 1])
        ),
        default=0,
    )
    return 0 < width <= WIDEST * len(words) + 1
