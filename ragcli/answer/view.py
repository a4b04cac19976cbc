"""The question and the sentences that may answer it, compared in numbers.

Everything that needs the text or the encoder happens here; choosing (``choose``) is then arithmetic
on small arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragcli.answer.candidates import Sentence, all_candidates
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.identifiers import holds
from ragcli.text.words import content_words, plain
from ragcli.types import Context

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
ITSELF = 0.5
"""What an identifier in the sentence itself counts more than one in its path, title or lead."""

Encode = Callable[[list[str]], Floats]
"""Maps m texts to (m, dim) unit rows."""


@dataclass(frozen=True, slots=True)
class View:
    """The question compared with ``n`` sentences: all that choosing needs.

    ``similarity``: (n,) cosine to the question. ``between``: (n, n) cosine of sentences.
    ``covers``: (n, q) share of the question that word q is, where sentence n or its title and
    lead hold it, else 0; a row sums to the sentence's coverage. ``titles``, ``names``: (n, n)
    bool, sentence i leads to sentence j of another part by j's title, or by a shared name that
    is not in the question. ``named``: share of the question's names that the sentences, their
    titles or leads hold; a half when it has none. ``marked``: (n,) share of the question's
    identifiers that each sentence, its path, title or lead holds; one in the sentence itself counts
    more. ``missing``: the question's names and identifiers, as written there, with a word that
    occurs in no passage and no title; ``missed``: their share.
    """

    sentences: tuple[Sentence, ...]
    similarity: Floats
    between: Floats
    covers: Floats
    titles: Bools
    names: Bools
    named: float
    marked: Floats
    missing: tuple[str, ...] = ()
    missed: float = 0.0


def look(
    asked: AskedQuestion,
    context: Context,
    *,
    encode: Encode,
    entities: Sequence[str],
    pool: int,
    encode_passages: Encode | None = None,
) -> View:
    """Take the ``pool`` most promising sentences and compute everything they are judged by.

    ``encode`` takes most of the time, so it gets only the question and those sentences; these go
    to ``encode_passages`` if it is given.
    """
    found = all_candidates(context)
    marks = asked.identifiers
    covers = _covers(_asked_words(asked, entities), marks, found)
    kept = _pool(found, covers, pool)
    sentences = tuple(found[index] for index in kept)
    said = [f"{s.asked} {s.text}".strip() for s in sentences]
    if encode_passages is None:
        rows = encode([asked.text, *said])
    else:
        rows = np.concatenate([encode([asked.text]), encode_passages(said)])
    titles, shared = _bridges(asked, sentences)
    missing, missed = missing_names(asked, context)
    return View(
        sentences=sentences,
        similarity=rows[1:] @ rows[0],
        between=rows[1:] @ rows[1:].T,
        covers=covers[kept],
        titles=titles,
        names=shared,
        marked=_marked(marks, sentences),
        named=_named([*asked.names, *entities], sentences),
        missing=missing,
        missed=missed,
    )


def missing_names(asked: AskedQuestion, context: Context) -> tuple[tuple[str, ...], float]:
    """Return the question's names that the context does not mention, and their share (0 to 1).

    A name counts as missing only if one of its words never occurs; its words may occur apart
    ("Corvane" in one passage, "Hydro" in another). An identifier must occur whole.
    """
    marks = asked.named_identifiers
    sought = [name for name in asked.names if content_words(name)]
    if not sought and not marks:
        return (), 0.0
    parts = (*context.parts, *context.behind)
    read = " ".join(f"{part.title} {part.text}" for part in parts)
    said = set(content_words(read))
    missing = [name for name in sought if not said.issuperset(content_words(name))]
    if marks:
        paths = " ".join(part.doc for part in parts)
        headings = " ".join(path for part in parts for _, path in part.headings)
        whole = f"{paths}\n{read}\n{headings}"
        missing += [mark for mark in marks if not holds(whole, mark)]
    return tuple(missing), len(missing) / (len(sought) + len(marks))


def _asked_words(asked: AskedQuestion, entities: Sequence[str]) -> list[str]:
    """Return the question's content words, without the numbers of its identifiers."""
    inside = asked.numbers_in_identifiers
    said = (*asked.words, *content_words(" ".join(entities)))
    return list(dict.fromkeys(word for word in said if word not in inside and "_" not in word))


def _covers(words: list[str], marks: Sequence[str], sentences: Sequence[Sentence]) -> Floats:
    """Return the (n, q) shares of the question that each sentence's words cover.

    A word counts by its idf among the sentences: a word that occurs in all of them counts little.
    The last columns are ``marks``: identifiers, which the path may hold as well.
    """
    holds = np.array(
        [[w in s.about for w in words] + _held(marks, s, around=True) for s in sentences],
        dtype=np.float32,
    ).reshape(len(sentences), len(words) + len(marks))
    inside = np.array(
        [[w in s.words for w in words] + _held(marks, s, around=False) for s in sentences],
        dtype=np.float32,
    )
    frequency = inside.reshape(holds.shape).sum(axis=0)
    idf = np.log1p(len(sentences) / (1 + frequency))
    return np.asarray(holds * idf / max(float(idf.sum()), 1e-9), dtype=np.float32)


def _held(marks: Sequence[str], sentence: Sentence, *, around: bool) -> list[bool]:
    """Tell which identifiers a sentence holds; ``around``: or its path, title or lead."""
    if not marks:
        return []
    above = f"{sentence.part.doc}\n{sentence.part.title}\n{sentence.lead}\n" if around else ""
    return [holds(f"{above}{sentence.text}", mark) for mark in marks]


def _marked(marks: Sequence[str], sentences: Sequence[Sentence]) -> Floats:
    """Return the (n,) shares of identifiers held, more for those in the sentence itself."""
    held = [
        sum(_held(marks, sentence, around=True))
        + ITSELF * sum(_held(marks, sentence, around=False))
        for sentence in sentences
    ]
    return np.asarray(np.array(held) / max(1, len(marks)), dtype=np.float32)


def _pool(sentences: Sequence[Sentence], covers: Floats, size: int) -> list[int]:
    """Return the indices of the ``size`` sentences worth embedding, in the context's order.

    Three in four are taken by coverage, the rest are first sentences of passages: a passage that
    only a bridge leads to shares no word with the question, and its first sentence says what it is
    about.
    """
    if len(sentences) <= size:
        return list(range(len(sentences)))
    coverage = covers.sum(axis=1)
    ranked = sorted(range(len(sentences)), key=lambda i: (-coverage[i], i))
    heads = sorted(range(len(sentences)), key=lambda i: (sentences[i].order, i))
    taken = dict.fromkeys(ranked[: size * 3 // 4])
    for index in [*heads, *ranked]:
        if len(taken) == size:
            break
        taken.setdefault(index)
    return sorted(taken)


def _named(wanted: Sequence[str], sentences: Sequence[Sentence]) -> float:
    """Return the share of the names that occur in the sentences, a half if there are no names."""
    sought = {name for name in map(plain, wanted) if name.strip()}
    if not sought:
        return 0.5
    texts = [plain(f"{s.part.title} . {s.lead} . {s.text}") for s in sentences]
    return sum(any(name in text for text in texts) for name in sought) / len(sought)


def _bridges(asked: AskedQuestion, sentences: Sequence[Sentence]) -> tuple[Bools, Bools]:
    """Return the (n, n) bridges by title and by name between sentences of different parts."""
    texts = [plain(sentence.text) for sentence in sentences]
    titles = [plain(re.sub(r"\([^()]*\)", "", sentence.part.title)) for sentence in sentences]
    by_title = np.zeros((len(sentences), len(sentences)), dtype=np.bool_)
    by_name = by_title.copy()
    for i, one in enumerate(sentences):
        fresh = [name for name in one.names if name not in asked.plain and name.strip()]
        for j, other in enumerate(sentences):
            if one.part.n != other.part.n:
                by_title[i, j] = bool(titles[j].strip()) and titles[j] in texts[i]
                by_name[i, j] = any(name in texts[j] for name in fresh)
    return by_title, by_name
