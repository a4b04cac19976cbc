"""Scripts without spaces between words, and the language of a text by its script and small words.

Chinese, Japanese, Thai and some others write no spaces, so a sentence would be a single word. Their
text is divided into pairs of neighbouring characters: what a question and a passage share is then
found wherever words begin.
"""

from __future__ import annotations

import re
from collections import Counter
from unicodedata import normalize

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u309f\u30a1-\u30ff\uff66-\uff9f"
_OTHER = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_HANGUL = "\uac00-\ud7a3"
UNSPACED = re.compile(f"[{_HAN}{_KANA}{_OTHER}{_HANGUL}]+")
"""Runs of characters of scripts without spaces, and of Korean, whose spaces are between phrases:
"등대는" is a lighthouse with its particle."""
_HIRAGANA = re.compile("[\u3041-\u309f\u30fc]+")

_FORMS = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]+")
_VOWELS = re.compile("[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]+")
_ONE_LETTER = str.maketrans("أإآٱىةکیёЁάέήίόύώϊϋΐΰςΆΈΉΊΌΎΏ", "اااايهكيеЕαεηιουωιυιυσΑΕΗΙΟΥΩ")
_ARTICLE = re.compile(r"(?<![^\W_])(?:[وبكف]?ال|لل)(?=[\u0621-\u064a]{3})")
_SIGNS = re.compile(
    "[\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0955-\u0957\u0962\u0963"
    "\u0980-\u0983\u09bc\u09be-\u09cd\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71"
    "\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0b01-\u0b03\u0b3c\u0b3e-\u0b57\u0b82\u0bbe-\u0bcd"
    "\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c56\u0c81-\u0c83\u0cbc\u0cbe-\u0cd6\u0d00-\u0d03\u0d3b"
    "\u0d3c\u0d3e-\u0d4d\u0d57\u0d82\u0d83\u0dca-\u0ddf"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u102b-\u103e\u17b4-\u17d3]"
)
"""Signs that are no letters for patterns and are inside words."""
_CUNEIFORM = 0x12000
_VARIED = re.compile(
    "[\u0386-\u03ce\u0401\u0451\u0590-\u06ff\u0900-\u0eff\u1000-\u109f\u1780-\u17ff\ufb50-\ufefc]"
)

_SCRIPTS = {
    "zh": re.compile(f"[{_HAN}]"),
    "ja": re.compile(f"[{_KANA}]"),
    "ko": re.compile("[\uac00-\ud7af\u1100-\u11ff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
}
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 4000  # characters at the start of a text that are looked at
_SCRIPT_SHARE = 0.3
_KANA_SHARE = 0.05
_FEWEST = 3  # small words of a language in a longer text
_SHARE = 0.1


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that are also English ("die", "was", "war", "on", "me") are left out.
SMALL_WORDS = {
    "de": _listed("""
        aber als am auch auf aus bei bis das dass dem den der des dieser diese dieses durch ein eine
        einem einen einer eines er es für gegen haben hatte ihm ihr ihre im ist kann kein keine mit
        nach nicht noch nur oder ohne sein seine seit sich sie sind über um und unter vom von vor
        wenn werden wie wird wurde wurden zu zum zur zwischen wer warum wann welche welcher welches
        welchen welchem wieviel wieviele wo wodurch worin gibt heißt
    """),
    "fr": _listed("""
        au aux avec ce ces cette dans de des du elle elles en est et eux il ils je la le les leur
        leurs lui mais ne nous ou où par pas pour qu que qui sa se ses son sont sous sur un une
        vous quand comment combien pourquoi quel quelle quels quelles quoi était fut être plus
    """),
    "es": _listed("""
        al como con cuando de del desde el ella ellos en entre era es esta este esto fue ha hasta la
        las lo los más muy no para pero por porque que se ser si sin sobre su sus también un una
        unos y ya quién cuándo cómo cuál cuántos cuántas dónde qué
    """),
    "it": _listed("""
        al alla anche che chi ci con come cosa da dal dalla dei del della delle di dove e ed era è
        fu gli ha il in la le lo ma nel nella non per più quando quale quali quanti quanto sono su
        sua suo tra un una uno perché
    """),
    "nl": _listed("""
        aan als bij dat de deze die dit door een en er haar heeft het hij hoe hoeveel hun ik is maar
        met naar niet nog of om ook op te tot uit van voor waar waarom wanneer wat welke werd wie
        worden wordt zich zij zijn
    """),
    "en": _listed("""
        a about an and are as at be been but by can did do does for from had has have he her him his
        how i if in into is it its me my not of on or our she so than that the their them there they
        this to was we were what when where which who whose why will with would you your
    """),
}
"""Small words of languages in Latin script."""

_ASKING = _listed("""
    wer warum wann welche welcher welches welchen welchem wieviel wieviele wo wie qui quand comment
    combien pourquoi quel quelle quels quelles quién cuándo cómo cuál cuántos cuántas dónde qué chi
    quando quale quali quanti perché waarom wanneer hoeveel welke
""")
"""One of these alone tells the language of a question."""

LATIN = frozenset(SMALL_WORDS) - {"en"}
"""Languages other than English in Latin script that are told apart."""

NAMES = {
    "ar": "Arabic",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "ru": "Russian",
    "th": "Thai",
    "zh": "Chinese",
}
"""The languages that are told apart; "ru" and "ar" stand for all in their scripts."""

_ASKS = {
    "de": _listed("hieß viel viele welchem"),
    "fr": _listed("où quelle quels"),
    "es": _listed("cuánto cuánta"),
    "it": _listed("dove quanta quanto"),
    "nl": _listed("waar welk"),
}
"""Further words of questions."""

_SHARED = _listed("a an die in is me no on so war was")
"""English words that are small words of other languages, too."""


def spaced(text: str) -> str:
    """Return the text with runs of scripts without spaces as pairs of characters.

    What is written in several ways becomes one: see ``same_letters``.

    >>> spaced("变压器 2023年"), spaced("No change")
    (' 变压 压器  2023 年 ', 'No change')
    """
    return text if text.isascii() else same_letters(UNSPACED.sub(_pairs, text))


def same_letters(text: str) -> str:
    """Return the text with one spelling for what readers of its script take for the same.

    Arabic: without vowel signs, the article and presentation forms, one letter for the forms of
    alif, ya and ta marbuta; Hebrew without vowel signs; Greek without accents and with one sigma;
    Cyrillic "ё" as "е". Vowel signs of Indian and Thai script, which split words for SQLite and
    for Python's patterns, become letters of a script that nobody writes.

    >>> same_letters("الْمَنَارَةُ") == same_letters("منارة"), same_letters("Ёлка")
    (True, 'Елка')
    """
    if not _VARIED.search(text):
        return text
    if _FORMS.search(text):
        text = _FORMS.sub(lambda run: normalize("NFKC", run[0]), text)
    text = _VOWELS.sub("", text).translate(_ONE_LETTER)
    text = _ARTICLE.sub("", text)
    return _SIGNS.sub(lambda sign: chr(_CUNEIFORM + (ord(sign[0]) & 0xFF)), text)


def _pairs(run: re.Match[str]) -> str:
    text = run[0]
    pairs = (text[at : at + 2] for at in range(max(len(text) - 1, 1)))
    return f" {' '.join(pairs)} "


def is_grammar(pair: str) -> bool:
    """Return whether a pair of characters is hiragana alone, which is mostly grammar."""
    return _HIRAGANA.fullmatch(pair) is not None


def is_unspaced(word: str) -> bool:
    """Return whether a word consists of characters of a script without spaces."""
    return UNSPACED.fullmatch(word) is not None


def language_of(text: str) -> str:
    """Return the language of a text as a code of two letters; "en" if nothing says otherwise.

    >>> language_of("Wer leitet das Theater?"), language_of("变压器在哪里？"), language_of("Oslo")
    ('de', 'zh', 'en')
    """
    sample = text[:_SAMPLE]
    if not sample.isascii() and (language := _by_script(sample)):
        return language
    words = [word.casefold() for word in _WORD.findall(sample)]
    counts = Counter(words)
    found = {
        language: sum(counts[word] for word in small) for language, small in SMALL_WORDS.items()
    }
    english = found.pop("en")
    best = max(found, key=lambda language: (found[language], language))
    many = found[best] >= _FEWEST and found[best] >= _SHARE * len(words)
    asked = len(words) < 30 and any(word in _ASKING & SMALL_WORDS[best] for word in words)
    return best if (many or asked) and found[best] > 2 * english else "en"


def language_of_question(question: str) -> str:
    """Return the language of a question; "en" if nothing says otherwise.

    A question is too short to count words: a word that asks is worth more than the others, and
    small words that English shares with other languages say nothing.

    >>> language_of_question("Wer erfand die Dampfmaschine?"), language_of_question("Who is Wer?")
    ('de', 'en')
    """
    if not question.isascii() and (language := _by_script(question[:_SAMPLE])):
        return language
    if "¿" in question:
        return "es"
    words = [word.casefold() for word in _WORD.findall(question[:_SAMPLE])]
    english = sum(word in SMALL_WORDS["en"] and word not in _SHARED for word in words)
    worth: dict[str, int] = {}
    for language in sorted(SMALL_WORDS.keys() - {"en"}):
        asks = _ASKS.get(language, frozenset())
        small = SMALL_WORDS[language] | asks
        own = sum(word in small for word in words)
        asking = any(word in (_ASKING & small) | asks for word in words)
        if asking or (language == "de" and own and words[0] == "was"):
            worth[language] = 1 + own + sum(word in _SHARED for word in words)
    best = max(worth, key=lambda language: worth[language], default="en")
    return best if worth.get(best, 0) > 2 * english + 1 else language_of(question)


def _by_script(sample: str) -> str:
    """Return the language of a script that most letters are in, "" for Latin."""
    letters = len(_LETTER.findall(sample))
    counts = {language: len(found.findall(sample)) for language, found in _SCRIPTS.items()}
    if counts["ja"] and counts["ja"] >= _KANA_SHARE * (counts["ja"] + counts["zh"]):
        counts["ja"] += counts.pop("zh")
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] > _SCRIPT_SHARE * letters else ""
