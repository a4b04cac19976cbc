"""Embeddings of many texts: the one owner of sentence-transformers (and of torch).

Importing either takes seconds, so it happens when an ``Embedder`` is made, not before.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.cpu import has_bf16, usable_cpus
from ragcli.models.encoder import LightEncoder, UnsupportedModelError
from ragcli.models.tokens import load_tokenizer, readable
from ragcli.types import Event, Report, silent

_log = logging.getLogger(__name__)

Floats = NDArray[np.float32]
DType = Literal["auto", "float32", "bfloat16"]

BATCH_TOKENS = 2048
"""Tokens in a batch, padding included. Processor time a token with 1024, 2048, 4096 and 8192:
96, 87, 90, 92 microseconds in bfloat16, 229, 231, 255, 284 in float32; sentence-transformers'
own loop 207 and 384 (``bench/embed.py``, Xeon with AMX, two processors, other work beside)."""

SAME = 0.999
"""Least cosine between bfloat16 and float32 vectors of the probes for bfloat16 to be used."""

PROBES = (
    "Who wrote the letters that were found in the observatory?",
    "The railway company paid 1,250 crowns for the eastern line in 1887.",
    "def mean(values): return sum(values) / len(values)",
    "She never doubted him again, although the harbour lights had gone out long before.",
)


class Encoder(Protocol):
    """Anything that turns texts into unit vectors."""

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, shape (len(texts), dim)."""
        ...


class Embedder:
    """A sentence-transformers model on the processor, fed in batches of equal length.

    ``name``: the folder's name; ``dim``: numbers in a vector; ``max_tokens``: where texts are
    cut; ``dtype``: what it computes in.

    Batches run side by side, one thread each, instead of one after the other on all threads:
    threads that wait for each other at every layer stand still whenever another program takes a
    core, and these do not wait.
    """

    def __init__(self, folder: Path, dtype: DType = "auto", threads: int | None = None) -> None:
        """Load the model of ``folder``; some seconds.

        ``threads`` defaults to the usable processors. ``auto`` computes in bfloat16 where the
        processor does and the probes come out the same. Raises ModelError when sentence-
        transformers cannot load the folder.
        """
        self._threads = threads or usable_cpus()
        self._model = _load(folder)
        self._tokenizer = load_tokenizer(folder)
        self.name = folder.resolve().name
        self.dim: int = self._model.get_embedding_dimension()
        self.max_tokens: int = self._model.max_seq_length or 512
        self.dtype = "float32"
        if dtype == "bfloat16" or (dtype == "auto" and has_bf16()):
            self._lower(folder, sure=dtype == "bfloat16")

    def _lower(self, folder: Path, sure: bool) -> None:
        """Compute in bfloat16 from now on, unless the probes disagree and it is not ``sure``."""
        exact = self.encode(PROBES)
        self._model.bfloat16()
        if not sure and float((exact * self.encode(PROBES)).sum(axis=1).min()) < SAME:
            self._model = _load(folder)  # the way back from bfloat16 is rounded
            return
        self.dtype = "bfloat16"

    def encode(self, texts: Sequence[str], report: Report = silent) -> Floats:
        """Vectors of unit length, float32, shape (len(texts), dim), in the order of ``texts``.

        ``report`` gets an Event of stage "embed" after each batch, counting texts.
        """
        texts = [readable(text) for text in texts]
        vectors = np.empty((len(texts), self.dim), np.float32)
        done = 0
        with ThreadPoolExecutor(self._threads, "embed", _one_thread) as pool:
            batches = plan_batches(self._lengths(texts), BATCH_TOKENS)
            parts = pool.map(lambda batch: self._forward([texts[i] for i in batch]), batches)
            for batch, part in zip(batches, parts, strict=True):
                vectors[batch] = part
                done += len(batch)
                report(Event("embed", done, len(texts)))
        return vectors

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        """Tokens that the model will read of each text."""
        encodings = self._tokenizer.encode_batch_fast(list(texts))
        return [min(len(encoding), self.max_tokens) for encoding in encodings]

    def _forward(self, texts: list[str]) -> Floats:
        """One batch, in the calling thread: (len(texts), dim)."""
        import torch

        with torch.inference_mode():
            features = self._model.preprocess(texts, prompt=self._prompt())
            pooled: Floats = self._model(features)["sentence_embedding"].float().numpy()
        # Again in float32: the model's own normalisation rounds to its type, or is missing.
        lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
        unit: Floats = pooled / np.maximum(lengths, 1e-12)
        return unit

    def _prompt(self) -> str | None:
        name = self._model.default_prompt_name
        return None if name is None else self._model.prompts[name]


def plan_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Indices in batches of like length: longest first, ``budget`` tokens with padding at most.

    Longest first, so that what needs the most memory comes at once and the batches that end
    last are short. A text longer than the budget is a batch by itself.

    >>> plan_batches([3, 9, 4, 4], budget=12)
    [[1], [2, 3, 0]]
    """
    batches: list[list[int]] = []
    room = 0
    for i in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        if room == 0:
            batches.append([])
            room = max(1, budget // max(1, lengths[i]))
        batches[-1].append(i)
        room -= 1
    return batches


def query_encoder(folder: Path) -> tuple[Encoder, str]:
    """An encoder for questions and a note: the light one, or why it takes the heavy one.

    The note is "" for the light encoder. Raises ModelError when neither can load ``folder``.
    """
    try:
        return LightEncoder(folder), ""
    except UnsupportedModelError as error:
        _log.debug("sentence-transformers encodes questions: %s", error.message)
        return Embedder(folder), f"{error.message}; {error.hint}"


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def _load(folder: Path) -> Any:
    """The sentence-transformers model of ``folder``, in float32, without a word on the screen."""
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ImportError as error:
        raise ModelError(
            f"sentence-transformers cannot be imported: {error}", "pip install ragcli"
        ) from error
    quiet: Any = logging  # untyped
    quiet.set_verbosity_error()
    quiet.disable_progress_bar()
    try:
        model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except Exception as error:  # whatever a damaged folder makes the libraries raise
        raise ModelError(
            f"{folder} cannot be loaded: {error}", "copy the model's folder again"
        ) from error
    return model.float().eval()
