"""Questions about two named things: whether both are so, whether they are alike, which of them.

Only the words of the question are looked at here; ``answer.comparing`` reads about each thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

Known = Callable[[str], int]
"""How well a name is known, 0 for not at all: of two ways to cut it out, the better known is
meant, then the longer."""

Asks = Literal["both", "same", "which"]
Order = Literal["first", "last", ""]

_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might|must)"
)
_POLAR = re.compile(rf"\s*(?P<verb>{_AUXILIARY})\s+(?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_SAME = re.compile(
    r"\b(?:(?:in|from|of|on|at|to|by|for|during|with|the|at)\s+){0,4}same\s+(?P<what>.+)",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\b(?:both(?: of)?|each|either|also|too|all)\b\s*", re.IGNORECASE)
_THING = re.compile(
    r"(?:the\s+)?(?:[\"“][^\"”]{2,80}[\"”]"
    r"|(?:[^\W_a-z]|\d)[\w’'.&:!-]*"
    r"(?:,?\s+(?:(?:of|the|de|du|des|von|van|der|den|la|le|di|da|del|al|and|&|from|in|for|on|to|a"
    r"|with|v\.|vs\.)\s+){0,3}(?:[^\W_a-z]|\d)[\w’'.&:!-]*)*)"
)
_FIRST = re.compile(
    r"\b(?:first|earlier|earliest|older|oldest|eldest|before|longer ago)\b", re.IGNORECASE
)
_LAST = re.compile(
    r"\b(?:later|latest|younger|youngest|last|newer|newest|(?:more|most) recent(?:ly)?)\b",
    re.IGNORECASE,
)
_TO_EACH_OTHER = re.compile(
    r"(?:still |closely |ever )*(?:related|married|friends|relatives|cousins|brothers|sisters"
    r"|siblings|twins|neighbou?rs|enemies|rivals|allies)(?: to each other)?",
    re.IGNORECASE,
)
"""What is said of two together: no passage about one of them bears it out."""
_ASKING = re.compile(
    r"\b(?:which|what|who|whose|whom)\b(?:\s+(?:of (?:the|these) \w+))?", re.IGNORECASE
)
_VERB = re.compile(
    rf"\b(?:{_AUXILIARY}|held|won|made|plays?|played|wrote|became|came|lived|used|appeared|belongs?"
    r"|contains?|received|created|composed|directed|released|founded|published|\w+ed)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TwoThings:
    """Two things that a question names, and what it asks about them.

    ``claims`` are two sentences, the same said of each thing ("both", "which"), or two questions
    ("same") for ``wanted``, what they may share; ``order`` says that the first or the last in time
    is asked for.
    """

    asks: Asks
    names: tuple[str, str]
    claims: tuple[str, str]
    wanted: str = ""
    order: Order = ""


def two_things(question: str, known: Known = lambda _: 0) -> TwoThings | None:
    """What a question asks about two things; None if it does not ask about two.

    ``known`` settles where a name begins and ends: "Wayne Black British", "England, Henry Roth".

    >>> two_things("Are both Ada Fell and Per Lund film directors?").claims
    ('Ada Fell is a film director.', 'Per Lund is a film director.')
    >>> two_things("Are Varn and Ost Town in the same province?").wanted
    'province'
    >>> two_things("Who is older, Ada Fell or Per Lund?").order
    'first'
    >>> two_things("Which singer is Danish, Ada Fell or Per Lund?").claims
    ('Ada Fell is Danish.', 'Per Lund is Danish.')
    >>> two_things("Who met Ada Fell and Per Lund?"), two_things("Are Ada and Per related?")
    (None, None)
    """
    text = " ".join(question.split()).rstrip(" ?")
    if found := _joined(text, "or", known):
        return _which(text, found)
    found = _joined(text, "and", known)
    if found is None:
        return None
    if polar := _POLAR.match(text):
        return _polar(text, polar["verb"], found)
    asks = _ASKING.search(text[found.end :])
    if found.start == 0 and not asks and (after := _POLAR.match(text[found.end :].lstrip(" ,"))):
        return _polar(
            f"{after[0]}", after["verb"], _Pair(found.one, found.other, 0, after.start("rest"))
        )
    between = re.match(r"(?:between|of)\s", text, re.IGNORECASE)
    return _which(text, found) if between else None


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two names that stand together in a question from ``start`` to ``end``."""

    one: str
    other: str
    start: int
    end: int


def _joined(text: str, joint: str, known: Known) -> _Pair | None:
    """The first two names with ``joint`` between them."""
    for match in re.finditer(rf"(?:,|(?<!\s))\s+{joint}\s+(?:in |of )?", text):
        right = _THING.match(text, match.end())
        lefts = [m for m in _THING.finditer(text, 0, match.start()) if m.end() == match.start()]
        if right is None or not lefts:
            continue
        one = max(_tails(lefts[-1][0]), key=lambda tail: (known(tail), tail == _last(lefts[-1][0])))
        other = max(_heads(right[0]), key=lambda head: (known(head), head == _first(right[0])))
        if _POLAR.match(f"{one.split()[0]} x"):
            one = one.split(" ", 1)[-1]
        start = match.start() - len(one)
        return _Pair(_bare(one), _bare(other), start, right.start() + len(other))
    return None


def _bare(name: str) -> str:
    """A name without its article and quotation marks."""
    return re.sub(r"^(?:between\s+)?(?:(?:the|a|an)\s+)?", "", name, flags=re.IGNORECASE).strip(
        "\"“”' ,"
    )


def _tails(name: str) -> Iterator[str]:
    """A name and what is left of it after each comma and each small word, longest first."""
    yield name
    for cut in re.finditer(r",?\s+", name):
        if name[cut.end()] in '"“' or not name[cut.end()].islower():
            yield name[cut.end() :]


def _heads(name: str) -> Iterator[str]:
    """A name and its beginnings, longest first."""
    yield name
    for cut in reversed(list(re.finditer(r",?\s+", name))):
        if name[: cut.start()].lower() not in ("the", "a", "an"):
            yield name[: cut.start()]


def _last(name: str) -> str:
    """What is after the last comma."""
    return name.rsplit(", ", 1)[-1]


def _first(name: str) -> str:
    """What is before the first comma."""
    return name.split(", ", 1)[0]


def _polar(text: str, verb: str, pair: _Pair) -> TwoThings | None:
    """A question for yes or no about two things together."""
    one, other = pair.one, pair.other
    rest = _BOTH.sub("", text[pair.end :]).strip(" ,")
    lead = _BOTH.sub("", re.sub(r"^\s*\w+\s+", "", text[: pair.start])).strip(" ,")
    if same := _SAME.search(rest):
        what = re.split(r"(?<!\s)\s+(?:as|that|which|when)\b", same["what"])[0].strip(" ,")
        done = f"{lead} {rest[: same.start('what')]}"
        done = re.sub(r"(?<!\s)\s+(?:the\s+)?same\s*$", "", done).strip(" ,")
        verb = _SINGULAR.get(verb.lower()) or verb.lower()
        asks = [f"What {what} {verb} {name} {done}".strip() + "?" for name in (one, other)]
        return TwoThings("same", (one, other), (asks[0], asks[1]), what)
    if _TO_EACH_OTHER.fullmatch(rest):
        return None
    claims = tuple(_claim(name, verb, lead, rest) for name in (one, other))
    return TwoThings("both", (one, other), (claims[0], claims[1]))


_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "", "did": "", "does": ""}


def _claim(name: str, verb: str, lead: str, rest: str) -> str:
    """A sentence that says of one thing what a question asks of two."""
    verb = _SINGULAR.get(verb.lower(), verb.lower())
    if lead and not rest:
        rest, lead = lead, ""
    if verb in ("is", "was"):
        rest = _singular(rest)
    said = " ".join(filter(None, (name, verb, rest)))
    return f"{said}."


def _singular(rest: str) -> str:
    """Make "film directors" "a film director"; leave "American" and "located in China"."""
    words = rest.split()
    for at, word in enumerate(words[:5]):
        if word in ("in", "of", "from", "by", "for", "with", "on", "at", "that", "who", "to"):
            break
        if word.endswith("s") and not word.endswith(("ss", "us", "is")) and word.islower():
            end = re.sub(r"ies$", "y", word) if word.endswith("ies") else word[:-1]
            article = "an" if words[0][:1].lower() in "aeiou" else "a"
            return " ".join([article, *words[:at], end, *words[at + 1 :]])
    return rest


def _which(text: str, pair: _Pair) -> TwoThings | None:
    """A question for one of two things."""
    one, other = pair.one, pair.other
    left, right = text[: pair.start].strip(" ,:-"), text[pair.end :].strip(" ,")
    rest = " ".join(filter(None, (left, right)))
    order: Order = "first" if _FIRST.search(rest) else "last" if _LAST.search(rest) else ""
    polar = _POLAR.match(f"{left} x") if not _ASKING.search(rest) else None
    if polar:
        said = f"{polar['verb']} {polar['rest'][:-1]} {right}".strip()
        said = re.sub(r"^(?:do|does|did)\s+", "", said, flags=re.IGNORECASE)
    else:
        asking = list(_ASKING.finditer(rest))
        if not asking:
            return None
        said = rest[asking[-1].end() :].strip(" ,")
        verb = _VERB.search(said)
        said = said[verb.start() :] if verb else said
    claims = tuple(" ".join(f"{name} {said}.".split()) for name in (one, other))
    return TwoThings("which", (one, other), (claims[0], claims[1]), "", order)
