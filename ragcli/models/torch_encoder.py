"""Embeds many texts with PyTorch alone: the forward pass of ``trunk.py`` in fast kernels.

Importing sentence-transformers and transformers takes five seconds and 600 MB, PyTorch one second.
The models are those of ``encoder.py``; ``embed.py`` reads all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragcli.models.cpu import has_bf16, usable_cpus
from ragcli.models.embed import (
    BATCH_TOKENS,
    PROBES,
    SAME,
    DType,
    Floats,
    batch_threads,
    plan_batches,
)
from ragcli.models.embedder_check import check_embedder
from ragcli.models.embedder_settings import read_settings
from ragcli.models.encoder import LightEncoder, open_weights
from ragcli.models.tokens import load_tokenizer, readable_for
from ragcli.types import Event, Report, silent

if TYPE_CHECKING:
    import torch


_ROWS = 512
"""Matrices have a multiple of so many rows. oneDNN keeps compiled code and packed weights for each
shape that it has seen: with any number of rows, memory grew from 0.3 to 1.9 GB in 1,000 documents,
and it took 15 % more time."""


class TorchEncoder:
    """Embeds texts; in float32 the vectors are those of ``LightEncoder`` to six digits.

    Batches of texts of similar length run side by side, each in one thread (see ``Embedder``). The
    texts of a batch lie end to end, so nothing is padded. ``dtype`` is the number type of the
    matrix products; sums and norms are float32 in any case.
    """

    def __init__(self, folder: Path, dtype: DType = "auto", threads: int | None = None) -> None:
        """Load the model of ``folder``; importing PyTorch takes a second.

        ``threads`` defaults to the usable processors. ``auto`` computes in bfloat16 if the
        processor supports it and the probes give the same vectors. Raises UnsupportedModelError
        when the model is of another kind, ModelError when it is damaged.
        """
        check_embedder(folder)
        settings = read_settings(folder)
        self._shape, self._pooling = settings.shape, settings.pooling
        self._prompts = settings.prompts
        self._weights = open_weights(folder, settings.shape)
        self._tokenizer = load_tokenizer(folder)
        self._threads = threads or usable_cpus()
        wanted = ("bfloat16" if has_bf16() else "float32") if dtype == "auto" else dtype
        self.dtype: str = wanted
        self._layers = self._read_layers()
        if dtype == "auto" and wanted == "bfloat16":
            exact = LightEncoder(folder).encode_passages(PROBES)
            if float((exact * self.encode_passages(PROBES)).sum(axis=1).min()) < SAME:
                self.dtype = "float32"
                self._layers = self._read_layers()

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._shape.dim

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return unit vectors of questions, float32, shape (len(texts), dim), in their order."""
        return self._embed(texts, self._prompts.query, silent)

    def encode_passages(self, texts: Sequence[str], report: Report = silent) -> Floats:
        """Return unit vectors of passages and of names, as ``encode`` does.

        ``report`` receives an Event of stage "embed" after each batch, which counts texts. What it
        raises ends the work after the batches that are under way.
        """
        return self._embed(texts, self._prompts.passage, report)

    def _embed(self, texts: Sequence[str], prompt: str, report: Report) -> Floats:
        vectors = np.empty((len(texts), self.dim), np.float32)
        read = readable_for(self._tokenizer, texts)
        encodings = self._tokenizer.encode_batch_fast([prompt + text for text in read])
        ids = [self._cut(encoding.ids) for encoding in encodings]
        batches = plan_batches([len(row) for row in ids], BATCH_TOKENS)
        done = 0
        with batch_threads(self._threads) as pool:
            parts = pool.map(lambda batch: self._forward([ids[i] for i in batch]), batches)
            for batch, part in zip(batches, parts, strict=True):
                vectors[batch] = part
                done += len(batch)
                report(Event("embed", done, len(texts)))
        return vectors

    def _cut(self, ids: list[int]) -> list[int]:
        """The ids of a text with its last special token, at most the limit of the model."""
        limit = self._shape.max_tokens
        return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]

    def _forward(self, ids: list[list[int]]) -> Floats:
        """Token ids of each text, longest first -> (texts, d) unit vectors."""
        import torch

        lengths = [len(row) for row in ids]
        with torch.inference_mode():
            hidden = self._first(ids)
            for layer in self._layers:
                hidden = self._layer(hidden, layer, lengths)
            rows = hidden.numpy()
        ends = np.cumsum(lengths)
        if self._pooling == "cls":
            pooled = rows[ends - lengths]
        else:
            pooled = np.stack([part.mean(axis=0) for part in np.split(rows, ends[:-1])])
        size = np.linalg.norm(pooled, axis=1, keepdims=True)
        unit: Floats = pooled / np.maximum(size, 1e-12)
        return unit

    def _first(self, ids: list[list[int]]) -> torch.Tensor:
        """Sum of word, position and segment embeddings, normalised: (T, d)."""
        import torch
        from torch.nn import functional

        positions = np.concatenate([self._shape.positions(row) for row in ids])
        summed = (
            self._weights["embeddings.word_embeddings.weight"][np.concatenate(ids)]
            + self._weights["embeddings.position_embeddings.weight"][positions]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        rows = torch.from_numpy(np.ascontiguousarray(summed, np.float32))
        weight, bias = self._tensors("embeddings.LayerNorm")
        return functional.layer_norm(rows, (self.dim,), weight, bias, self._shape.epsilon)

    def _layer(
        self, hidden: torch.Tensor, layer: dict[str, Any], lengths: list[int]
    ) -> torch.Tensor:
        """One layer over texts end to end, (T, d) -> (T, d)."""
        from torch.nn import functional

        def linear(rows: torch.Tensor, name: str) -> torch.Tensor:
            weight, bias = layer[name]
            padded = rows.new_zeros((_padded(len(rows)), rows.shape[1]), dtype=weight.dtype)
            padded[: len(rows)] = rows
            return functional.linear(padded, weight, bias)[: len(rows)]

        def norm(rows: torch.Tensor, name: str) -> torch.Tensor:
            weight, bias = layer[name]
            return functional.layer_norm(rows, (self.dim,), weight, bias, self._shape.epsilon)

        mixed = self._attention(linear(hidden, "qkv"), lengths)
        hidden = norm(
            linear(mixed, "attention.output.dense") + hidden, "attention.output.LayerNorm"
        )
        inner = functional.gelu(linear(hidden, "intermediate.dense"))
        return norm(linear(inner, "output.dense") + hidden, "output.LayerNorm")

    def _attention(self, joined: torch.Tensor, lengths: list[int]) -> torch.Tensor:
        """Attention inside each text, (T, 3 d) -> (T, d); texts of one length at once."""
        import torch
        from torch.nn.functional import scaled_dot_product_attention

        heads, parts, start = self._shape.heads, [], 0
        for length, same in groupby(lengths):
            count = len(list(same))
            some = joined[start : start + count * length]
            # (texts, L, 3, h, size) -> three of (texts, h, L, size)
            query, key, value = some.view(count, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
            found = scaled_dot_product_attention(query, key, value)
            parts.append(found.transpose(1, 2).reshape(count * length, -1))
            start += count * length
        return torch.cat(parts)

    def _read_layers(self) -> list[dict[str, Any]]:
        """The (weight, bias) of each part of each layer, in the number type of the products."""
        import torch

        kind = getattr(torch, self.dtype)
        layers = []
        for number in range(self._shape.layers):
            name = f"encoder.layer.{number}"
            parts = [self._tensors(f"{name}.attention.self.{x}") for x in ("query", "key", "value")]
            layer = {"qkv": tuple(torch.cat(both).to(kind) for both in zip(*parts, strict=True))}
            for part in ("attention.output.dense", "intermediate.dense", "output.dense"):
                layer[part] = tuple(x.to(kind) for x in self._tensors(f"{name}.{part}"))
            for part in ("attention.output.LayerNorm", "output.LayerNorm"):
                layer[part] = self._tensors(f"{name}.{part}")
            layers.append(layer)
        return layers

    def _tensors(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Weight and bias in float32."""
        import torch

        weight, bias = (
            torch.from_numpy(np.array(self._weights[f"{name}.{part}"], np.float32))
            for part in ("weight", "bias")
        )
        return weight, bias


def _padded(tokens: int) -> int:
    """The rows of a matrix for so many tokens."""
    return -(-tokens // _ROWS) * _ROWS
