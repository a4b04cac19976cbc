"""Names and nouns of texts that are not in English, by rules: no model is needed.

Scripts with capitals: runs of capitalised words. German writes every noun with a capital, so a
single word is a noun there. Japanese: runs of kanji and of katakana, between which grammar is
in hiragana. Chinese: runs of characters that a text repeats, and people by their titles. All:
what is in quotation marks, and words that a text repeats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ragcli.models.pipeline_output import Named, Noun, Reading
from ragcli.text.names import MAX_NAME_WORDS
from ragcli.text.scripts import SMALL_WORDS, same_letters
from ragcli.text.sentences import sentences
from ragcli.text.spans import Span

_SIGNS = r"\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"  # vowels inside words
_WORD = rf"[^\W\d_][\w’'{_SIGNS}-]*"
_LINK = r"(?:von|van|vom|zu|zur|der|den|de|du|des|da|di|del|della|la|le|las|los|el|y|d['’])"
_RUN = re.compile(rf"{_WORD}(?:[ \u00a0](?:{_LINK}[ \u00a0]){{0,2}}{_WORD})*")
_PIECE = re.compile(_WORD)
_ELISION = re.compile(r"(?:[ldnmtsc]|qu|jusqu|lorsqu)['’]", re.IGNORECASE)
_QUOTED = re.compile(r"[「『《“«„]\s?([^「」『』《》“”«»„\n]{2,30}?)\s?[」』》”»“]")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc・]{2,}")
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANJI = re.compile(f"[{_HAN}]{{2,8}}")
_HAN_RUN = re.compile(f"[{_HAN}]{{2,}}")
_JAPANESE_PERSON = re.compile(
    f"([{_HAN}]{{1,4}}|(?<![\u30a1-\u30fc])[\u30a1-\u30fc]{{2,}})(?:さん|氏|様|先生)"
)
_TITLES = (
    "工程师|老师|医生|教授|院长|馆长|校长|主任|经理|住持|先生|女士|记者|作家|画家|市长|总统|主席"
)
_CHINESE_PERSON = re.compile(
    f"(?:{_TITLES})(?:是|叫|名叫)?([{_HAN}]{{2,3}})(?=[，。、在于设的是和与]|$)"
)
_CHINESE_GRAMMAR = frozenset(
    "的了是在和与及或有由从到被把对于为之其这那他她它们个也都就不没很已还要会能"
)
# Small words that "scripts" leaves out, because they are English words, too.
_SMALL_AS_WELL = frozenset("die in an so was war am a on me i".split())
_MOST_HAN = 6
_THAI = re.compile("[\u0e01-\u0e4e]+")
_FEWEST_THAI, _MOST_THAI = 4, 20
_SIGN = re.compile("[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e]")  # these begin no Thai word
_KOREAN_PARTICLE = re.compile(
    "(?<=[가-힣]{2})(?:에서는|에서|으로|까지|부터|은|는|이|가|을|를|에|의|로|와|과|도)\\Z"
)
_LONGEST = 20_000  # characters in which repeated runs are counted
_CASELESS = frozenset(("ko", "ar", "he", "hi", "th"))


def read_other(text: str, language: str) -> Reading:
    """Return the names and nouns of a text in ``language``, a code of ``scripts.language_of``."""
    names: dict[Span, str] = {}
    for quoted in _QUOTED.finditer(text):
        if _is_name(quoted[1]):
            names[quoted.span(1)] = "MISC"
    nouns: list[Span] = []
    if language in ("ja", "zh"):
        _read_han(text, language, names, nouns)
    elif language == "th":
        nouns += _repeated_runs(text[:_LONGEST], _THAI, (_FEWEST_THAI, _MOST_THAI))
    elif language in _CASELESS:
        nouns += _repeated_words(text, language)
    else:
        _read_capitals(text, language, names, nouns)
    kept = _apart(names)
    taken = [span for span, _ in kept]
    free = [span for span in sorted(set(nouns)) if not any(_meet(span, name) for name in taken)]
    return Reading(
        tuple(Named(start, end, label) for (start, end), label in kept),
        tuple(Noun(start, text[start:end], "") for start, end in _apart_spans(free)),
    )


def _is_name(words: str) -> bool:
    return len(words.split()) <= MAX_NAME_WORDS and words[-1:] not in "。！？.!?"


def _read_capitals(text: str, language: str, names: dict[Span, str], nouns: list[Span]) -> None:
    """Find the runs of capitalised words of each sentence."""
    small = SMALL_WORDS.get(language, frozenset()) | _SMALL_AS_WELL
    for first, last in sentences(text):
        for start, end in _capitalised(text, first, last):
            words = [m.span() for m in _PIECE.finditer(text, start, end)]
            while words and text[slice(*words[0])].casefold() in small:
                del words[0]
            if not words or len(words) > MAX_NAME_WORDS:
                continue
            span = words[0][0], words[-1][1]
            if len(words) > 1:
                names[span] = "MISC"
            elif language == "de":
                nouns.append(span)
            elif span[0] > first:  # every sentence begins with a capital
                names[span] = "MISC"


def _capitalised(text: str, first: int, last: int) -> Iterator[Span]:
    """Yield the spans of runs of words that begin with capitals, with links between them."""
    for run in _RUN.finditer(text, first, last):
        begin: int | None = None
        end = run.start()
        for word in _PIECE.finditer(text, run.start(), run.end()):
            elided = _ELISION.match(word[0])
            start = word.start() + (elided.end() if elided else 0)
            if text[start : start + 1].isupper():
                begin = start if begin is None or elided else begin
                end = word.end()
            elif begin is not None and not re.fullmatch(_LINK, word[0]):
                yield begin, end
                begin = None
        if begin is not None:
            yield begin, end


def _read_han(text: str, language: str, names: dict[Span, str], nouns: list[Span]) -> None:
    person = _JAPANESE_PERSON if language == "ja" else _CHINESE_PERSON
    for found in person.finditer(text):
        names[found.span(1)] = "PERSON"
    for found in _KATAKANA.finditer(text):
        names.setdefault(found.span(), "MISC")
    if language == "ja":
        nouns += [found.span() for found in _KANJI.finditer(text)]
    else:
        nouns += _repeated_runs(text[:_LONGEST], _HAN_RUN, (2, _MOST_HAN))


def _repeated_runs(text: str, runs: re.Pattern[str], sizes: tuple[int, int]) -> list[Span]:
    """Return where the runs of characters are that a Chinese or Thai text repeats.

    ``sizes`` are the fewest and the most characters. Of runs inside each other that occur equally
    often, the longest counts.
    """
    fewest, most = sizes
    spans: dict[str, list[int]] = {}
    for run in runs.finditer(text):
        for start in range(run.start(), run.end() - fewest + 1):
            if text[start] in _CHINESE_GRAMMAR or _SIGN.match(text[start]):
                continue
            for end in range(start + fewest, min(start + most, run.end()) + 1):
                if text[end - 1] in _CHINESE_GRAMMAR:
                    break
                if end == len(text) or not _SIGN.match(text[end]):
                    spans.setdefault(text[start:end], []).append(start)
    found = {run: starts for run, starts in spans.items() if len(starts) > 1}
    longer: Counter[str] = Counter()
    for repeated, starts in found.items():
        # Signs above letters count with these, so a run may be longer by up to three characters.
        for less in range(1, 4):
            for inner in (repeated[less:], repeated[:-less]):
                longer[inner] = max(longer[inner], len(starts))
    return [
        (start, start + len(repeated))
        for repeated, starts in found.items()
        if longer[repeated] < len(starts)
        for start in starts
    ]


def _repeated_words(text: str, language: str) -> list[Span]:
    """Return where the words of three or more letters are that a text repeats.

    Of Korean words the particle at the end is left off, and two syllables are a word.
    """
    particle = _KOREAN_PARTICLE if language == "ko" else None
    spans = []
    for found in _PIECE.finditer(text):
        ending = particle.search(found[0]) if particle else None
        spans.append((found.start(), found.start() + ending.start() if ending else found.end()))
    fewest = 2 if particle else 3
    counts = Counter(same_letters(text[start:end]) for start, end in spans)
    return [
        (start, end)
        for start, end in spans
        if end - start >= fewest and counts[same_letters(text[start:end])] > 1
    ]


def _apart(names: dict[Span, str]) -> list[tuple[Span, str]]:
    """Return the names in order; of names that overlap, the longest."""
    kept = set(_apart_spans(names))
    return [(span, names[span]) for span in sorted(kept)]


def _apart_spans(spans: dict[Span, str] | list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or kept[-1][1] <= span[0]:
            kept.append(span)
        elif span[1] - span[0] > kept[-1][1] - kept[-1][0]:
            kept[-1] = span
    return kept


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
