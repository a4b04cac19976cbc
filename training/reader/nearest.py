"""The passages of a source that a search would bring for a question: BM25 over all of them.

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", with every
word counted once a passage.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from training.reader.data import Passage, words

K1, B = 1.2, 0.75


class Nearest:
    """An index over passages, held in memory: a sparse matrix of words and passages."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = list(passages)
        self._column: dict[str, int] = {}
        texts = [sorted(words(f"{p.title} {p.text}")) for p in self.passages]
        rows = np.repeat(np.arange(len(texts)), [len(t) for t in texts])
        columns = np.array(
            [self._column.setdefault(word, len(self._column)) for text in texts for word in text],
            np.int64,
        )
        count = np.bincount(columns, minlength=len(self._column))
        rarity = np.log(1 + (len(texts) - count + 0.5) / (count + 0.5))
        lengths = np.array([len(t) for t in texts], np.float64)
        damp = 1 + K1 * (1 - B + B * lengths / max(1.0, lengths.mean()))
        values = (rarity[columns] * (1 + K1) / damp[rows]).astype(np.float32)
        shape = (len(self._column), len(texts))
        self._table = sparse.csr_matrix((values, (columns, rows)), shape=shape)

    def __call__(self, question: str, count: int) -> list[Passage]:
        """The ``count`` passages with the highest scores, best first."""
        known = [self._column[word] for word in words(question) if word in self._column]
        if not known:
            return []
        scores = np.asarray(self._table[sorted(known)].sum(axis=0)).ravel()
        best = np.argsort(-scores, kind="stable")[:count]
        return [self.passages[i] for i in best.tolist() if scores[i] > 0]
