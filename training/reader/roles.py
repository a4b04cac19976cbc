"""Sentences whose parts change places: who did what to whom, which number belongs to what.

Each function gives a pair or a text made from one sentence, or None where the rules see no part to
move. Irregular verbs are a short list: another verb is left alone.
"""

from __future__ import annotations

import re

import numpy as np

from training.reader.phrases import LITTLE_RE, NUMBER, capital, lower, names

_IRREGULAR = {
    line.split(":")[0]: line.split(":")[1]
    for line in """written:wrote built:built made:made taken:took given:gave won:won held:held
    led:led sold:sold bought:bought sent:sent found:found known:knew seen:saw shown:showed
    chosen:chose driven:drove drawn:drew sung:sang begun:began broken:broke caught:caught
    taught:taught fought:fought brought:brought met:met paid:paid lost:lost left:left kept:kept
    overthrown:overthrew struck:struck beaten:beat spoken:spoke hit:hit run:ran cast:cast
    put:put set:set read:read told:told heard:heard understood:understood worn:wore
    stolen:stole eaten:ate overseen:oversaw""".split()
}
_PASSIVE = re.compile(
    r"^(?P<done>[^,;:()]{3,60}?) (?P<be>was|were|is|are|has been|have been|had been) "
    r"(?:(?P<how>[a-z]+ly) )?(?P<verb>[a-z]+ed|" + "|".join(_IRREGULAR) + r")"
    r"(?P<mid>(?: (?:in|on) (?:[A-Z][a-z]+ )?(?:\d{1,2}, )?\d{4})?) by "
    r"(?P<agent>(?:the |a |an |his |her |their |its )?[^,;:().]{2,50}?)"
    r"(?P<rest>(?:,? (?:in|on|at|during|after|before|from|for|as|when) .*)|)"
    r"(?P<stop>\.)$"
)
_THE = re.compile(r"\b[Tt]he (?:[a-z]{3,} )?[a-z]{4,}\b")
_PLURAL = re.compile(r"(?:^The |^These |^Many |^All |s$)")
_VERBS = (
    "succeeded replaced followed preceded defeated married founded invented discovered joined "
    "acquired bought sold wrote directed produced designed built commanded led taught met attacked "
    "invited appointed accused killed supported opposed helped hired employed owned published "
    "painted composed recorded criticized praised visited left funded sponsored created developed "
    "caused won lost gave received sent told asked called named betrayed rescued warned persuaded "
    "advised informed blamed challenged represented introduced nominated elected dismissed "
    "overlooks overtook outlived contains precedes follows supplies replaces serves uses"
).split()
_ACTIVE = re.compile(
    r"^(?P<who>(?:[Tt]he |[Aa] |[Aa]n )?[\w'’ -]{2,45}?) (?P<verb>" + "|".join(_VERBS) + r") "
    r"(?P<whom>(?:the |a |an |his |her )?[\w'’-]+(?: [A-Z][\w'’-]*){0,3}|"
    r"(?:the|a|an) [\w'’ -]{3,30}?)"
    r"(?P<rest>(?:,? (?:in|on|at|during|after|before|from|for|as|when|because|while|until) .*)|)"
    r"(?P<stop>\.)$"
)
_WHO = re.compile(
    r"(?P<head>[^,;()]{3,60}), (?:who|which) (?P<what>(?:was|is|had|has|were|are|became|[a-z]+ed) "
    r"[^,;()]{8,110})(?:,|\.$)"
)
_WHAT = re.compile(
    r"(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3}), (?P<what>(?:an?|the) [a-z][^,;().]{6,80}),"
)


_CLAUSE = re.compile(
    r"\b(?:and|but|or|while|have|has|had|was|were|is|are|be|that|which|who|by|off|out|up|not|"
    r"reportedly|[Tt]his|[Hh]e|[Ss]he|[Tt]hey|[Ii]t|him|her|them|to|in)\b"
)
"""What stands in no plain subject or object."""


def active(sentence: str) -> tuple[str, str] | None:
    """A passive sentence in the active voice, and the same with the roles exchanged.

    >>> active("The bell was cast by the foundry in 1902.")
    ('The foundry cast the bell in 1902.', 'The bell cast the foundry in 1902.')
    """
    match = _PASSIVE.match(sentence)
    if match is None or re.match(r"(?:\d|\w+ing\b|means\b)", match["agent"]):
        return None
    if _CLAUSE.search(match["done"]) or _CLAUSE.search(match["agent"]):
        return None
    verb = _IRREGULAR.get(match["verb"], match["verb"])
    if match["be"] in ("is", "are"):
        verb = f"{'has' if not _PLURAL.search(match['agent']) else 'have'} {match['verb']}"
    how = f"{match['how']} " if match["how"] else ""
    done, agent = lower(match["done"]), match["agent"]
    tail = f"{match['mid']}{match['rest']}."
    return (
        f"{capital(agent)} {how}{verb} {done}{tail}",
        f"{match['done']} {how}{verb} {agent}{tail}",
    )


def passive(sentence: str) -> tuple[str, str] | None:
    """An active sentence in the passive voice, and the same with the roles exchanged.

    >>> passive("Dahl succeeded Vik in 1880.")
    ('Vik was succeeded by Dahl in 1880.', 'Dahl was succeeded by Vik in 1880.')
    """
    match = _ACTIVE.match(sentence)
    if match is None or match["verb"][-1] == "s":
        return None
    participle = next((p for p, past in _IRREGULAR.items() if past == match["verb"]), match["verb"])
    who, whom = match["who"], match["whom"]
    if _CLAUSE.search(who) or _CLAUSE.search(whom):
        return None
    first, second = (
        f"{capital(a)} was {participle} by {lower(b)}{match['rest']}."
        for a, b in ((whom, who), (who, whom))
    )
    return first, second


def turned_round(sentence: str) -> str | None:
    """Subject and object exchanged around a verb that has both.

    >>> turned_round("Dahl succeeded Vik in 1880.")
    'Vik succeeded Dahl in 1880.'
    """
    match = _ACTIVE.match(sentence)
    if match is not None:
        who, whom = match["who"], match["whom"]
        if _CLAUSE.search(who) or _CLAUSE.search(whom):
            return None
        return f"{capital(whom)} {match['verb']} {lower(who)}{match['rest']}."
    match = _PASSIVE.match(sentence)
    if match is None or _CLAUSE.search(match["done"]) or _CLAUSE.search(match["agent"]):
        return None
    middle = sentence[match.end("done") : match.start("agent")]
    return f"{capital(match['agent'])}{middle}{lower(match['done'])}{match['rest']}."


def exchanged(sentence: str, rng: np.random.Generator) -> str | None:
    """Two things ("the bridge", "the tower") of a sentence exchanged, unless they stand in a row.

    >>> exchanged("The old bridge fell on the tower.", np.random.default_rng(0))
    'The tower fell on the old bridge.'
    """
    found = [(m.start(), m.end()) for m in _THE.finditer(sentence)]
    pairs = [
        (one, two)
        for i, one in enumerate(found)
        for two in found[i + 1 :]
        if not re.fullmatch(r"[\s,]*(?:and|or|of|for|in)?\s*", sentence[one[1] : two[0]])
        and sentence[slice(*one)].lower() != sentence[slice(*two)].lower()
    ]
    if not pairs:
        return None
    (a, b), (c, d) = pairs[int(rng.integers(len(pairs)))]
    first, second = sentence[a:b], sentence[c:d]
    first_case = capital if first[0].isupper() else lower
    second_case = capital if second[0].isupper() else lower
    return f"{sentence[:a]}{first_case(second)}{sentence[b:c]}{second_case(first)}{sentence[d:]}"


def crossed(sentence: str, rng: np.random.Generator) -> str | None:
    """Two numbers of a sentence exchanged: both are there, each of something else.

    >>> crossed("It has 12 rooms and 40 windows.", np.random.default_rng(0))
    'It has 40 rooms and 12 windows.'
    """
    for pattern in (NUMBER, LITTLE_RE):
        found = list(pattern.finditer(sentence))
        pairs = [
            (one, two)
            for i, one in enumerate(found)
            for two in found[i + 1 :]
            if one[0].lower() != two[0].lower()
            and re.search(r"[a-z]{3}", sentence[one.end() : two.start()])
            and (len(one[0]) == 4) == (len(two[0]) == 4)
        ]
        if pairs:
            one, two = pairs[int(rng.integers(len(pairs)))]
            first, second = one[0], two[0]
            if first[0].isupper():
                first, second = first.lower(), capital(second)
            return (
                sentence[: one.start()]
                + second
                + sentence[one.end() : two.start()]
                + first
                + sentence[two.end() :]
            )
    return None


def extracted(sentence: str) -> str | None:
    """What is said of somebody in passing, as a sentence of its own.

    >>> extracted("Jonas Vik, a clock repairer in Oslo, raised the tower.")
    'Jonas Vik was a clock repairer in Oslo.'
    >>> extracted("Marta Lund, who had run the mill, wrote.")
    'Marta Lund had run the mill.'
    """
    if match := _WHO.search(sentence):
        found = names(match["head"])
        if found and match["head"].endswith(found[-1]):
            return f"{found[-1]} {match['what'].strip()}."
    match = _WHAT.search(sentence)
    if match and " and " not in match["what"] and match["name"] in names(sentence):
        be = "is" if re.search(r"\b(?:is|are|has|have)\b", sentence) else "was"
        return f"{match['name']} {be} {match['what']}."
    return None
