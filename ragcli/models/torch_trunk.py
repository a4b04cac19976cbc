"""The trunk of a BERT-type model in PyTorch, for many texts: ``trunk.py`` in fast kernels.

Shapes: R rows of a batch, L rows of one text, d hidden, h heads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragcli.models.trunk import Floats, Shape

if TYPE_CHECKING:
    import torch

ROWS = 512
"""Matrices have a multiple of so many rows. oneDNN keeps compiled code for each shape that it has
seen: with any number of rows, memory grew from 0.3 to 1.9 GB in 1,000 documents, and it took 15 %
more time."""

STEP = 8
"""A text has a multiple of so many rows: more texts share a product, which has fewer shapes.
Processor time per token with 1, 8 and 16: 54, 51 and 59 microseconds."""

_SQUARES = 1 << 23
"""Weights of attention that are computed at once: 16 MB in bfloat16."""

_LEAST_SUM = 1e-30
"""A row of weights with a smaller sum has lost digits: its scores are all below -69."""

_MOST_SUM = 1e30
"""With a larger sum, the product of weights and values may exceed its number type although the sum
does not: of 26,900 passages in ten languages, two had a score of 88.5 and became NaN."""


class TorchTrunk:
    """Contextual vectors of tokens, from tensors named as in a BERT checkpoint.

    ``dtype`` ("bfloat16", "float32") is the number type of the products; sums over the layers and
    norms are float32 in any case.
    """

    def __init__(self, tensors: Mapping[str, NDArray[Any]], shape: Shape, dtype: str) -> None:
        import torch

        self._weights = tensors
        self._shape = shape
        self._kind: torch.dtype = getattr(torch, dtype)
        self._packs = _packs(self._kind)
        self._layers = [self._layer_weights(number) for number in range(shape.layers)]

    def __call__(self, ids: Sequence[Sequence[int]]) -> tuple[Floats, list[slice]]:
        """Token ids of each text, longest first -> hidden (R, d), and the rows of each text.

        Each text begins at a multiple of ``STEP`` rows; nothing looks at the rows between.
        """
        import torch

        lengths = [padded(len(row)) for row in ids]
        starts = (np.cumsum(lengths) - lengths).tolist()
        spans = [slice(at, at + len(row)) for at, row in zip(starts, ids, strict=True)]
        count = -(-sum(lengths) // ROWS) * ROWS
        with torch.inference_mode():
            hidden, real = self._first(ids, spans, count)
            for layer in self._layers:
                hidden = self._layer(hidden, layer, lengths, real)
            return hidden.numpy(), spans

    def _first(
        self, ids: Sequence[Sequence[int]], spans: list[slice], count: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The normalised sums of word, position and segment embeddings (R, d), and a column that
        is 1 in the rows of tokens and 0 in all others."""
        import torch
        from torch.nn import functional

        at = np.concatenate([np.arange(span.start, span.stop) for span in spans])
        positions = np.concatenate([self._shape.positions(row) for row in ids])
        rows = np.zeros((count, self._shape.dim), np.float32)
        rows[at] = (
            self._weights["embeddings.word_embeddings.weight"][np.concatenate(ids)]
            + self._weights["embeddings.position_embeddings.weight"][positions]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        real = torch.zeros((count, 1), dtype=self._kind)
        real[torch.from_numpy(at)] = 1
        weight, bias = self._tensors("embeddings.LayerNorm")
        dim = (self._shape.dim,)
        summed = torch.from_numpy(rows)
        return functional.layer_norm(summed, dim, weight, bias, self._shape.epsilon), real

    def _layer(
        self,
        hidden: torch.Tensor,
        layer: dict[str, Any],
        lengths: list[int],
        real: torch.Tensor,
    ) -> torch.Tensor:
        """One layer over texts end to end, (R, d) -> (R, d)."""
        from torch.nn import functional

        def product(rows: torch.Tensor, name: str) -> torch.Tensor:
            return self._product(rows.to(self._kind), *layer[name])

        def norm(rows: torch.Tensor, name: str) -> torch.Tensor:
            weight, bias = layer[name]
            return functional.layer_norm(
                rows, (self._shape.dim,), weight, bias, self._shape.epsilon
            )

        mixed = self._attention(product(hidden, "qkv"), lengths, real)
        mixed = product(mixed, "attention.output.dense").float().add_(hidden)
        hidden = norm(mixed, "attention.output.LayerNorm")
        inner = functional.gelu(product(hidden, "intermediate.dense"))
        return norm(product(inner, "output.dense").float().add_(hidden), "output.LayerNorm")

    def _product(self, rows: torch.Tensor, weight: Any, bias: torch.Tensor) -> torch.Tensor:
        import torch
        from torch.nn import functional

        if self._packs:
            result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
                rows, weight, bias, "none", [], ""
            )
            return result
        return functional.linear(rows, weight, bias)

    def _attention(
        self, joined: torch.Tensor, lengths: list[int], real: torch.Tensor
    ) -> torch.Tensor:
        """Attention inside each text, (R, 3 d) -> (R, d); texts of one length at once."""
        heads, dim = self._shape.heads, self._shape.dim
        size = dim // heads
        # A value of zero, and no share in the sum of weights: rows between texts do not count.
        joined[:, 2 * dim :] *= real
        out = joined.new_zeros((len(joined), dim))
        start = 0
        for length, same in groupby(lengths):
            left = len(list(same))
            while left:
                count = max(1, min(left, _SQUARES // (heads * length**2)))
                rows = slice(start, start + count * length)
                attend(
                    joined[rows].view(count, length, 3, heads, size),
                    real[rows].view(count, 1, length),
                    out[rows].view(count, length, heads, size),
                )
                start, left = rows.stop, left - count
        return out

    def _layer_weights(self, number: int) -> dict[str, Any]:
        """The (weight, bias) of each part of a layer, in the number type of the products."""
        import torch

        name = f"encoder.layer.{number}"
        parts = [self._tensors(f"{name}.attention.self.{x}") for x in ("query", "key", "value")]
        # Scores are divided by the root of a head's size: here once and for all.
        scale = (self._shape.dim // self._shape.heads) ** -0.5
        parts[0] = parts[0][0] * scale, parts[0][1] * scale
        joined = tuple(torch.cat(both) for both in zip(*parts, strict=True))
        layer: dict[str, Any] = {"qkv": self._packed(*joined)}
        for part in ("attention.output.dense", "intermediate.dense", "output.dense"):
            layer[part] = self._packed(*self._tensors(f"{name}.{part}"))
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            layer[part] = self._tensors(f"{name}.{part}")
        return layer

    def _packed(self, weight: torch.Tensor, bias: torch.Tensor) -> tuple[Any, torch.Tensor]:
        import torch

        weight, bias = weight.to(self._kind), bias.to(self._kind)
        if self._packs:
            weight = torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
        return weight, bias

    def _tensors(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Weight and bias in float32."""
        import torch

        weight, bias = (
            torch.from_numpy(np.array(self._weights[f"{name}.{part}"], np.float32))
            for part in ("weight", "bias")
        )
        return weight, bias


def padded(length: int) -> int:
    """The rows of a text with so many tokens."""
    return -(-length // STEP) * STEP


def attend(joined: torch.Tensor, real: torch.Tensor, out: torch.Tensor) -> None:
    """Write the attention of texts of one length into ``out``, (texts, L, h, size).

    ``joined`` is (texts, L, 3, h, size): queries, which are scaled already, keys and values, which
    are 0 where ``real``, (texts, 1, L), is. Softmax divides each row of weights by its sum; here a
    column of ones beside the values gives the sum, and the division comes after the product, which
    has fewer columns. The weights are not shifted before ``exp``: that would be a pass over all
    of them. Where they would be too large or too small for that, PyTorch's own function attends.
    """
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    texts, length, _, heads, size = joined.shape
    query, key, value = joined.permute(2, 0, 3, 1, 4)  # each (texts, h, L, size)
    squares = texts * heads
    columns = joined.new_empty((texts, heads, length, size + 1))
    columns[..., :size] = value
    columns[..., size] = real
    weights = torch.bmm(
        query.reshape(squares, length, size), key.transpose(2, 3).reshape(squares, size, length)
    ).exp_()
    mixed = torch.bmm(weights, columns.view(squares, length, size + 1))
    least, most = (float(x) for x in mixed[..., size].aminmax())
    if least > _LEAST_SUM and most < _MOST_SUM:  # neither holds for NaN
        some = mixed.view(texts, heads, length, size + 1).transpose(1, 2)
        torch.div(some[..., :size], some[..., size:], out=out)
        return
    keys = real.view(texts, 1, 1, length) > 0
    found = scaled_dot_product_attention(query, key, value, attn_mask=keys, scale=1.0)
    out.copy_(found.transpose(1, 2))


def _packs(kind: torch.dtype) -> bool:
    """Whether oneDNN can keep weights in its own order, which saves an eighth of the time.

    These are PyTorch's operators for compiled models, on x86 and some Arm processors. In float32
    its plain product is as fast.
    """
    import torch

    found = hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return found and kind == torch.bfloat16 and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
