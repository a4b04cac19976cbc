"""The light encoder: computes an embedding model of BERT's or XLM-R's type in NumPy.

``ask`` embeds one question. Importing sentence-transformers takes seconds; this module and one
forward pass (``trunk.py``) take about 0.1 s. It memory-maps the same weights, so it reads only the
rows of the question's tokens from the vocabulary: 47 MB of the default model, 384 MB and more of
one for a hundred languages. Pooling and normalisation are as in Reimers and Gurevych 2019,
"Sentence-BERT", https://arxiv.org/abs/1908.10084; XLM-R: Conneau et al. 2020,
https://arxiv.org/abs/1911.02116.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ragcli.models.cpu import one_blas_thread, usable_cpus
from ragcli.models.embedder_settings import UnsupportedModelError, read_settings
from ragcli.models.tokens import load_tokenizer, readable_for
from ragcli.models.trunk import PACK_TOKENS, Floats, Shape, Trunk, packs
from ragcli.models.weights import open_tensors

LEAST_PACK_TOKENS = 256
"""Tokens that are worth a thread."""


class PooledEncoder:
    """What the encoders in NumPy and PyTorch share: settings, weights, token ids and pooling."""

    def __init__(self, folder: Path) -> None:
        """Map the model in ``folder``; this takes about 20 ms.

        Raises UnsupportedModelError when it is of another kind, ModelError when it is damaged.
        """
        settings = read_settings(folder)
        self._shape, self._pooling = settings.shape, settings.pooling
        self._prompts = settings.prompts
        self._tokenizer = load_tokenizer(folder)
        self._tensors = open_weights(folder, self._shape)

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._shape.dim

    def _ids(self, texts: Sequence[str], prompt: str) -> list[list[int]]:
        """The token ids of each text behind a prompt; a long one keeps its last special token."""
        read = readable_for(self._tokenizer, texts)
        limit = self._shape.max_tokens
        encodings = self._tokenizer.encode_batch_fast([prompt + text for text in read])
        rows = [encoding.ids for encoding in encodings]
        return [ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]] for ids in rows]

    def _pooled(self, hidden: Floats, spans: Sequence[slice]) -> Floats:
        """Vectors of tokens, and the rows of each text -> (texts, d) unit vectors."""
        if self._pooling == "cls":
            return unit(hidden[[span.start for span in spans]])
        return unit(np.stack([hidden[span].mean(axis=0) for span in spans]))


class LightEncoder(PooledEncoder):
    """Embeds texts; the vectors have a cosine of 0.99999 with those of sentence-transformers."""

    def __init__(self, folder: Path) -> None:
        """See ``PooledEncoder``."""
        super().__init__(folder)
        self._trunk = Trunk(self._tensors, self._shape)
        self._last: tuple[str, Floats] | None = None

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return unit vectors of questions, shape (len(texts), dim); the model's limit cuts them.

        The last question that was embedded alone is remembered: it is embedded to search, and
        again beside the sentences that may answer it.
        """
        if len(texts) != 1:
            return self._embed(texts, self._prompts.query)
        if self._last is None or self._last[0] != texts[0]:
            self._last = texts[0], self._embed(texts, self._prompts.query)
        return self._last[1].copy()

    def encode_passages(self, texts: Sequence[str]) -> Floats:
        """Return unit vectors of passages and of names, shape (len(texts), dim)."""
        return self._embed(texts, self._prompts.passage)

    def _embed(self, texts: Sequence[str], prompt: str) -> Floats:
        """Vectors of texts behind a prompt; packs of texts run side by side."""
        vectors = np.empty((len(texts), self.dim), np.float32)
        ids = self._ids(texts, prompt)
        lengths = [len(row) for row in ids]
        share = max(LEAST_PACK_TOKENS, -(-sum(lengths) // usable_cpus()))

        def run(pack: tuple[int, int]) -> None:
            vectors[slice(*pack)] = self._pooled(*self._trunk(ids[slice(*pack)]))

        parts = list(packs(lengths, min(PACK_TOKENS, share)))
        with one_blas_thread():
            if len(parts) == 1:
                run(parts[0])
            elif parts:
                with ThreadPoolExecutor(usable_cpus()) as pool:
                    list(pool.map(run, parts))
        return vectors


def unit(rows: Floats) -> Floats:
    """The rows with length 1, (n, d), in float32."""
    scaled: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return scaled


def open_weights(folder: Path, shape: Shape) -> dict[str, Any]:
    """Return the mapped tensors of a model after checking that embeddings and last layer exist.

    Raises UnsupportedModelError if they have other names, ModelError if the file is damaged.
    """
    tensors = open_tensors(folder / "model.safetensors")
    last = f"encoder.layer.{shape.layers - 1}.output.dense.weight"
    for name in ("embeddings.word_embeddings.weight", last):
        if name not in tensors:
            raise UnsupportedModelError(f"{folder / 'model.safetensors'} has no tensor {name}")
    return tensors
