"""The built-in English pipeline in NumPy: names and nouns of a text, without importing spaCy.

Importing spaCy and loading the pipeline takes 1.5 s; reading the same files here takes 0.1 s, and
the analysis is faster too. The pipeline consists of hash embeddings (Miranda et al. 2022,
"Multi hash embeddings in spaCy", https://arxiv.org/abs/2212.09255) with word vectors, four
residual maxout layers over windows of three words, a linear tagger, a sentence marker, and a
greedy transition parser for names (Lample et al. 2016, https://arxiv.org/abs/1603.01360, as in
spaCy's BILUO scheme). Tests compare every decision with spaCy's own.

Shapes: T words of a text, U distinct words, d = 96 hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.cpu import one_blas_thread
from ragcli.models.light_english import msgpack
from ragcli.models.light_english.lemmas import Lemmas
from ragcli.models.light_english.lexicon import Lexicon
from ragcli.models.light_english.names import NameParser
from ragcli.models.light_english.tok2vec import Tok2Vec, parameters
from ragcli.models.light_english.tokenizer import Tokenizer, Word
from ragcli.models.light_english.word_table import WordTable
from ragcli.models.pipeline_output import Named, Noun, Reading

Floats = NDArray[np.float32]

_NOUN_TAGS = ("NOUN", "PROPN")


class LightEnglish:
    """Analyses texts like ``spacy.load(folder)``, but only as far as extraction needs it."""

    def __init__(self, folder: Path) -> None:
        """Load the pipeline in ``folder`` in about 0.1 s. Raises ModelError when it is damaged."""
        try:
            self._load(folder)
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            raise ModelError(
                f"the English pipeline {folder} cannot be loaded: {reason}",
                "install ragcli again, or give another pipeline with --spacy",
            ) from error

    def _load(self, folder: Path) -> None:
        def read(name: str) -> Any:
            return msgpack.unpack((folder / name).read_bytes())

        self._tokenize = Tokenizer(read("tokenizer"))
        self._lexicon = Lexicon(folder)
        shared, names = read("tok2vec/model"), read("ner/model")
        vectors = np.load(folder / "vocab" / "vectors", mmap_mode="r")
        self._shared = Tok2Vec(shared, vectors)
        self._names = Tok2Vec(names, vectors)
        self._table = WordTable(self._lexicon, (self._shared, self._names))
        self._parse = NameParser(names, read("ner/moves"))
        self._tags, self._starts = (
            parameters(read(f"{part}/model"), "softmax")[0] for part in ("morphologizer", "senter")
        )
        settings = orjson.loads((folder / "morphologizer" / "cfg").read_bytes())
        labels = [
            dict(f.split("=") for f in label.split("|")) for label in settings["labels_morph"]
        ]
        self._labels = labels
        self._is_noun = np.array([label.get("POS") in _NOUN_TAGS for label in labels])
        self._lemma = Lemmas(read("lemmatizer/lookups/lookups.bin"), self._lexicon.key)

    def __call__(self, text: str) -> Reading:
        """Return names, and the nouns outside them, in order of offset."""
        words = self._tokenize(text)
        if not words:
            return Reading((), ())
        with one_blas_thread():
            tags, spans = self._decide(words)
        taken = {at for start, end, _ in spans for at in range(start, end)}
        names = (
            Named(words[start].start, words[end - 1].start + len(words[end - 1].text), label)
            for start, end, label in spans
        )
        nouns = (
            self._noun(words[at], tags[at])
            for at in np.flatnonzero(self._is_noun[tags]).tolist()
            if at not in taken
        )
        return Reading(tuple(names), tuple(nouns))

    def _noun(self, word: Word, tag: int) -> Noun:
        return Noun(word.start, word.text, self._lemma(word.text, self._labels[tag]))

    def _decide(self, words: Sequence[Word]) -> tuple[NDArray[np.intp], list[tuple[int, int, str]]]:
        """Return the tag of each word (T,), and names as (first word, end, label)."""
        for_tags, for_names = self._table(words)
        shared = self._shared(for_tags)
        tags = linear(shared, self._tags).argmax(axis=1)
        starts = linear(shared, self._starts).argmax(axis=1) == 1
        blank = np.fromiter((w.text.isspace() for w in words), bool, len(words))
        return tags, self._parse(self._names(for_names), starts, blank)


def linear(rows: Floats, layer: dict[str, Floats]) -> Floats:
    """Apply a linear layer: (T, d) -> (T, classes)."""
    scores: Floats = rows @ layer["W"].T + layer["b"]
    return scores
