"""Embeds many texts with PyTorch alone (``torch_trunk.py``).

Importing sentence-transformers and transformers takes five seconds and 600 MB, PyTorch one second.
The models are those of ``encoder.py``; ``embed.py`` reads all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
from ragcli.models.torch_trunk import TorchTrunk, padded
from ragcli.types import Event, Report, silent


class TorchEncoder:
    """Embeds texts; in float32 the vectors are those of ``LightEncoder`` to six digits.

    Batches of texts of similar length run side by side, each in one thread (see ``Embedder``).
    ``dtype`` is the number type of the matrix products; sums and norms are float32 in any case.
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
        tensors = open_weights(folder, settings.shape)
        self._tokenizer = load_tokenizer(folder)
        self._threads = threads or usable_cpus()
        wanted = ("bfloat16" if has_bf16() else "float32") if dtype == "auto" else dtype
        self.dtype: str = wanted
        self._trunk = TorchTrunk(tensors, self._shape, wanted)
        if dtype == "auto" and wanted == "bfloat16":
            exact = LightEncoder(folder).encode_passages(PROBES)
            if float((exact * self.encode_passages(PROBES)).sum(axis=1).min()) < SAME:
                self.dtype = "float32"
                self._trunk = TorchTrunk(tensors, self._shape, self.dtype)

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
        batches = plan_batches([padded(len(row)) for row in ids], BATCH_TOKENS)
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
        hidden, spans = self._trunk(ids)
        if self._pooling == "cls":
            pooled = hidden[[span.start for span in spans]]
        else:
            pooled = np.stack([hidden[span].mean(axis=0) for span in spans])
        size = np.linalg.norm(pooled, axis=1, keepdims=True)
        unit: Floats = pooled / np.maximum(size, 1e-12)
        return unit
