"""Scores of an answer's text against gold texts; all are between 0 and 1."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_MARKS = re.compile(r"(?:(?<!\s)\s+)?\[\d++(?:\s*+,\s*+\d++)*\s*+\]")
_WORD = re.compile(r"\w+")
_ROW = 8
# "B", "B.", "(b) because", "Answer: B)", but neither "A dog" nor "e.g. this".
_LETTER = re.compile(
    r"\s*+(?i:(?:the\s+)?(?:correct\s+)?answer(?:\s+is)?\s*+)?(?::\s*+)?"
    r"(?:\(([A-Za-z])\)|([A-Z])(?:[).:]|\s*$))"
)


def without_marks(text: str) -> str:
    """Remove citation marks, which gold answers do not contain.

    >>> without_marks("He was born in Tupelo [1][2, 3].")
    'He was born in Tupelo.'
    """
    return _MARKS.sub("", text)


def squad_normalise(text: str) -> str:
    """Lower-case, remove ASCII punctuation and English articles, normalise white space.

    The order is that of SQuAD's evaluate-v1.1.py (Rajpurkar et al. 2016).

    >>> squad_normalise("The  Cat's  whiskers, a lot!")
    'cats whiskers lot'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, golds: Sequence[str]) -> float:
    """Return 1.0 if the answer equals any gold answer after SQuAD normalisation, else 0.0."""
    return float(squad_normalise(answer) in map(squad_normalise, golds))


def token_f1(answer: str, golds: Sequence[str]) -> float:
    """Return the best F1 of the answer's and a gold's token bags (SQuAD), 2PR/(P+R).

    Two texts that are both empty after normalisation score 1.0, as in SQuAD 2.0.
    """
    return max(
        (_bag_f1(squad_normalise(answer), squad_normalise(gold)) for gold in golds), default=0.0
    )


def _bag_f1(left: str, right: str) -> float:
    if not left or not right:
        return float(left == right)
    common = (Counter(left.split()) & Counter(right.split())).total()
    return 2 * common / (len(left.split()) + len(right.split()))


def rouge_l(answer: str, golds: Sequence[str]) -> float:
    """Return the best ROUGE-L F1 of the answer and a gold (Lin 2004), without stemming.

    P = LCS / len(answer), R = LCS / len(gold), over words of ``[a-z0-9]``.
    """
    return max((_rouge_l_f1(answer, gold) for gold in golds), default=0.0)


def _rouge_l_f1(answer: str, gold: str) -> float:
    left, right = (re.findall(r"[a-z0-9]+", text.lower()) for text in (answer, gold))
    common = _lcs(left, right)
    return 2 * common / (len(left) + len(right)) if common else 0.0


def _lcs(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, in O(len(left) * len(right))."""
    row = [0] * (len(right) + 1)
    for item in left:
        before = row
        row = [0]
        for place, other in enumerate(right):
            row.append(before[place] + 1 if item == other else max(row[place], before[place + 1]))
    return row[-1]


def chosen(answer: str, choices: Sequence[str]) -> int | None:
    """Return the choice (0-based) that an answer names, or None if it names none or several.

    A leading letter ("B", "(b) ...", "Answer: B.") decides. Otherwise it is the only choice whose
    normalised text the normalised answer contains; a choice inside a longer match does not count.
    """
    lead = _LETTER.match(answer)
    if lead and (place := ord((lead[1] or lead[2]).upper()) - ord("A")) < len(choices):
        return place
    held = [place for place, choice in enumerate(choices) if contains(answer, [choice])]
    longest = [
        place
        for place in held
        if not any(other != place and contains(choices[other], [choices[place]]) for other in held)
    ]
    return longest[0] if len(longest) == 1 else None


def contains(text: str, golds: Iterable[str]) -> bool:
    """Whether any gold answer occurs in the text as whole words, both SQuAD-normalised.

    >>> contains("Founded in 1935.", ["35"]), contains("The Beatles, 1963", ["Beatles"])
    (False, True)
    """
    padded = f" {squad_normalise(text)} "
    return any(words and f" {words} " in padded for words in map(squad_normalise, golds))


def redundancy(texts: Iterable[str]) -> float:
    """Return the share of occurrences of eight words in a row that occurred before.

    Words are lower-cased runs of letters and digits; a row is not of two texts; "before" means in
    this text or an earlier one. 0.0 if no text has eight words. Two equal texts of at least
    eight different words give 0.5.
    """
    seen: set[tuple[str, ...]] = set()
    total = 0
    for text in texts:
        words = _WORD.findall(text.lower())
        for start in range(len(words) - _ROW + 1):
            seen.add(tuple(words[start : start + _ROW]))
            total += 1
    return 1 - len(seen) / total if total else 0.0


def squeeze(text: str) -> str:
    """Replace each run of white space with one space, so that line breaks do not hide a quote."""
    return " ".join(text.split())
