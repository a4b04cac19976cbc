"""Passages made from real ones, as many as wanted: names exchanged, vectors moved as much as that.

``Bases`` are real pieces of text (Wikipedia passages of ``qa-training``, novels, long texts of
``ultradomain-mix``; without RAGCLI_DATA the sample corpus), each with the mentions that the
English pipeline finds and the vector that the embedder gives. ``Maker.document(n)`` takes a few of
them and exchanges every name for another of its kind, so that

- names collide: half of the new names are names of the sources, the common ones more often (also
  those that the hidden questions ask about), half are the beginning of one and the end of another;
- a document depends on its number alone.

No model reads a made passage. Its mentions are those of its base at their new places, names only.
Its vector is the base's plus a difference of two other bases, so that it spreads in the directions
in which real vectors spread, as far from the base as the embedder puts a passage with exchanged
names (``moved``: the mean cosine, measured on some hundred).
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random

import numpy as np
import orjson
from measure import ROOT
from numpy.typing import NDArray
from pool import HIDDEN, OTHERS, RELATED, examples, folded, read, shuffled

from ragcli.config import Settings
from ragcli.extract.pool import ExtractorPool
from ragcli.models.model_set import ModelSet
from ragcli.text.embedded_text import embedded_text

WORDS = 60
MEASURED = 256
"""Passages with exchanged names that the embedder reads, to learn how far they move."""
FAMILIAR = 0.5
"""The share of new names that are names of the sources."""
MOST_PASSAGES = 6
_SPACE = re.compile(r"\s+")

Named = list[tuple[int, int, str, int]]
"""Mentions of names: start, end, label, sentence."""


@dataclass(frozen=True)
class Bases:
    """Titles, texts and mentions of real pieces, and their unit vectors (n, dim).

    ``moved`` is the mean cosine of a piece and itself with names exchanged.
    """

    titles: list[str]
    texts: list[str]
    mentions: list[Named]
    vectors: NDArray[np.float32]
    familiar: dict[str, Counter[str]]
    moved: float


@dataclass(frozen=True)
class Made:
    """A made document: passages at ``spans`` of its text, mentions, vectors (passages, dim)."""

    id: str
    title: str
    text: str
    spans: list[tuple[int, int]]
    mentions: Named
    vectors: NDArray[np.float16]


def sources(count: int) -> list[tuple[str, str]]:
    """Titles and texts of about ``count`` pieces: half Wikipedia, half novels and long texts."""
    root = os.environ.get("RAGCLI_DATA")
    if not root:
        files = sorted((ROOT / "sample_corpus").rglob("*.md"))
        files += sorted((ROOT / "sample_corpus").rglob("*.txt"))
        return _cut((path.stem, path.read_text(encoding="utf-8")) for path in files)[:count]
    hidden = {
        folded(record["title"])
        for name in HIDDEN
        for record in read(Path(root) / name / "corpus.jsonl")
    }
    wiki = {
        (context["title"].split(" — ")[0], context["text"])
        for source in (*RELATED, *OTHERS)
        for example in examples(Path(root) / "qa-training", source)
        for context in example["contexts"]
        if context["title"] and len(context["text"]) >= 200
    }
    short = [(t, x) for t, x in shuffled(wiki) if folded(t) not in hidden][: count // 2]
    long = _cut(
        ("", path.read_text(encoding="utf-8", errors="replace"))
        for folder in ("novels", "ultradomain-mix")
        for path in sorted((Path(root) / folder).glob("*.txt"))
    )
    pieces = [(title, " ".join(text.split()[:WORDS])) for title, text in short]
    return [*pieces, *shuffled(long)[: count - len(pieces)]]


def _cut(texts: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for title, text in texts:
        said = text.split()
        for at in range(0, len(said) - WORDS // 2, WORDS):
            found[title, " ".join(said[at : at + WORDS])] = None
    return list(found)


def load(folder: Path, count: int) -> Bases:
    """The bases, read from ``folder`` or made there once, which takes minutes for thousands."""
    told = folder / f"bases-{count}.json"
    vectors = folder / f"bases-{count}.npy"
    if not told.exists():
        folder.mkdir(parents=True, exist_ok=True)
        models = ModelSet(Settings())
        pieces = sources(count)
        mentions = _read(models, [text for _, text in pieces])
        known = _embedded(models, pieces)
        familiar = _familiar(pieces, mentions, models)
        titles, texts = (list(x) for x in zip(*pieces, strict=True))
        draft = Bases(titles, texts, mentions, known.astype(np.float32), familiar, 1.0)
        moved = _moved(models, draft)
        np.save(vectors, known)
        told.write_bytes(orjson.dumps([titles, texts, mentions, familiar, moved]))
    titles, texts, mentions, familiar, moved = json.loads(told.read_bytes())
    counted = {label: Counter(names) for label, names in familiar.items()}
    return Bases(titles, texts, mentions, np.load(vectors).astype(np.float32), counted, moved)


def _read(models: ModelSet, texts: Sequence[str]) -> list[Named]:
    """The names in texts, without those that overlap an earlier one."""
    with ExtractorPool(str(models.spacy_path), 1) as pool:
        found = []
        for packed in pool.submit(texts)():
            names: Named = []
            for start, end, label, _, sentence in sorted(orjson.loads(packed)[1]):
                if label and (not names or start >= names[-1][1]):
                    names.append((start, end, label, sentence))
            found.append(names)
        return found


def _embedded(models: ModelSet, pieces: Sequence[tuple[str, str]]) -> NDArray[np.float16]:
    return models.embed([embedded_text(title, "", text) for title, text in pieces])


def _familiar(
    pieces: Sequence[tuple[str, str]], mentions: Sequence[Named], models: ModelSet
) -> dict[str, Counter[str]]:
    """The names of the pieces and of the hidden passages by label, with counts."""
    found: dict[str, Counter[str]] = {}
    texts = [text for _, text in pieces]
    if root := os.environ.get("RAGCLI_DATA"):
        more = [r["text"] for name in HIDDEN for r in read(Path(root) / name / "corpus.jsonl")]
        texts, mentions = [*texts, *more], [*mentions, *_read(models, more)]
    for text, names in zip(texts, mentions, strict=True):
        for start, end, label, _ in names:
            found.setdefault(label, Counter())[_SPACE.sub(" ", text[start:end])] += 1
    return found


def _moved(models: ModelSet, bases: Bases) -> float:
    """The mean cosine of pieces and themselves with names exchanged."""
    names = Names(bases.familiar)
    chosen = range(0, len(bases.texts), max(1, len(bases.texts) // MEASURED))
    exchanged = []
    for at in chosen:
        random, known = Random(at), dict[str, str]()
        title = names.title(bases.titles[at], known, random)
        text, _ = exchange(bases.texts[at], bases.mentions[at], names, known, random)
        exchanged.append((title, text))
    after = _embedded(models, exchanged).astype(np.float32)
    return float(np.mean(np.sum(after * bases.vectors[list(chosen)], axis=1)))


class Names:
    """Draws new names: familiar ones by the root of how common they are, or made ones."""

    def __init__(self, familiar: dict[str, Counter[str]]) -> None:
        self._names = {label: sorted(names) for label, names in familiar.items()}
        self._ends = {
            label: list(accumulate(familiar[label][name] ** 0.5 for name in names))
            for label, names in self._names.items()
        }

    def new(self, label: str, random: Random) -> str:
        """A name of a kind."""
        if random.random() < FAMILIAR:
            return self._drawn(label, random)
        first, last = self._drawn(label, random).split(" "), self._drawn(label, random).split(" ")
        return " ".join([*first[: max(1, len(first) // 2)], last[-1]])

    def _drawn(self, label: str, random: Random) -> str:
        ends = self._ends[label]
        return self._names[label][bisect(ends, random.random() * ends[-1]) % len(ends)]

    def title(self, title: str, known: dict[str, str], random: Random) -> str:
        """A title that no other document is likely to have; the text names it likewise."""
        if not title:
            return ""
        label = "PERSON" if "PERSON" in self._names else next(iter(self._names))
        known[title] = f"{self._drawn(label, random)} {self._drawn(label, random).split(' ')[-1]}"
        return known[title]


def exchange(
    text: str, mentions: Named, names: Names, known: dict[str, str], random: Random
) -> tuple[str, Named]:
    """A text with other names, and where they stand; ``known``: what has been exchanged so far."""
    parts, moved, at, length = [], [], 0, 0
    for start, end, label, sentence in mentions:
        name = text[start:end]
        if name not in known:
            known[name] = names.new(label, random)
        parts += [text[at:start], known[name]]
        length += start - at
        moved.append((length, length + len(known[name]), label, sentence))
        length += len(known[name])
        at = end
    return "".join([*parts, text[at:]]), moved


class Maker:
    """Makes documents from bases."""

    def __init__(self, bases: Bases) -> None:
        self._bases = bases
        self._names = Names(bases.familiar)
        # |v + s * d| with d orthogonal to v and of length r: the cosine is 1 / sqrt(1 + (s r)^2).
        self._step = float(np.sqrt(1 / bases.moved**2 - 1)) if bases.moved < 1 else 0.0

    def document(self, number: int) -> Made:
        """The document of a number: one to six passages, of a folder of a thousand documents."""
        random, chosen = self._chosen(number)
        known: dict[str, str] = {}
        title = self._names.title(self._bases.titles[chosen[0]], known, random)
        texts: list[str] = []
        spans, mentions, at, sentence = [], Named(), 0, 0
        for base in chosen:
            text, found = exchange(
                self._bases.texts[base], self._bases.mentions[base], self._names, known, random
            )
            mentions += [(at + a, at + b, label, sentence + s) for a, b, label, s in found]
            sentence = mentions[-1][3] + 1 if mentions else 0
            texts.append(text)
            spans.append((at, at + len(text)))
            at += len(text) + 2
        name = f"made/{number // 1000:04}/{number:07}.txt"
        return Made(name, title, "\n\n".join(texts), spans, mentions, self.vectors(number))

    def _chosen(self, number: int) -> tuple[Random, list[int]]:
        random = Random(number)
        count = random.randint(1, MOST_PASSAGES)
        return random, random.choices(range(len(self._bases.texts)), k=count)

    def vectors(self, number: int) -> NDArray[np.float16]:
        """The vectors of the passages of a document, shape (passages, dim)."""
        _, chosen = self._chosen(number)
        rng = np.random.default_rng(number % 2**32)
        known = self._bases.vectors
        base = known[chosen]
        a, b = rng.integers(len(known), size=(2, len(chosen)))
        way = known[a] - known[b]
        way -= np.sum(way * base, axis=1, keepdims=True) * base
        way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-6)
        # Not all by the same angle: the measured cosines spread about as much as this.
        made = base + self._step * rng.uniform(0.6, 1.4, (len(chosen), 1)).astype(np.float32) * way
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return np.asarray(made, dtype=np.float16)
