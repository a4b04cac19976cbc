"""Embeds many texts with PyTorch alone (``torch_trunk.py``).

Importing sentence-transformers and transformers takes five seconds and 600 MB, PyTorch one second.
The models are those of ``encoder.py``; ``embed.py`` reads all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ragcli.models.cpu import has_bf16, usable_cpus
from ragcli.models.embed import PROBES, SAME, DType, Floats, in_batches
from ragcli.models.embedder_check import check_embedder
from ragcli.models.encoder import LightEncoder, PooledEncoder
from ragcli.models.torch_trunk import TorchTrunk, padded
from ragcli.types import Report, silent


class TorchEncoder(PooledEncoder):
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
        super().__init__(folder)
        self._threads = threads or usable_cpus()
        wanted = ("bfloat16" if has_bf16() else "float32") if dtype == "auto" else dtype
        self.dtype: str = wanted
        self._trunk = TorchTrunk(self._tensors, self._shape, wanted)
        if dtype == "auto" and wanted == "bfloat16":
            exact = LightEncoder(folder).encode_passages(PROBES)
            if float((exact * self.encode_passages(PROBES)).sum(axis=1).min()) < SAME:
                self.dtype = "float32"
                self._trunk = TorchTrunk(self._tensors, self._shape, self.dtype)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return unit vectors of questions, float32, shape (len(texts), dim), in their order."""
        return self._embed(texts, self._prompts.query, silent)

    def encode_passages(self, texts: Sequence[str], report: Report = silent) -> Floats:
        """See ``Embedder.encode_passages``."""
        return self._embed(texts, self._prompts.passage, report)

    def _embed(self, texts: Sequence[str], prompt: str, report: Report) -> Floats:
        ids = self._ids(texts, prompt)
        vectors = np.empty((len(ids), self.dim), np.float32)

        def forward(batch: list[int]) -> Floats:
            return self._pooled(*self._trunk([ids[i] for i in batch]))

        lengths = [padded(len(row)) for row in ids]
        return in_batches(vectors, lengths, forward, self._threads, report)
