"""The trunk of a BERT-type model in NumPy: embeddings and layers over texts laid end to end.

The light encoder pools what it gives to one vector a text, the reader puts its heads on it.
Architecture: Devlin et al. 2019, "BERT", https://arxiv.org/abs/1810.04805, with the exact (erf)
GELU.

Shapes: T tokens of all texts in a pack, L tokens of one text, d hidden, h heads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

PACK_TOKENS = 2048
"""Tokens in one forward pass: bounds memory to about 30 MB."""

GELU_ROWS = 32
"""Rows that ``gelu`` takes at once: its arrays, 200 kB each, stay in the second cache."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a forward pass must know besides the weights."""

    layers: int
    heads: int
    dim: int
    epsilon: float
    max_tokens: int


class Trunk:
    """Contextual vectors of tokens, from tensors named as in a BERT checkpoint."""

    def __init__(
        self,
        tensors: Mapping[str, NDArray[Any]],
        shape: Shape,
        activation: Callable[[Floats], Floats] | None = None,
    ) -> None:
        """``tensors`` may be memory-mapped, in single or half precision; ``activation`` is
        ``gelu`` if not given."""
        self._tensors = tensors
        self._shape = shape
        self._activation = activation or gelu

    def __call__(
        self, ids: Sequence[Sequence[int]], seconds: Sequence[int] | None = None
    ) -> tuple[Floats, list[slice]]:
        """Token ids of each text -> hidden (T, d), and the rows of each text.

        ``seconds`` says for each text at which token its second segment begins; without it every
        token is of the first. The texts lie end to end in one (T, d) array, so nothing is padded
        and nothing masked; only attention looks at each text by itself.
        """
        ends = np.cumsum([len(row) for row in ids])
        spans = [slice(end - len(row), end) for row, end in zip(ids, ends.tolist(), strict=True)]
        hidden = self._embed(ids, seconds)
        for layer in range(self._shape.layers):
            name = f"encoder.layer.{layer}"
            mixed = self._linear(self._attention(hidden, spans, name), f"{name}.attention.output")
            hidden = self._norm(mixed + hidden, f"{name}.attention.output.LayerNorm")
            inner = self._activation(self._linear(hidden, f"{name}.intermediate"))
            hidden = self._norm(
                self._linear(inner, f"{name}.output") + hidden, f"{name}.output.LayerNorm"
            )
        return hidden, spans

    def _embed(self, ids: Sequence[Sequence[int]], seconds: Sequence[int] | None) -> Floats:
        """Sum of word, position and segment embeddings, normalised: (T, d)."""
        words = np.concatenate([np.array(row, np.int64) for row in ids])
        positions = np.concatenate([np.arange(len(row)) for row in ids])
        segments: Any = 0
        if seconds is not None:
            firsts = np.repeat(seconds, [len(row) for row in ids])
            segments = (positions >= firsts).astype(np.int64)
        summed = (
            self._weight("embeddings.word_embeddings.weight", words)
            + self._weight("embeddings.position_embeddings.weight", positions)
            + self._weight("embeddings.token_type_embeddings.weight", segments)
        )
        return self._norm(summed, "embeddings.LayerNorm")

    def _attention(self, hidden: Floats, spans: list[slice], name: str) -> Floats:
        """Scaled dot-product attention inside each text, heads side by side: (T, d)."""
        size = self._shape.dim // self._shape.heads
        query, key, value = (
            self._linear(hidden, f"{name}.attention.self.{part}", dense="").reshape(
                len(hidden), self._shape.heads, size
            )
            for part in ("query", "key", "value")
        )
        query *= np.float32(size**-0.5)
        mixed = np.empty_like(hidden)
        for span in spans:
            # (h, L, size) @ (h, size, L) -> (h, L, L), one square of weights per head
            scores = query[span].transpose(1, 0, 2) @ key[span].transpose(1, 2, 0)
            heads = softmax(scores) @ value[span].transpose(1, 0, 2)
            mixed[span] = heads.transpose(1, 0, 2).reshape(-1, self._shape.dim)
        return mixed

    def _linear(self, rows: Floats, name: str, dense: str = ".dense") -> Floats:
        weight, bias = self._weight(f"{name}{dense}.weight"), self._weight(f"{name}{dense}.bias")
        product: Floats = rows @ weight.T
        product += bias
        return product

    def _norm(self, rows: Floats, name: str) -> Floats:
        """Layer normalisation over the last axis."""
        rows = rows - rows.mean(axis=-1, keepdims=True)
        rows /= np.sqrt(np.square(rows).mean(axis=-1, keepdims=True) + self._shape.epsilon)
        rows *= self._weight(f"{name}.weight")
        rows += self._weight(f"{name}.bias")
        return rows

    def _weight(self, name: str, rows: Any = ...) -> Floats:
        """A tensor, or some of its rows, as float32 (half-precision files are widened here)."""
        return np.asarray(self._tensors[name][rows], dtype=np.float32)


def softmax(scores: Floats) -> Floats:
    """Softmax over the last axis, in place."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def gelu(x: Floats) -> Floats:
    """Gaussian error linear unit, x * (1 + erf(x / sqrt 2)) / 2, of rows (T, n).

    erf by Abramowitz and Stegun, formula 7.1.26, at most 1.5e-7 off; the result is within 5e-7
    for |x| <= 8, which is float32's own precision there. SciPy's erf would cost 0.2 s to import.

    Some rows at a time, so that the seventeen passes find them in the processor's cache: of
    700 rows 3.5 ms instead of 9.
    """
    result = np.empty_like(x)
    for start in range(0, len(x), GELU_ROWS):
        _gelu_into(x[start : start + GELU_ROWS], result[start : start + GELU_ROWS])
    return result


def _gelu_into(x: Floats, out: Floats) -> None:
    z = np.abs(x)
    z *= np.float32(0.5**0.5)
    t = np.float32(0.3275911) * z
    t += 1
    np.reciprocal(t, out=t)
    series = np.full_like(t, 1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series *= t
        series += np.float32(coefficient)
    series *= t
    np.square(z, out=z)
    np.negative(z, out=z)
    series *= np.exp(z, out=z)
    np.subtract(1, series, out=series)
    np.copysign(series, x, out=series)
    series += 1
    np.multiply(np.float32(0.5), x, out=out)
    out *= series


def quick_gelu(x: Floats) -> Floats:
    """``gelu`` within 3e-4, a third of its time: x times the logistic of 1.5976 x + 0.07056 x^3.

    The normal distribution's curve is that close to a logistic one of a cubic (Page 1977,
    "Approximations to the cumulative normal function and its inverse", Applied Statistics 26).
    """
    result = np.empty_like(x)
    for start in range(0, len(x), GELU_ROWS):
        rows, out = x[start : start + GELU_ROWS], result[start : start + GELU_ROWS]
        np.square(rows, out=out)
        out *= np.float32(-0.07056)
        out -= np.float32(1.5976)
        out *= rows
        np.minimum(out, np.float32(80), out=out)
        np.exp(out, out=out)
        out += 1
        np.divide(rows, out, out=out)
    return result


def packs(lengths: Sequence[int], most: int = PACK_TOKENS) -> Iterator[tuple[int, int]]:
    """Ranges of texts that hold at most ``most`` tokens together (or one text)."""
    start = tokens = 0
    for at, length in enumerate(lengths):
        if at > start and tokens + length > most:
            yield start, at
            start, tokens = at, 0
        tokens += length
    if start < len(lengths):
        yield start, len(lengths)
