"""True and false claims about a passage, made from its own sentences and questions.

A true claim is a sentence as it stands, shortened, turned round, or a question put together with
its answer; a false one is the same with something wrong in it. Most false claims are made from
changed true ones, and a false one may be a faithful copy of a sentence of another passage: so
neither copying nor changing tells the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from training.reader.data import Passage, words


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, whether the passage bears it out, and how it was made.

    A false one made from a true one names that as its ``base``.
    """

    text: str
    holds: bool
    made: str
    base: str = ""


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
_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w])|(?<![\w.,-])\d+(?:\.\d+)?(?![\w-])")
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
_LITTLE = "two three four five six seven eight nine ten eleven twelve twenty thirty".split()
_LITTLE_RE = re.compile(rf"\b(?:{'|'.join(_LITTLE)})\b", re.I)
_BE = re.compile(
    r"\b(is|are|was|were|has been|have been|had|has|have|can|could|will|would|should|may|might"
    r"|must)\b(?! not\b)(?!n't)"
)
_DID = re.compile(r"\b(?<!to )([a-z]{3,}?)ed\b")
_NOT = re.compile(
    r"\b(?:(is|are|was|were|can|could|will|would|should|had|has|have|may) not|(did) not) "
)

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
        if len(name) > 1 and name not in _MONTHS and name in text:
            found.append(name)
    return list(dict.fromkeys(found))


# ---- true variants: what they make still holds


def verbatim(sentence: str, rng: np.random.Generator, title: str) -> str | None:
    return sentence


def shortened(sentence: str, rng: np.random.Generator, title: str) -> str | None:
    """Without brackets, without an inserted or a last clause."""
    found = re.sub(r"\s*\([^()]*\)", "", sentence)
    found = re.sub(r"\[[^\]]*\]", "", found)
    options = []
    inserted = re.search(r", (?:who|which|where|a|an|the|then|now|also)\b[^,;]{5,90},", found)
    if inserted:
        options.append(found[: inserted.start()] + found[inserted.end() :])
    last = re.search(
        r"(?:,? (?:which|although|though|while|whereas|because|since|after|where|so that|making|"
        r"including|leading|resulting|allowing)\b|; )[^;]{8,}$",
        found,
    )
    if last and len(found[: last.start()].split()) >= 5:
        options.append(found[: last.start()].rstrip(",;: ") + ".")
    conjunct = re.search(r", (?:and|but) (?:he|she|it|they|the|a|was|is|were)\b[^;]{8,}$", found)
    if conjunct and len(found[: conjunct.start()].split()) >= 5:
        options.append(found[: conjunct.start()] + ".")
    opening = re.match(
        r"(?:However|Moreover|Furthermore|Also|Therefore|Thus|Meanwhile|Finally|Indeed|"
        r"In addition|For example|As a result|But|And|So|Then),? ",
        found,
    )
    if opening:
        options.append(_capital(found[opening.end() :]))
    if options:
        found = options[int(rng.integers(len(options)))]
    return found if found != sentence and len(found.split()) >= 4 else None


def turned(sentence: str, rng: np.random.Generator, title: str) -> str | None:
    """An opening clause put last, or a last one put first."""
    opening = re.match(
        r"((?:In|On|After|During|Before|By|At|From|Since|Until|When|While|Although|Because|"
        r"Under|Throughout|As of)\b[^,;]{3,70}), ([^;]+?)([.!])?$",
        sentence,
    )
    if opening:
        clause, rest = opening[1], opening[2]
        return f"{_capital(rest)} {clause[0].lower()}{clause[1:]}."
    last = re.search(
        r"^([^,;]+?) ((?:in|on|during|since|after|before|by) (?:\w+ )?\d{3,4})\.$", sentence
    )
    if last:
        return f"{_capital(last[2])}, {_lower(last[1])}."
    return None


def dropped(sentence: str, rng: np.random.Generator, title: str) -> str | None:
    """Without adverbs and words that say little."""
    found = re.sub(
        r",? \b(?:also|then|however|still|now|just|even|too|again|therefore|thus|indeed|often|"
        r"usually|generally|mainly|widely|very|quite|currently|originally|eventually|[a-z]{3,}ly)\b,?"
        r"(?= [a-z])",
        "",
        sentence,
    )
    found = re.sub(
        r"\b(?:famous|well-known|large|great|important|notable|famed|popular) ", "", found
    )
    return found if found != sentence and len(found.split()) >= 4 else None


def named(sentence: str, rng: np.random.Generator, title: str) -> str | None:
    """The title in place of the pronoun at the front."""
    name = title.partition(" — ")[0].partition(" (")[0].strip()
    pronoun = re.match(r"(?:He|She|It) (?=\w+)", sentence)
    if not pronoun or not name or len(name.split()) > 5:
        return None
    return f"{name} {sentence[pronoun.end() :]}"


def reported(sentence: str, rng: np.random.Generator, title: str) -> str | None:
    """As an answer would word it."""
    before = (
        "According to the passage, ",
        "The text says that ",
        "The document states that ",
        "Yes, ",
        "No, ",
    )[int(rng.choice(5, p=[0.3, 0.25, 0.25, 0.15, 0.05]))]
    return before + _lower(sentence)


Variant = Callable[[str, np.random.Generator, str], "str | None"]
TRUE: tuple[tuple[Variant, float], ...] = (
    (verbatim, 0.14),
    (shortened, 0.3),
    (turned, 0.2),
    (dropped, 0.16),
    (named, 0.12),
    (reported, 0.08),
)


# ---- false variants: something is made wrong


def swapped(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """Two of its names exchanged, unless they only stand in a row."""
    found = [name for name in names(claim) if len(name) > 2]
    pairs = []
    for i, one in enumerate(found):
        for two in found[i + 1 :]:
            if one in two or two in one:
                continue
            a, b = claim.find(one), claim.find(two)
            low, high = min(a, b), max(a, b)
            between = claim[low + len(one if low == a else two) : high]
            if re.fullmatch(r"[\s,;/&–-]*(?:and|or|as well as|with)?[\s,/–-]*", between):
                continue
            if re.fullmatch(r"[^a-z]*(?:\w+, )*\w*,? (?:and|or) | (?:of|of the|the) ", between):
                continue
            pairs.append((one, two))
    if not pairs:
        return None
    one, two = pairs[int(rng.integers(len(pairs)))]
    found_text = claim.replace(one, "\0").replace(two, one).replace("\0", two)
    return found_text if found_text != claim else None


def renamed(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """A name replaced by another of the passage (mostly) or of another passage."""
    mine = [name for name in names(claim) if len(name) > 2]
    if not mine:
        return None
    old = mine[int(rng.integers(len(mine)))]
    source = passage.text if rng.random() < 0.65 else other.text
    near = [
        name
        for sentence in sentences(source)
        for name in names(sentence)
        if len(name) > 2 and name not in claim and old not in name and name not in old
    ]
    same = [n for n in near if abs(len(n.split()) - len(old.split())) <= 1]
    near = same or near
    if not near:
        return None
    return claim.replace(old, near[int(rng.integers(len(near)))], 1)


def renumbered(
    claim: str, rng: np.random.Generator, passage: Passage, other: Passage
) -> str | None:
    """A number, year, month or number word replaced by another, from the passage where it has
    one of that kind."""
    options: list[tuple[tuple[int, int], str]] = []
    for match in _NUMBER.finditer(claim):
        old = match[0]
        near = [
            n
            for n in _NUMBER.findall(passage.text)
            if n not in claim and len(n) == len(old) and ("," in n) == ("," in old)
        ]
        if near and rng.random() < 0.6:
            new = near[int(rng.integers(len(near)))]
        else:
            new = _another(old, rng)
        options.append((match.span(), new))
    for match in _MONTH.finditer(claim):
        months = [m for m in _MONTHS if m != match[0]]
        options.append((match.span(), months[int(rng.integers(11))]))
    for match in _LITTLE_RE.finditer(claim):
        little = [w for w in _LITTLE if w != match[0].lower()]
        new = little[int(rng.integers(len(little)))]
        options.append((match.span(), _capital(new) if match[0][0].isupper() else new))
    if not options:
        return None
    (start, end), new = options[int(rng.integers(len(options)))]
    return claim[:start] + new + claim[end:]


def _another(number: str, rng: np.random.Generator) -> str:
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


def negated(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """A negation added or taken away."""
    if match := _NOT.search(claim):
        keep = match[1] or "indeed"
        return claim[: match.start()] + keep + " " + claim[match.end() :]
    found = list(_BE.finditer(claim))
    if found:
        match = found[0] if rng.random() < 0.8 else found[int(rng.integers(len(found)))]
        word = match[1].split()[0]
        rest = match[1][len(word) :]
        if word in ("had", "has", "have") and not re.match(
            r" (?:been|\w+ed|\w+en)\b", rest or claim[match.end() :]
        ):
            form = {"had": "did not have", "has": "does not have", "have": "do not have"}[word]
        elif rng.random() < 0.15:
            form = f"{word} never"
        elif rng.random() < 0.25 and word not in ("may", "might"):
            form = {"can": "cannot", "will": "won't"}.get(word, f"{word}n't")
        else:
            form = f"{word} not"
        return claim[: match.start()] + form + rest + claim[match.end() :]
    if match := _DID.search(claim):
        stem = match[1]
        if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lse":
            stem = stem[:-1]
        elif re.search(
            r"(?:[aeiou][cgsuvz]|[aiou][rtlkdpm]|v|ur|at|iz|is|as|os|us|dg|nc|rg|uc)$", stem
        ):
            stem += "e"
        word = "never " + match[0] if rng.random() < 0.25 else f"did not {stem}"
        return claim[: match.start()] + word + claim[match.end() :]
    return None


def opposed(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """A word replaced by its opposite."""
    found = list(_OPPOSITE.finditer(claim))
    if not found:
        return None
    match = found[int(rng.integers(len(found)))]
    near = _OPPOSITES[match[0]]
    return claim[: match.start()] + near[int(rng.integers(len(near)))] + claim[match.end() :]


_VERB = re.compile(
    r" (?:is|are|was|were|had|has|have|became|can|will|would|could|did|went|made|took|won|"
    r"began|gave|said|[a-z]{3,}ed) "
)


def mixed(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """The beginning of one sentence of the passage with the predicate of another."""
    cut = _VERB.search(claim)
    others = [s for s in sentences(passage.text) if s[:20] != claim[:20] and _VERB.search(s)]
    if not cut or not others or len(claim[: cut.start()].split()) > 9:
        return None
    second = others[int(rng.integers(len(others)))]
    match = _VERB.search(second)
    if match is None or second[: match.start()] == claim[: cut.start()]:
        return None
    if second[match.start() :] in claim:
        return None
    return claim[: cut.start()] + second[match.start() :]


def added(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """True as far as it goes, with something that another passage says, or nobody."""
    body = claim.rstrip(". ")
    if rng.random() < 0.5:
        tails = (
            f" in {int(rng.integers(1700, 2022))}",
            f" for {int(rng.integers(2, 90))} years",
            ", which made it famous",
            " because of a fire",
            f" at a cost of ${int(rng.integers(2, 900))} million",
            " together with his brother",
            ", the first of its kind",
            " for the third time",
        )
        return f"{body}{tails[int(rng.integers(len(tails)))]}."
    strange = sentences(other.text)
    if not strange or other.text == passage.text:
        return None
    return f"{body}, and {_lower(strange[int(rng.integers(len(strange)))])}"


def elsewhere(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """A sentence of another passage, often of the same article."""
    found = [s for s in sentences(other.text) if s not in passage.text]
    if not found or other.text == passage.text:
        return None
    sentence = found[int(rng.integers(len(found)))]
    if rng.random() < 0.4:
        sentence = shortened(sentence, rng, other.title) or sentence
    return sentence


Falsifier = Callable[[str, np.random.Generator, Passage, Passage], "str | None"]
FALSE: tuple[tuple[Falsifier, float], ...] = (
    (swapped, 0.3),
    (renamed, 0.2),
    (renumbered, 0.16),
    (negated, 0.07),
    (opposed, 0.08),
    (mixed, 0.08),
    (added, 0.05),
    (elsewhere, 0.06),
)


# ---- questions with their answers


def stated(question: str, answer: str) -> str:
    """A question with an answer in its wh-word's place where that reads as a sentence, else one
    after the other.

    >>> stated("Who wrote the letter?", "Abt")
    'Abt wrote the letter.'
    >>> stated("When was the bridge built?", "1902")
    'The bridge was built in 1902.'
    """
    asked = question.strip().rstrip("? ")
    answer = answer.strip().rstrip(".")
    asked = asked[:1].lower() + asked[1:]
    subject = re.match(
        r"(?:who|what) (?!did |do |does |was the|is the|are the|were the|else)(\w+.*)$", asked
    )
    auxiliary = re.match(r"(?:who|what) (?:was|is|are|were) (\w+ing\b|\w+ed\b|the first)", asked)
    if subject and (auxiliary or not re.match(r"(?:is|was|are|were|kind|type|year)\b", subject[1])):
        return f"{_capital(answer)} {subject[1]}."
    if match := re.match(r"(?:who|what) (is|was|are|were) (the .+)$", asked):
        return f"{_capital(match[2])} {match[1]} {answer}."
    if match := re.match(
        r"(when|where|in (?:what|which) (?:year|city|country|month)) (was|were|is|are) "
        r"((?:the |a |an )?(?:[\w'’-]+ ){1,4}?)(\w+(?:ed|n|t|ght|de|ld))$",
        asked,
    ):
        link = "" if re.match(r"(?:in|on|at|by|during|after|before)\b", answer) else "in "
        return f"{_capital(match[3].strip())} {match[2]} {match[4]} {link}{answer}."
    match = re.match(r"(?:how many|how much) (\w+) ((?:are|were|was|is)\b.*)$", asked)
    if match:
        return f"{_capital(answer)} {match[1]} {match[2]}."
    if match := re.match(r"(?:which|what) (\w+) ((?:was|is|has|had|are|were) .+|\w+ed .+)$", asked):
        return f"{_capital(answer)} {match[2]}."
    return f"{_capital(asked)}? {_capital(answer)}."


def asked_claims(
    passage: Passage, question: str, other: Passage, rng: np.random.Generator
) -> list[Claim]:
    """A question of the passage with its answer, and with another of the same sort."""
    if not passage.answers:
        return []
    start, end = passage.answers[int(rng.integers(len(passage.answers)))]
    answer = passage.text[start:end]
    if len(answer.split()) > 12:
        return []
    made = [Claim(stated(question, answer), True, "stated")]
    wrong = _like(answer, passage, question, rng)
    if wrong is not None:
        made.append(Claim(stated(question, wrong), False, "misanswered", made[0].text))
    return made


def _like(answer: str, passage: Passage, question: str, rng: np.random.Generator) -> str | None:
    """Another span of the passage of the answer's sort: a number, a name, else some words."""
    given = {passage.text[a:b].lower() for a, b in passage.answers}
    if _NUMBER.search(answer):
        numbers = [n for n in _NUMBER.findall(passage.text) if n not in answer]
        match = _NUMBER.search(answer)
        assert match is not None
        same = [n for n in numbers if len(n) == len(match[0])] or numbers
        new = same[int(rng.integers(len(same)))] if same else _another(match[0], rng)
        return answer[: match.start()] + new + answer[match.end() :]
    if answer[:1].isupper():
        found = [
            name
            for sentence in sentences(passage.text)
            for name in names(sentence)
            if not any(name.lower() in g or g in name.lower() for g in given)
            and name.lower() not in question.lower()
        ]
        if found:
            return found[int(rng.integers(len(found)))]
    every = passage.text.split()
    count = max(1, len(answer.split()))
    if len(every) <= 3 * count:
        return None
    for _ in range(4):
        at = int(rng.integers(len(every) - count))
        span = " ".join(every[at : at + count]).strip(" ,.;:()\"'")
        if span and not any(span.lower() in g or g in span.lower() for g in given):
            return span
    return None


def make_claims(
    passage: Passage, question: str, other: Passage, rng: np.random.Generator
) -> list[Claim]:
    """One true and one false claim about the passage; none when nothing can be made of it."""
    if rng.random() < 0.25:
        made = asked_claims(passage, question, other, rng)
        if len(made) == 2:
            return made
    found = sentences(passage.text)
    if not found:
        return []
    sentence = found[int(rng.integers(len(found)))]
    false = None
    for _ in range(3):
        make = _pick(FALSE, rng)
        tried = [sentence, *(found[i] for i in rng.permutation(len(found))[:3].tolist())]
        for base in tried:
            variant = _true(base, passage, rng) if rng.random() < 0.6 else None
            base = variant.text if variant else base
            text = make(base, rng, passage, other)
            if text and text != base and text not in passage.text:
                false = Claim(text, False, make.__name__, "" if make is elsewhere else base)
                break
        if false:
            break
    # mostly of the same sentence as the false one, but not always
    if false and false.base and rng.random() < 0.7:
        near = words(false.base)
        sentence = max(found, key=lambda s: len(near & words(s)))
    true = _true(sentence, passage, rng)
    return [claim for claim in (true, false) if claim]


def _true(sentence: str, passage: Passage, rng: np.random.Generator) -> Claim | None:
    for _ in range(6):
        make = _pick(TRUE, rng)
        text = make(sentence, rng, passage.title)
        if text:
            return Claim(text, True, make.__name__)
    return Claim(sentence, True, "verbatim")


def _pick(choices, rng: np.random.Generator):
    weights = np.array([weight for _, weight in choices])
    return choices[int(rng.choice(len(choices), p=weights / weights.sum()))][0]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    """A sentence's first letter small, unless it starts with a name or "I"."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first.lower() in _STARTERS and first != "I" else text
