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

WIDE_ROWS = 32
"""Rows that the activation takes at once: its arrays, 200 kB each, stay in the second cache. With
700 rows at once ``gelu`` took 9 ms instead of 3.5."""

NORM_ROWS = 64
"""Rows that are normalised at once, for the same reason: 100 kB each."""

HEADS_AT_ONCE = 4
"""Heads whose weights are computed together: 1.4 MB for a text of 300 tokens."""

LARGEST_SCORE = 80.0
"""Attention scores that stay below need no shift before ``exp``: e^80 times a thousand fits."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a forward pass must know besides the weights.

    ``padding`` is the padding token of RoBERTa's type, which counts positions from the number
    after it; None for BERT, which counts them from 0.
    """

    layers: int
    heads: int
    dim: int
    epsilon: float
    max_tokens: int
    padding: int | None = None

    def positions(self, ids: Sequence[int]) -> NDArray[np.int64]:
        """The row of each token of a text among the position embeddings."""
        if self.padding is None:
            return np.arange(len(ids))
        # A padding token that the text spells out ("<pad>") has the padding's position.
        counts = np.array(ids, np.int64) != self.padding
        return np.asarray(np.cumsum(counts) * counts + self.padding, np.int64)


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
        hidden, spans = self._run(ids, seconds, self._shape.layers)
        return hidden, spans

    def firsts(self, ids: Sequence[Sequence[int]], seconds: Sequence[int] | None = None) -> Floats:
        """Only the vector of each text's first token, (texts, d), as ``__call__`` gives it.

        The last layer is computed for these tokens alone, but for its keys and values.
        """
        last = self._shape.layers - 1
        hidden, spans = self._run(ids, seconds, last)
        first = hidden[[span.start for span in spans]]
        rows = np.empty_like(first)
        self._attention(hidden, spans, f"encoder.layer.{last}", rows, first)
        self._rest(rows, first, f"encoder.layer.{last}", np.empty_like(first))
        return first

    def _run(
        self, ids: Sequence[Sequence[int]], seconds: Sequence[int] | None, layers: int
    ) -> tuple[Floats, list[slice]]:
        """Tokens after the first ``layers`` layers, and the rows of each text."""
        ends = np.cumsum([len(row) for row in ids])
        spans = [slice(end - len(row), end) for row, end in zip(ids, ends.tolist(), strict=True)]
        hidden = self._embed(ids, seconds)
        mixed, other = np.empty_like(hidden), np.empty_like(hidden)
        for layer in range(layers):
            name = f"encoder.layer.{layer}"
            self._attention(hidden, spans, name, mixed)
            self._rest(mixed, hidden, name, other)
        return hidden, spans

    def _rest(self, mixed: Floats, hidden: Floats, name: str, other: Floats) -> None:
        """What follows the attention in a layer, into ``hidden``; ``other`` is room."""
        self._product(mixed, f"{name}.attention.output.dense", other)
        self._add_and_norm(other, hidden, f"{name}.attention.output")
        self._product(self._inner(other, name), f"{name}.output.dense", hidden)
        self._add_and_norm(hidden, other, f"{name}.output")

    def _embed(self, ids: Sequence[Sequence[int]], seconds: Sequence[int] | None) -> Floats:
        """Sum of word, position and segment embeddings, normalised: (T, d)."""
        words = np.concatenate([np.array(row, np.int64) for row in ids])
        positions = np.concatenate([self._shape.positions(row) for row in ids])
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

    def _attention(
        self,
        hidden: Floats,
        spans: list[slice],
        name: str,
        out: Floats,
        first: Floats | None = None,
    ) -> None:
        """Scaled dot-product attention inside each text, heads side by side, into (T, d).

        With ``first``, the first token of each text, only those look at their text: (texts, d).
        """
        shape = -1, self._shape.heads, self._shape.dim // self._shape.heads
        parts = []
        for part in ("query", "key", "value"):
            asked = hidden if first is None or part != "query" else first
            rows = self._product(asked, f"{name}.attention.self.{part}")
            rows += self._weight(f"{name}.attention.self.{part}.bias")
            parts.append(rows.reshape(shape))
        query, key, value = parts
        query *= np.float32(shape[2] ** -0.5)
        longest = max((span.stop - span.start for span in spans), default=0)
        squares = np.empty(HEADS_AT_ONCE * longest**2, np.float32)
        mixed = out.reshape(shape)
        for at, span in enumerate(spans):
            looking = span if first is None else slice(at, at + 1)
            attend(query[looking], key[span], value[span], mixed[looking], squares)

    def _inner(self, rows: Floats, name: str) -> Floats:
        """The wide half of a layer: (T, d) -> (T, 4 d)."""
        inner = self._product(rows, f"{name}.intermediate.dense")
        bias = self._weight(f"{name}.intermediate.dense.bias")
        for start in range(0, len(inner), WIDE_ROWS):
            block = inner[start : start + WIDE_ROWS]
            block += bias
            block[...] = self._activation(block)
        return inner

    def _product(self, rows: Floats, name: str, out: Floats | None = None) -> Floats:
        """Rows times a matrix, without the bias."""
        product: Floats = np.matmul(rows, self._weight(f"{name}.weight").T, out=out)
        return product

    def _add_and_norm(self, product: Floats, rows: Floats, name: str) -> None:
        """Complete a product in place: add its bias and ``rows``, normalise."""
        bias = self._weight(f"{name}.dense.bias")
        for start in range(0, len(rows), NORM_ROWS):
            block = product[start : start + NORM_ROWS]
            block += bias
            block += rows[start : start + NORM_ROWS]
        self._norm(product, f"{name}.LayerNorm")

    def _norm(self, rows: Floats, name: str) -> Floats:
        """Layer normalisation over the last axis, in place."""
        weight, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        for start in range(0, len(rows), NORM_ROWS):
            block = rows[start : start + NORM_ROWS]
            block -= block.mean(axis=-1, keepdims=True)
            variance = np.einsum("ij,ij->i", block, block) / np.float32(rows.shape[1])
            block *= (1 / np.sqrt(variance + np.float32(self._shape.epsilon)))[:, None]
            block *= weight
            block += bias
        return rows

    def _weight(self, name: str, rows: Any = ...) -> Floats:
        """A tensor, or some of its rows, as float32 (half-precision files are widened here)."""
        return np.asarray(self._tensors[name][rows], dtype=np.float32)


def attend(
    query: Floats, key: Floats, value: Floats, out: Floats, squares: Floats | None = None
) -> None:
    """Write the attention of tokens to all tokens of their text into ``out``.

    ``key`` and ``value`` are (L, h, size), ``query``, which is scaled already, and ``out`` are
    (Q, h, size). Some heads at a time, so that their weights stay in the cache; ``squares`` is room
    for them.
    """
    length, heads, _ = key.shape
    asking = len(query)
    if squares is None:
        squares = np.empty(HEADS_AT_ONCE * asking * length, np.float32)
    ones = np.ones((length, 1), np.float32)
    # A score is at most the product of the lengths of its two vectors.
    lengths = [np.sqrt(np.einsum("thd,thd->th", x, x)).max(axis=0) for x in (query, key)]
    most = lengths[0] * lengths[1]
    for first in range(0, heads, HEADS_AT_ONCE):
        some = slice(first, min(first + HEADS_AT_ONCE, heads))
        count = some.stop - first
        weights = squares[: count * asking * length].reshape(count, asking, length)
        # (h, Q, size) @ (h, size, L) -> (h, Q, L), the weights of each head
        np.matmul(query[:, some].transpose(1, 0, 2), key[:, some].transpose(1, 2, 0), out=weights)
        if most[some].max() > LARGEST_SCORE:
            weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        mixed = weights @ value[:, some].transpose(1, 0, 2)
        # Softmax divides each row of weights by its sum; the product has fewer columns.
        np.divide(mixed, weights @ ones, out=out[:, some].transpose(1, 0, 2))


def gelu(x: Floats) -> Floats:
    """Gaussian error linear unit, x * (1 + erf(x / sqrt 2)) / 2, of rows (T, n).

    erf by Abramowitz and Stegun, formula 7.1.26, at most 1.5e-7 off; the result is within 5e-7
    for |x| <= 8, which is float32's own precision there. SciPy's erf would cost 0.2 s to import.
    """
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
    series *= x
    series *= np.float32(0.5)
    return series


def quick_gelu(x: Floats) -> Floats:
    """``gelu`` within 3e-4, a third of its time: x times the logistic of 1.5976 x + 0.07056 x^3.

    The normal distribution's curve is that close to a logistic one of a cubic (Page 1977,
    "Approximations to the cumulative normal function and its inverse", Applied Statistics 26).
    """
    result = np.square(x)
    result *= np.float32(-0.07056)
    result -= np.float32(1.5976)
    result *= x
    with np.errstate(over="ignore"):  # infinity is right: x divided by it is 0
        np.exp(result, out=result)
    result += 1
    np.divide(x, result, out=result)
    return result


def shares(lengths: Sequence[int], count: int) -> list[list[int]]:
    """Texts in at most ``count`` shares of nearly as many tokens each, none of them empty.

    Longest first, each to the share that has the fewest tokens so far (Graham 1969, "Bounds on
    multiprocessing timing anomalies").

    >>> shares([5, 9, 4, 8], 2)
    [[1, 2], [3, 0]]
    """
    found: list[list[int]] = [[] for _ in range(min(count, len(lengths)))]
    tokens = [0] * len(found)
    for at in sorted(range(len(lengths)), key=lambda at: -lengths[at]):
        least = tokens.index(min(tokens))
        found[least].append(at)
        tokens[least] += lengths[at]
    return found


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
