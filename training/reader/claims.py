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

import numpy as np

from training.reader import roles
from training.reader.data import Passage, words
from training.reader.phrases import (
    LITTLE,
    LITTLE_RE,
    MONTH,
    MONTHS,
    NUMBER,
    another_number,
    capital,
    lower,
    names,
    opposite,
    sentences,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, whether the passage bears it out, and how it was made.

    A false one made from a true one names that as its ``base``.
    """

    text: str
    holds: bool
    made: str
    base: str = ""


_BE = re.compile(
    r"\b(is|are|was|were|has been|have been|had|has|have|can|could|will|would|should|may|might"
    r"|must)\b(?! not\b)(?!n't)"
)
_DID = re.compile(r"\b(?<!to )([a-z]{3,}?)ed\b")
_NOT = re.compile(
    r"\b(?:(is|are|was|were|can|could|will|would|should|had|has|have|may) not|(did) not) "
)


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
        options.append(capital(found[opening.end() :]))
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
        return f"{capital(rest)} {clause[0].lower()}{clause[1:]}."
    last = re.search(
        r"^([^,;]+?) ((?:in|on|during|since|after|before|by) (?:\w+ )?\d{3,4})\.$", sentence
    )
    if last:
        return f"{capital(last[2])}, {lower(last[1])}."
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
    return before + lower(sentence)


def voiced(sentence: str, rng: np.random.Generator, title: str) -> str | None:
    """Active instead of passive, or the other way round."""
    found = roles.active(sentence) or roles.passive(sentence)
    return found[0] if found else None


def extracted(sentence: str, rng: np.random.Generator, title: str) -> str | None:
    """What is said of somebody in passing."""
    return roles.extracted(sentence)


Variant = Callable[[str, np.random.Generator, str], "str | None"]
TRUE: tuple[tuple[Variant, float], ...] = (
    (verbatim, 0.12),
    (shortened, 0.24),
    (turned, 0.16),
    (dropped, 0.12),
    (named, 0.1),
    (reported, 0.07),
    (voiced, 0.1),
    (extracted, 0.09),
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
    for match in NUMBER.finditer(claim):
        old = match[0]
        near = [
            n
            for n in NUMBER.findall(passage.text)
            if n not in claim and len(n) == len(old) and ("," in n) == ("," in old)
        ]
        if near and rng.random() < 0.6:
            new = near[int(rng.integers(len(near)))]
        else:
            new = another_number(old, rng)
        options.append((match.span(), new))
    for match in MONTH.finditer(claim):
        months = [m for m in MONTHS if m != match[0]]
        options.append((match.span(), months[int(rng.integers(11))]))
    for match in LITTLE_RE.finditer(claim):
        little = [w for w in LITTLE if w != match[0].lower()]
        new = little[int(rng.integers(len(little)))]
        options.append((match.span(), capital(new) if match[0][0].isupper() else new))
    if not options:
        return None
    (start, end), new = options[int(rng.integers(len(options)))]
    return claim[:start] + new + claim[end:]


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
    found = opposite(claim, rng)
    return found[0] if found else None


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
    return f"{body}, and {lower(strange[int(rng.integers(len(strange)))])}"


def elsewhere(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """A sentence of another passage, often of the same article."""
    found = [s for s in sentences(other.text) if s not in passage.text]
    if not found or other.text == passage.text:
        return None
    sentence = found[int(rng.integers(len(found)))]
    if rng.random() < 0.4:
        sentence = shortened(sentence, rng, other.title) or sentence
    return sentence


def reversed_roles(
    claim: str, rng: np.random.Generator, passage: Passage, other: Passage
) -> str | None:
    """Who did it and to whom it was done, exchanged, in either voice."""
    voices = roles.active(claim) or roles.passive(claim)
    same = roles.turned_round(claim)
    options = [text for text in (voices[1] if voices else None, same) if text]
    return options[int(rng.integers(len(options)))] if options else None


def exchanged(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """Two of its things exchanged."""
    return roles.exchanged(claim, rng)


def crossed(claim: str, rng: np.random.Generator, passage: Passage, other: Passage) -> str | None:
    """Two of its numbers exchanged."""
    return roles.crossed(claim, rng)


def transplanted(
    claim: str, rng: np.random.Generator, passage: Passage, other: Passage
) -> str | None:
    """What another passage says of somebody, said of somebody here."""
    found = [s for s in sentences(other.text) if s not in passage.text and _VERB.search(s)]
    mine = [name for name in names(claim) if len(name) > 2]
    if not found or not mine or other.text == passage.text:
        return None
    sentence = found[int(rng.integers(len(found)))]
    cut = _VERB.search(sentence)
    if cut is None or len(sentence[: cut.start()].split()) > 7:
        return None
    return capital(mine[int(rng.integers(len(mine)))]) + sentence[cut.start() :]


Falsifier = Callable[[str, np.random.Generator, Passage, Passage], "str | None"]
FALSE: tuple[tuple[Falsifier, float], ...] = (
    (swapped, 0.22),
    (reversed_roles, 0.1),
    (exchanged, 0.07),
    (crossed, 0.05),
    (renamed, 0.15),
    (renumbered, 0.13),
    (negated, 0.07),
    (opposed, 0.07),
    (mixed, 0.05),
    (added, 0.04),
    (elsewhere, 0.04),
    (transplanted, 0.06),
)

_STRANGE = (elsewhere, transplanted)
"""Those that change no claim but bring another."""


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
        return f"{capital(answer)} {subject[1]}."
    if match := re.match(r"(?:who|what) (is|was|are|were) (the .+)$", asked):
        return f"{capital(match[2])} {match[1]} {answer}."
    if match := re.match(
        r"(when|where|in (?:what|which) (?:year|city|country|month)) (was|were|is|are) "
        r"((?:the |a |an )?(?:[\w'’-]+ ){1,4}?)(\w+(?:ed|n|t|ght|de|ld))$",
        asked,
    ):
        link = "" if re.match(r"(?:in|on|at|by|during|after|before)\b", answer) else "in "
        return f"{capital(match[3].strip())} {match[2]} {match[4]} {link}{answer}."
    match = re.match(r"(?:how many|how much) (\w+) ((?:are|were|was|is)\b.*)$", asked)
    if match:
        return f"{capital(answer)} {match[1]} {match[2]}."
    if match := re.match(r"(?:which|what) (\w+) ((?:was|is|has|had|are|were) .+|\w+ed .+)$", asked):
        return f"{capital(answer)} {match[2]}."
    return f"{capital(asked)}? {capital(answer)}."


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
    if NUMBER.search(answer):
        numbers = [n for n in NUMBER.findall(passage.text) if n not in answer]
        match = NUMBER.search(answer)
        assert match is not None
        same = [n for n in numbers if len(n) == len(match[0])] or numbers
        new = same[int(rng.integers(len(same)))] if same else another_number(match[0], rng)
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


SAME = 0.4
"""Share of false claims that come with the very claim that they were made from."""


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
    true = false = None
    for _ in range(3):
        make = _pick(FALSE, rng)
        tried = [sentence, *(found[i] for i in rng.permutation(len(found))[:3].tolist())]
        for base in tried:
            variant = true_variant(base, passage, rng) if rng.random() < 0.6 else None
            made = variant.made if variant else "verbatim"
            base = variant.text if variant else base
            text = make(base, rng, passage, other)
            if text and text != base and text not in passage.text:
                true = Claim(base, True, made)
                false = Claim(
                    text, False, make.__name__, "" if make in (elsewhere, transplanted) else base
                )
                break
        if false:
            break
    # mostly of the same sentence as the false one, often that itself, but not always
    if true is None or rng.random() > SAME:
        if false and false.base and rng.random() < 0.7:
            near = words(false.base)
            sentence = max(found, key=lambda s: len(near & words(s)))
        true = true_variant(sentence, passage, rng)
    return [claim for claim in (true, false) if claim]


def true_variant(sentence: str, passage: Passage, rng: np.random.Generator) -> Claim:
    """A true claim of a sentence of the passage, in one of the ways of ``TRUE``."""
    for _ in range(6):
        make = _pick(TRUE, rng)
        text = make(sentence, rng, passage.title)
        if text:
            return Claim(text, True, make.__name__)
    return Claim(sentence, True, "verbatim")


def _pick(choices, rng: np.random.Generator):
    weights = np.array([weight for _, weight in choices])
    return choices[int(rng.choice(len(choices), p=weights / weights.sum()))][0]
