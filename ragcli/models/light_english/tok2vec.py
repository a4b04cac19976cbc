"""Computes vectors of words like thinc: hash embeddings and windows of three words.

Shapes: T words of a text, U distinct words, d = 96, P = 3 pieces of a maxout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.models.light_english.hashes import row_hashes
from ragcli.models.light_english.lexicon import Features

Floats = NDArray[np.float32]
_EPSILON = np.float32(1e-8)

TOGETHER = 8
"""Rows that are multiplied at once where a row's result must not depend on the others. In larger
products the last bits of a row depend on its place, with OpenBLAS on processors without AVX-512."""


def parameters(model: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the parameters of all layers with the name ``kind``, in the model's order."""
    pairs = zip(model["nodes"], model["params"], strict=True)
    return [params for node, params in pairs if node["name"] == kind]


class Maxout:
    """A maxout layer, followed by layer normalisation."""

    def __init__(self, layer: dict[str, Floats], norm: dict[str, Floats]) -> None:
        width, pieces, inputs = layer["W"].shape
        # Stored piece by piece, so that the maximum is taken over three contiguous blocks.
        self._weight = np.ascontiguousarray(layer["W"].transpose(2, 1, 0)).reshape(inputs, -1)
        self._bias = np.ascontiguousarray(layer["b"].T).reshape(-1)
        self._gain, self._shift = norm["G"], norm["b"]
        self._width, self._pieces = width, pieces

    def __call__(self, rows: Floats) -> Floats:
        """(T, inputs) -> (T, d)."""
        return self._best(rows @ self._weight)

    def apart(self, rows: Floats) -> Floats:
        """The same, each row as if it came alone; T is a multiple of ``TOGETHER``."""
        return self._best(_apart(rows, self._weight))

    def _best(self, all_: Floats) -> Floats:
        """The maximum of the pieces, normalised: (T, P d) -> (T, d); overwrites ``all_``."""
        all_ += self._bias
        width = self._width
        best: Floats = np.maximum(all_[:, :width], all_[:, width : 2 * width])
        for piece in range(2, self._pieces):
            np.maximum(best, all_[:, piece * width : (piece + 1) * width], out=best)
        best -= best.mean(axis=1, keepdims=True)
        best /= np.sqrt(np.square(best).mean(axis=1, keepdims=True) + _EPSILON)
        best *= self._gain
        best += self._shift
        return best


class Tok2Vec:
    """Computes one vector for each word, which depends on the four words on either side."""

    def __init__(self, model: dict[str, Any], vectors: Floats) -> None:
        """``model``: content of a component's file; ``vectors``: the pipeline's word vectors."""
        attrs = [a["seed"][0] for a in model["attrs"] if "seed" in a]
        tables = [layer["E"] for layer in parameters(model, "hashembed")]
        self._embeddings: Sequence[tuple[int, Floats]] = list(zip(attrs, tables, strict=True))
        self._static = parameters(model, "static_vectors")[0]["W"]
        self._vectors = vectors
        layers = zip(parameters(model, "maxout"), parameters(model, "layernorm"), strict=True)
        self._mixer, *self._encoder = [Maxout(layer, norm) for layer, norm in layers]

    def alone(self, words: Features) -> Floats:
        """Return a vector of each of U words by itself: (U, d); U is a multiple of ``TOGETHER``."""
        return self._mixer.apart(self._embed(words))

    def __call__(self, alone: Floats) -> Floats:
        """Return vectors (T, d) of the words of a text from those of the words by themselves."""
        # Each layer looks one word further, so there is one empty word per layer on either side.
        pad = len(self._encoder)
        hidden = np.zeros((len(alone) + 2 * pad, alone.shape[1]), np.float32)
        hidden[pad:-pad] = alone
        for layer in self._encoder:
            hidden += layer(_windows(hidden))
        return hidden[pad:-pad]

    def _embed(self, words: Features) -> Floats:
        """Return the sum of four rows for each feature, and the word's vector: (U, 5 d)."""
        parts = []
        for column, (seed, table) in enumerate(self._embeddings):
            rows = row_hashes(words.keys[:, column], seed) % np.uint32(len(table))
            summed = table[rows[:, 0]]
            for turn in range(1, 4):
                summed += table[rows[:, turn]]
            parts.append(summed)
        static = _apart(self._vectors[np.maximum(words.rows, 0)], self._static.T)
        static[words.rows < 0] = 0
        return np.concatenate((*parts, static), axis=1)


def _apart(rows: Floats, weight: Floats) -> Floats:
    """(T, k) @ (k, n), T a multiple of ``TOGETHER``, in products of so many rows."""
    product: Floats = rows.reshape(-1, TOGETHER, rows.shape[1]) @ weight
    return product.reshape(len(rows), -1)


def _windows(rows: Floats) -> Floats:
    """Concatenate each row with its neighbours, zeros at the ends: (T, d) -> (T, 3 d)."""
    length, width = rows.shape
    out = np.zeros((length, 3 * width), np.float32)
    out[1:, :width] = rows[:-1]
    out[:, width : 2 * width] = rows
    out[:-1, 2 * width :] = rows[1:]
    return out
