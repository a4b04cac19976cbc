"""Sentences, names, numbers and opposites in a text, by rules: what claims and questions are
changed with."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

_EDGE = re.compile(r"""(?<=[.!?])["'”’)]?\s+(?=["'“‘(]?[A-Z0-9])|\n+""")
_NAME = re.compile(
    r"\b[A-Z][\w'’.-]*[\w](?:\s+(?:of|the|de|van|von|and|for)\s+(?=[A-Z])|\s+)?"
    r"(?:[A-Z][\w'’-]*\w(?:\s+(?:of|de|van|von)\s+(?=[A-Z])|\s+(?=[A-Z]))?)*"
)
_STARTERS = frozenset(
    "the a an in on at of for to from by with as it its he his she her they their this that these "
    "those there when while after before during since until although though however but and or if "
    "because some many most all each both one two three several other another such not no we our "
    "you your i my what which who where how why so then also under over between among despite "
    "according once upon now here yes well oh".split()
)
NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w])|(?<![\w.,-])\d+(?:\.\d+)?(?![\w-])")
MONTHS = (
    "January February March April May June July August September October November December".split()
)
MONTH = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b")
LITTLE = "two three four five six seven eight nine ten eleven twelve twenty thirty".split()
LITTLE_RE = re.compile(rf"\b(?:{'|'.join(LITTLE)})\b", re.I)
_PAIRS = """first:last early:late earlier:later before:after north:south northern:southern
    east:west eastern:western northeast:southwest largest:smallest larger:smaller large:small
    highest:lowest higher:lower high:low increase:decrease increased:decreased increases:decreases
    increasing:decreasing more:less most:least best:worst better:worse longest:shortest long:short
    oldest:youngest old:new older:younger won:lost win:lose wins:loses winning:losing
    male:female men:women man:woman father:mother son:daughter brother:sister king:queen
    husband:wife uncle:aunt prince:princess boy:girl rich:poor richest:poorest
    always:never all:none both:neither accepted:rejected allowed:forbidden allows:forbids
    began:ended beginning:end begins:ends start:end started:stopped open:closed opened:closed
    above:below over:under left:right hot:cold warm:cool warmer:cooler strong:weak
    stronger:weaker heavy:light success:failure successful:unsuccessful succeeded:preceded
    followed:preceded major:minor majority:minority public:private cheap:expensive
    same:different similar:different positive:negative support:oppose supported:opposed
    friend:enemy good:bad with:without inside:outside upper:lower front:back
    maximum:minimum fast:slow faster:slower easy:hard easier:harder common:rare
    rural:urban native:foreign agreed:refused gained:lost rose:fell rising:falling
    defeated:joined enabled:disabled enable:disable required:optional bought:sold buy:sell
    sent:received gave:took top:bottom internal:external morning:evening day:night
    possible:impossible true:false full:empty young:old loved:hated likes:hates
    top-level:bottom-level included:excluded includes:excludes including:excluding
    domestic:international former:latter ancient:modern permanent:temporary direct:indirect
    winter:summer spring:autumn left-wing:right-wing alive:dead born:killed"""
_OPPOSITES: dict[str, tuple[str, ...]] = {}
for _one, _other in (pair.split(":") for pair in _PAIRS.split()):
    _OPPOSITES[_one] = (*_OPPOSITES.get(_one, ()), _other)
    _OPPOSITES[_other] = (*_OPPOSITES.get(_other, ()), _one)
_OPPOSITE = re.compile(rf"\b(?:{'|'.join(sorted(_OPPOSITES, key=len, reverse=True))})\b")


def sentences(text: str) -> list[str]:
    """Sentences of 5 to 45 words."""
    edges = [0, *(m.end() for m in _EDGE.finditer(text)), len(text)]
    found = [text[a:b].strip() for a, b in pairwise(edges)]
    return [s for s in found if 5 <= len(s.split()) <= 45]


def names(text: str) -> list[str]:
    """Capitalised runs that are names: a first word counts only when longer than one word or no
    common one."""
    found = []
    for match in _NAME.finditer(text):
        name = match[0].strip().rstrip(".,'’")
        parts = name.split()
        if parts and parts[0].lower() in _STARTERS:
            parts = parts[1:]
        while parts and parts[-1].lower() in _STARTERS:
            parts = parts[:-1]
        name = " ".join(parts)
        opens = match.start() == 0 and len(parts) == 1 and name.isalpha()
        # an ordinary word may open a sentence; a name tends to come again, or a verb follows it
        if opens and text.count(name) < 2 and not text.startswith(f"{name}'s"):
            verb = text[match.end() :].split()[:1]
            if not verb or verb[0] not in ("was", "is", "had", "did", "won", "became", "and"):
                continue
        if len(name) > 1 and name not in MONTHS and name in text:
            found.append(name)
    return list(dict.fromkeys(found))


def opposite(text: str, rng: np.random.Generator) -> tuple[str, str] | None:
    """The text with one of its words replaced by its opposite, and that opposite."""
    found = list(_OPPOSITE.finditer(text))
    if not found:
        return None
    match = found[int(rng.integers(len(found)))]
    near = _OPPOSITES[match[0]]
    word = near[int(rng.integers(len(near)))]
    return text[: match.start()] + word + text[match.end() :], word


def another_number(number: str, rng: np.random.Generator) -> str:
    """Another number of the same form: a year not far off, others with a digit changed."""
    if re.fullmatch(r"1\d{3}|20\d{2}", number):
        shift = int(rng.integers(1, 30)) * (1 if rng.random() < 0.5 else -1)
        return str(int(number) + shift)
    digits = [i for i, c in enumerate(number) if c.isdigit()]
    at = digits[0] if rng.random() < 0.6 else digits[int(rng.integers(len(digits)))]
    new = str((int(number[at]) + int(rng.integers(1, 9))) % 10)
    if at == 0 and new == "0":
        new = "1" if number[0] != "1" else "2"
    return number[:at] + new + number[at + 1 :]


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def lower(text: str) -> str:
    """A sentence's first letter small, unless it starts with a name or "I"."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first.lower() in _STARTERS and first != "I" else text
