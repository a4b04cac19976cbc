"""Questions for yes or no about one thing, as statements: "Was it sold?" is "It was sold.".

Only the words of the question are looked at. Where the subject ends is told by the looks of words,
without a parser; a claim with its auxiliary in a wrong place still has the right words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from ragcli.text.words import content_words, stem

_AUXILIARY = "is are was were do does did has have had can will must may"
_POLAR = re.compile(
    rf"\s*(?:(?:and|so|but),? )?(?P<verb>{'|'.join(_AUXILIARY.split())})\s+"
    r"(?P<rest>\S.*?)[\s?.!]*\Z",
    re.IGNORECASE | re.DOTALL,
)
_OTHERWISE = re.compile(
    r"\bor\b|\band (?:\w+ )?(?:who|whom|whose|what|which|when|where|why|how)\b"
    r"|\b(?:not|no|never|nobody|nothing)\b"
    r"|n['’]t\b|[.;!?]\s",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_BE = frozenset("is are was were".split())
_DO = frozenset("do does did".split())
_PREPOSITIONS = frozenset(
    "in on at by for from with to into onto over under above below after before during since until"
    " through between among against within without near as than about behind beyond across along"
    " like per via because".split()
)
_ADVERBS = frozenset(
    "still also already ever always never often usually only really actually now currently once"
    " automatically generally normally both just even mostly originally first there here more less"
    " longer older higher larger faster bigger".split()
)
_ARTICLES = frozenset(
    "the a an this that these those his her its their our my your any some every each all".split()
)
_PRONOUNS = frozenset(
    "i you he she it we they there anyone anybody someone somebody everyone everybody".split()
)
_PREDICATES = frozenset(
    "born made built kept held sold bought written run shut set cut put sent paid found known left"
    " lost won given taken drawn grown shown thrown worn seen done gone begun sung broken chosen"
    " driven frozen spoken stolen woken hidden hit hurt led lit met read said told taught thought"
    " brought spent struck stuck swept torn open closed free safe".split()
)
_PREDICATE_ENDS = ("ed", "ing", "able", "ible", "ful", "less", "ous")

_IRREGULAR = """
    be been was were is are|become became|begin began begun|break broke broken|bring brought
    |build built|burn burnt|buy bought|catch caught|choose chose chosen|come came|cut|deal dealt
    |dig dug|do did done does|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten
    |fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew flown|forget forgot
    |freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|hang hung
    |have had has|hear heard|hide hid hidden|hit|hold held|hurt|keep kept|know knew known|lay laid
    |lead led|learn learnt|leave left|lend lent|let|lie lay lain|light lit|lose lost|make made
    |meet met|pay paid|put|read|ride rode ridden|ring rang rung|rise rose risen|run ran|say said
    |see saw seen|sell sold|send sent|set|shake shook shaken|shine shone|shoot shot|show shown|shut
    |sing sang sung|sink sank sunk|sit sat|sleep slept|smell smelt|speak spoke spoken|spend spent
    |stand stood|steal stole stolen|stick stuck|strike struck|swear swore sworn|sweep swept
    |take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
    |understand understood|wake woke woken|wear wore worn|win won|wind wound|write wrote written
"""
_BASE = {
    form: group.split()[0]
    for group in _IRREGULAR.split("|")
    for form in group.split()
    if group.split()
}
_LETTERS = re.compile(r"[^\W\d_]+")
_MAY = re.compile(r"(?<=[\w,] )May\b")
"""The month, which is no word of the answer otherwise."""


def roots_in_order(text: str) -> list[str]:
    """The content words of a text, one form for all forms of a word."""
    dated = _MAY.sub("Maymonth", text)
    based = _LETTERS.sub(lambda word: _BASE.get(word[0].lower(), word[0]), dated)
    return list(map(stem, content_words(based)))


def roots(text: str) -> frozenset[str]:
    """As ``roots_in_order``, each once.

    >>> roots("He wrote the letters.") == roots("Did he write a letter?")
    True
    >>> roots("It may be open") == roots("It is open in May")
    False
    """
    return frozenset(roots_in_order(text))


@dataclass(frozen=True)
class AskedClaim:
    """What a question for yes or no asks about: its subject, its auxiliary, and what is said.

    ``predicate`` is "" where all words belong to the subject.
    """

    subject: str
    auxiliary: str
    predicate: str

    @cached_property
    def text(self) -> str:
        """The statement that "yes" makes."""
        verb = "" if self.auxiliary in _DO else self.auxiliary
        return _sentence(self.subject, verb, self.predicate)

    @cached_property
    def denied(self) -> str:
        """The statement that "no" makes."""
        return _sentence(self.subject, f"{self.auxiliary} not", self.predicate)


def _sentence(*parts: str) -> str:
    said = " ".join(filter(None, parts))
    return f"{said[:1].upper()}{said[1:]}."


def asked_claim(question: str) -> AskedClaim | None:
    """The claim that a question asks to be confirmed; None if it asks something else as well.

    >>> asked_claim("Was the winter room of the hut locked in May?").text
    'The winter room of the hut was locked in May.'
    >>> asked_claim("Does the director vote?").denied
    'The director does not vote.'
    >>> asked_claim("Is it red or blue?"), asked_claim("When was it sold?")
    (None, None)
    """
    found = _POLAR.match(" ".join(question.split()))
    if found is None or _OTHERWISE.search(found["rest"]):
        return None
    words = found["rest"].split()
    cut = _subject_end(words, found["verb"].lower())
    # "is the bell original": an adjective without a telling end is the last word.
    if cut == len(words) > 1 and words[-1][:1].islower():
        cut -= 1
    return AskedClaim(" ".join(words[:cut]), found["verb"].lower(), " ".join(words[cut:]))


def asks_whether(question: str) -> bool:
    """Whether nothing but yes or no answers a question: it has no question word.

    >>> asks_whether("Was the hut sold?"), asks_whether("Was it sold to A or to B?")
    (True, False)
    >>> asks_whether("Do you know who sold it?"), asks_whether("Who sold it?")
    (False, False)
    """
    return asked_claim(question) is not None and _QUESTION_WORD.search(question) is None


def _subject_end(words: list[str], verb: str) -> int:
    """How many of the words after the auxiliary are the subject."""
    low = [word.lower().strip(",\"'“”`*") for word in words]
    if low[0] in _PRONOUNS or len(words) < 2:
        return 1
    ends = _ends_before_be if verb in _BE else _ends_before_verb
    at = 2 if low[0] in _ARTICLES else 1
    while at < len(words):
        if low[at] in ("of", "and", "&"):
            at += 2
        elif (end := ends(words, low, at)) is not None:
            return min(end, len(words))
        else:
            at += 1
    return len(words)


def _ends_before_be(words: list[str], low: list[str], at: int) -> int | None:
    """Where the subject of "is" ends, if a word ends it: before what may be said of it.

    "the hut at the pass kept ...": what stands after a preposition belongs to the subject if
    something said of it follows.
    """
    word = low[at]
    if word in _PREPOSITIONS:
        later = (n for n in range(at + 2, len(words)) if _says(low[n]))
        return next(later, at)
    if word in _ADVERBS or word in _ARTICLES or _says(word):
        return at
    return at if words[at][:1].islower() and not words[at - 1][:1].islower() else None


def _ends_before_verb(words: list[str], low: list[str], at: int) -> int | None:
    """Where the subject of a verb ends, if a word ends it: before a word in small letters."""
    if low[at] in _ADVERBS:
        return at
    if low[at] in _PREPOSITIONS:
        after = at + 3 if low[min(at + 1, len(low) - 1)] in _ARTICLES else at + 2
        return after if after < len(words) else at
    if low[at] in _ARTICLES:
        return max(1, at - 1)
    small = words[at][:1].islower()
    named = not words[at - 1][:1].islower() or low[0] not in _ARTICLES or at >= 2
    return at if small and named else None


def _says(word: str) -> bool:
    """Whether a word may say something of a subject: a participle or an adjective by its end."""
    return word in _PREDICATES or (len(word) > 4 and word.endswith(_PREDICATE_ENDS))
