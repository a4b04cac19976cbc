"""Answers to questions in other languages than English: sentences chosen by words and vectors.

The reader was trained on English, and so was what judges whether passages tell what was asked. For
other languages a question is answered if the sentences around the best one hold enough of its
words (figures: docs/adr/other-languages.md). The reader's short answer is kept where it reads the
script and means the same sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragcli.answer.candidates import Sentence, all_candidates
from ragcli.answer.choose import TUNING, choose
from ragcli.answer.models import AnswerModels
from ragcli.answer.short import FoundAnswer, find
from ragcli.answer.view import View
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.scripts import LATIN, language_of
from ragcli.types import Context

if TYPE_CHECKING:
    from ragcli.text.asked_words import AskedWords

LEAST_SPACED = 0.65
LEAST_UNSPACED = 0.75
"""The share of a question's words that must be around one sentence, else nothing is answered;
for scripts with spaces and without. At most 5 % of the questions whose answer was retrieved."""

AROUND = 2
"""Sentences before and after one that are read with it."""

ENGLISH_EMBEDDER = 0.2
"""What similarity counts if the embedder was trained on English."""

SURE = 0.25
"""The least confidence of a short answer in another language."""

CHOOSING = replace(TUNING, words=1.0, most=3)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What a context holds of a question in another language.

    ``chosen`` are the sentences to show, the best first; ``held`` is the share of the question that
    is around it (0 to 1) and ``unheld`` are the words that are nowhere.
    """

    view: View
    chosen: tuple[Sentence, ...]
    held: float
    least: float
    unheld: tuple[str, ...]
    found: FoundAnswer | None


def spoken(asked: AskedQuestion, context: Context) -> str:
    """Return the language of a question; that of the best passage if it has no small word at all.

    "Leuchtturm Rauhfels Höhe" is no English question if a German passage was found for it.
    """
    if asked.language == "en" and context.parts and not asked.in_english_words:
        return language_of(context.parts[0].text)
    return asked.language


def languages_of(context: Context) -> list[str]:
    """Return the languages of the passages, those of most passages first."""
    found = [language_of(part.text) for part in (*context.parts, *context.behind)]
    return sorted(set(found), key=lambda language: (-found.count(language), language))


def look_elsewhere(
    asked: AskedQuestion, context: Context, models: AnswerModels, language: str
) -> Elsewhere | None:
    """Compare a question in ``language`` with the sentences of a context; None if either is empty.

    The encoder gets the question and the most promising sentences.
    """
    words = asked.words_in(language)
    found = all_candidates(context)
    if not words.words or not found:
        return None
    own = _held(words, [sentence.text for sentence in found])
    around = _held(words, _windows(found))
    share = _weights(words, around, [sentence.part.n for sentence in found])
    promising = (own + around) @ share
    kept = sorted(np.argsort(-promising, kind="stable")[: TUNING.pool].tolist())
    view = _view(asked, [found[i] for i in kept], own[kept] * share, models)
    first = int((promising[kept] + view.similarity).argmax())
    chosen = [view.sentences[i] for i in choose(view, CHOOSING, first)]
    return Elsewhere(
        view,
        tuple(chosen),
        held=float(around[kept[first]] @ share),
        least=LEAST_SPACED if words.spaced else LEAST_UNSPACED,
        unheld=tuple(
            word for word, most in zip(words.written, around.max(axis=0), strict=True) if most < 0.5
        ),
        found=_short(asked, context, view, models, chosen[0]) if language in LATIN else None,
    )


def _short(
    asked: AskedQuestion, context: Context, view: View, models: AnswerModels, best: Sentence
) -> FoundAnswer | None:
    """The reader's answer, if it is in the sentence that words and vectors choose, too."""
    found = find(asked, context, view, models.reader) if models.reader else None
    if found is None or found.confidence < max(SURE, models.min_confidence):
        return None
    places = [(sentence.part.n, sentence.start) for sentence in found.sentences]
    return found if places == [(best.part.n, best.start)] and not found.candidate.said else None


def _held(words: AskedWords, texts: Sequence[str]) -> Floats:
    return np.array([words.held_by(text) for text in texts]).reshape(len(texts), len(words.words))


def _windows(found: Sequence[Sentence]) -> list[str]:
    """The text around each sentence, with its title and its lead."""
    windows = []
    for at, sentence in enumerate(found):
        near = found[max(0, at - AROUND) : at + AROUND + 1]
        texts = [other.text for other in near if other.part is sentence.part]
        windows.append(" ".join([sentence.part.title, sentence.lead, *texts]))
    return windows


def _weights(words: AskedWords, around: Floats, parts: Sequence[int]) -> Floats:
    """What each word counts, in sum 1: in scripts with spaces more if few passages hold it."""
    weights = np.array(words.weights)
    if words.spaced:
        rows = np.array(parts)
        passages = np.array([around[rows == n].max(axis=0) for n in dict.fromkeys(parts)])
        weights = weights * np.log1p(len(passages) / (0.5 + passages.sum(axis=0)))
    return np.asarray(weights / weights.sum(), np.float64)


def _view(
    asked: AskedQuestion, sentences: Sequence[Sentence], covers: Floats, models: AnswerModels
) -> View:
    said = [f"{sentence.asked} {sentence.text}".strip() for sentence in sentences]
    vector = models.encode([asked.text])[0]
    rows = (models.encode_passages or models.encode)(said)
    none = np.zeros((len(sentences), len(sentences)), dtype=np.bool_)
    return View(
        sentences=tuple(sentences),
        similarity=(rows @ vector) * (1 if models.multilingual else np.float32(ENGLISH_EMBEDDER)),
        between=rows @ rows.T,
        covers=covers.astype(np.float32),
        titles=none,
        names=none,
        named=0.5,
        marked=np.zeros(len(sentences), np.float32),
    )
