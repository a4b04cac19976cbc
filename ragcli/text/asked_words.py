"""What a question in another language than English asks about, and how much of it a text holds.

No word lists of other languages are at hand but those of small words, so words are compared by
their beginnings ("построил", "построен"), German ones also by what they are joined from, and
Chinese and Japanese ones by the characters that stand together in both texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ragcli.text.scripts import SMALL_WORDS, UNSPACED, same_letters
from ragcli.text.words import fold

_WORD = re.compile(r"[^\W_]+")
_WRITTEN = re.compile(
    "(?:[^\\W_]|[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0eff"
    "\u1000-\u109f\u1780-\u17d3])+"
)
"""A word as it is written, with the signs that are no letters."""
_SIGNED = frozenset(("th", "hi", "ar"))


def _ready(text: str) -> str:
    return same_letters(fold(text))


def _folded(words: str) -> frozenset[str]:
    return frozenset(map(_ready, words.split()))


_PHRASES = {
    "zh": re.compile(
        "为什么|什么时候|做什么用|什么|多少|多久|多长|多高|多大|哪一年|哪[里儿些家所个位]?|时?怎么办|怎[么样]"
        "|如何|一共|一次|[谁几吗呢是的了在由跟被太]"
    ),
    "ja": re.compile("[誰何今]|いつ|どこ|[\u3041-\u309f]+"),
    "ko": re.compile(
        "누가|누구|언제|어디서?|무엇|어떻게|어느|얼마나?|몇|[가-힣]{0,4}(?:니까|나요|까요|는가|인가요?)\\Z"
        "|(?:에서는|에서|으로|까지|부터|은|는|이|가|을|를|에|의|로|와|과|도)\\Z"
    ),
    "th": re.compile(
        same_letters(
            fold(
                "ใคร|อะไร|ที่ไหน|ไหน|เมื่อไหร่|เมื่อไร|เมื่อใด|ทำไม|อย่างไร|กี่|เท่าไหร่|เท่าไร|ของ|เป็น|คือ"
                "|อยู่|ที่|ใน|และ|ได้|มี|สูง|ปีใด"
            )
        )
    ),
}
"""What only phrases a question, in scripts without spaces; of Japanese all that is hiragana, of
Korean endings and particles."""

# Small words of questions that "scripts" leaves out, because they tell no language apart.
_ALSO_SMALL = {
    "de": frozenset("die in an so was war hat hast am on viel viele hiess groß hoch lang".split()),
    "fr": frozenset("on y a t s d l c m n j etait appelle appelait appelaient nom".split()),
    "es": frozenset("llama llamaba hay tiene tenia".split()),
    "it": frozenset("si chiama ha aveva".split()),
    "nl": frozenset("heet heette was had hoeveel".split()),
    "ar": _folded(
        "من في على إلى عن ما ماذا متى أين لماذا كيف كم هل هو هي هذا هذه التي الذي أن كان كانت أي مع"
    ),
    "el": _folded(
        "ο η το οι τα του της των τον την τι ποιος ποια ποιο ποιον πότε πού πώς γιατί πόσο πόσα"
        " πόσοι πόσες και σε με για από στο στη στην στον είναι ήταν που"
    ),
    "hi": _folded(
        "का के की में है हैं था थी थे ने को से पर और कौन क्या कब कहाँ क्यों कैसे कितना कितने कितनी किस किसने"
        " यह वह एक हो गया गई"
    ),
    "ru": frozenset(
        "и в во на с со к ко о об по за из от до у не ни а но же ли бы был была было были есть это"
        " его её ее их он она они кто что где когда почему зачем как какой какая какое какие каких"
        " какого какую сколько чей чья для при под над".split()
    ),
}

NOUN = 2.0
"""What a German noun weighs beside a word in small letters."""

_FEWEST = 4
"""Letters that two words of the same stem begin with, at least."""

_ALIKE = 0.6
"""The same as a share of the longer word."""


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words of a question, or its runs of characters, without those that only phrase it.

    ``words`` are folded, ``written`` as they are in the question. ``weights`` are those of the
    words among each other; of a run it is the number of characters.
    """

    language: str
    words: tuple[str, ...]
    weights: tuple[float, ...]
    written: tuple[str, ...]

    @property
    def spaced(self) -> bool:
        """Whether spaces are between the words of the question."""
        return not any(map(UNSPACED.search, self.words))

    def held_by(self, text: str) -> NDArray[np.float64]:
        """The share (0 to 1) of each word that a text holds."""
        folded = _ready(text)
        said = set(_WORD.findall(folded))
        return np.array([self._share(word, folded, said) for word in self.words])

    def _share(self, word: str, text: str, said: set[str]) -> float:
        if UNSPACED.search(word):
            return _joint(word, text)
        return float(word in said or any(_akin(word, other, self.language) for other in said))


def asked_words(question: str, language: str) -> AskedWords:
    """Return what a question asks about.

    >>> asked_words("Wie hoch ist der Turm?", "de").words, asked_words("变压器在哪里？", "zh").words
    (('turm',), ('变压器',))
    """
    small = small_words(language)
    found: dict[str, tuple[float, str]] = {}
    for match in _WRITTEN.finditer(question):
        word = _ready(match[0])
        if not UNSPACED.search(word):
            if word not in small and (len(word) > 1 or word.isdigit()):
                noun = language == "de" and match.start() > 0 and match[0][0].isupper()
                found[word] = (NOUN if noun or language != "de" else 1.0), match[0]
            continue
        phrases = _PHRASES.get(language)
        for run in _WORD.findall(phrases.sub(" ", word) if phrases else word):
            found[run] = float(len(run)), (match[0] if language in _SIGNED else run)
    weights, written = [weight for weight, _ in found.values()], [w for _, w in found.values()]
    return AskedWords(language, tuple(found), tuple(weights), tuple(written))


@cache
def small_words(language: str) -> frozenset[str]:
    """Return the words that only phrase a question in a language, folded."""
    listed = {*SMALL_WORDS.get(language, ()), *_ALSO_SMALL.get(language, ())}
    return frozenset(map(_ready, listed))


def is_small(word: str, language: str) -> bool:
    """Return whether a word only phrases a question in a language, however it is written."""
    return _ready(word) in small_words(language)


def _joint(run: str, text: str) -> float:
    """The share of a run's characters that are in a text beside a neighbour of theirs."""
    if len(run) == 1:
        return float(run in text)
    held = [False] * len(run)
    for at in range(len(run) - 1):
        if run[at : at + 2] in text:
            held[at] = held[at + 1] = True
    return sum(held) / len(run)


def _akin(one: str, other: str, language: str) -> bool:
    """Whether two words seem to be forms of one word, or in German one is a part of the other."""
    alike = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        alike += 1
    if alike >= _FEWEST and alike >= _ALIKE * max(len(one), len(other)):
        return True
    if language not in ("de", "nl"):
        return False
    # A short word of the text ("ein") ends many a name of the question.
    return _joined(one, other) or (len(other) > _FEWEST and _joined(other, one))


def _joined(part: str, compound: str) -> bool:
    """Whether a compound begins or ends with a word, but for the ending of either."""
    stem = re.sub(r"(?:ern|en|er|es|e|n|s)\Z", "", part) if len(part) > _FEWEST else part
    long_enough = len(stem) >= 3 and len(compound) >= len(stem) + 3
    return long_enough and (
        compound.startswith(stem)
        or re.search(rf"{re.escape(stem)}(?:ern|en|er|es|e|n|s)?\Z", compound) is not None
    )
