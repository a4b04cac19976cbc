"""Embeds many texts with sentence-transformers: models that ``torch_encoder.py`` cannot compute.

Importing it takes seconds, so it is imported when an ``Embedder`` is created.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.cpu import has_bf16, usable_cpus
from ragcli.models.embedder_check import check_embedder
from ragcli.models.embedder_settings import UnsupportedModelError, longest_text, prompts_of
from ragcli.models.encoder import LightEncoder, unit
from ragcli.models.tokens import load_tokenizer, readable_for
from ragcli.types import Event, Report, silent

_log = logging.getLogger(__name__)

Floats = NDArray[np.float32]
DType = Literal["auto", "float32", "bfloat16"]

BATCH_TOKENS = 2048
"""Tokens in a batch, padding included. Processor time per token with 1024, 2048, 4096 and 8192:
96, 87, 90, 92 microseconds in bfloat16, 229, 231, 255, 284 in float32; sentence-transformers'
own loop: 207 and 384 (measured once: Xeon with AMX, two processors, under other load)."""

SAME = 0.999
"""bfloat16 is used if the vectors of all probes have at least this cosine with float32."""

PROBES = (
    "Who wrote the letters that were found in the observatory?",
    "The railway company paid 1,250 crowns for the eastern line in 1887.",
    "def mean(values): return sum(values) / len(values)",
    "She never doubted him again, although the harbour lights had gone out long before.",
)


class Encoder(Protocol):
    """An object that turns texts into unit vectors."""

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        ...

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return unit vectors of questions, shape (len(texts), dim)."""
        ...

    def encode_passages(self, texts: Sequence[str]) -> Floats:
        """Return unit vectors of passages, shape (len(texts), dim)."""
        ...


class Embedder:
    """A sentence-transformers model on the processor, with batches of texts of similar length.

    ``name`` is the folder's name, ``dim`` the number of dimensions, ``max_tokens`` the length at
    which texts are cut, and ``dtype`` the number type of the computation.

    Batches run in parallel with one thread each, instead of one after the other on all threads.
    Threads that share a batch wait for each other at every layer, and all of them stop whenever
    another program takes a core.
    """

    def __init__(self, folder: Path, dtype: DType = "auto", threads: int | None = None) -> None:
        """Load the model of ``folder``; this takes some seconds.

        ``threads`` defaults to the usable processors. ``auto`` computes in bfloat16 if the
        processor supports it and the probes give the same vectors. Raises ModelError when
        sentence-transformers cannot load the folder.
        """
        self._threads = threads or usable_cpus()
        self._prompts = prompts_of(folder)
        self._model = _load(folder)
        self._tokenizer = load_tokenizer(folder)
        self.name = folder.resolve().name
        self.dim: int = self._model.get_embedding_dimension()
        self.max_tokens = min(self._model.max_seq_length or 512, longest_text(folder) or 1 << 20)
        # Some models of XLM-R's type say nothing, and have two positions fewer than they count.
        self._model.max_seq_length = self.max_tokens
        self.dtype = "float32"
        if dtype == "bfloat16" or (dtype == "auto" and has_bf16()):
            self._lower(folder, sure=dtype == "bfloat16")

    def _lower(self, folder: Path, sure: bool) -> None:
        """Switch to bfloat16, unless the probes disagree and ``sure`` is false."""
        exact = self.encode(PROBES)
        self._model.bfloat16()
        if not sure and float((exact * self.encode(PROBES)).sum(axis=1).min()) < SAME:
            self._model = _load(folder)  # converting back from bfloat16 would keep its rounding
            self._model.max_seq_length = self.max_tokens
            return
        self.dtype = "bfloat16"

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
        texts = readable_for(self._tokenizer, texts)
        vectors = np.empty((len(texts), self.dim), np.float32)
        encodings = self._tokenizer.encode_batch_fast([prompt + text for text in texts])
        lengths = [min(len(encoding), self.max_tokens) for encoding in encodings]

        def forward(batch: list[int]) -> Floats:
            return self._forward([texts[i] for i in batch], prompt)

        return in_batches(vectors, lengths, forward, self._threads, report)

    def _forward(self, texts: list[str], prompt: str) -> Floats:
        """Embed one batch in the calling thread: (len(texts), dim)."""
        import torch

        with torch.inference_mode():
            features = self._model.preprocess(texts, prompt=prompt or None)
            pooled: Floats = self._model(features)["sentence_embedding"].float().numpy()
        # The model's own normalisation rounds to its type, or is missing.
        return unit(pooled)


def in_batches(
    vectors: Floats,
    lengths: Sequence[int],
    forward: Callable[[list[int]], Floats],
    threads: int,
    report: Report,
) -> Floats:
    """Fill ``vectors`` (n, d) with what ``forward`` makes of batches of texts, given by position.

    ``lengths`` are the tokens of each text. Batches run side by side, each in one thread.
    ``report`` receives an Event of stage "embed" after each.
    """
    done = 0
    with batch_threads(threads) as pool:
        batches = plan_batches(lengths, BATCH_TOKENS)
        for batch, part in zip(batches, pool.map(forward, batches), strict=True):
            vectors[batch] = part
            done += len(batch)
            report(Event("embed", done, len(lengths)))
    return vectors


def plan_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Group indices by similar length, longest first, at most ``budget`` tokens with padding each.

    The longest come first, so that lack of memory shows at once and the last batches are short. A
    text longer than the budget is a batch of its own.

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
    """Return an encoder for questions, and a note that says why it is not the light encoder.

    The note is "" for the light encoder. Raises ModelError when neither can load ``folder``.
    """
    try:
        return LightEncoder(folder), ""
    except UnsupportedModelError as error:
        _log.debug("sentence-transformers encodes questions: %s", error.message)
        return Embedder(folder), f"{error.message}; {error.hint}"


@contextmanager
def batch_threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that each run batches on one core. After an error batches that wait are dropped."""
    with ThreadPoolExecutor(count, "embed", _one_thread) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def _load(folder: Path) -> Any:
    """Return the sentence-transformers model of ``folder`` in float32, without printing."""
    check_embedder(folder)
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
        model = SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:  # a damaged folder makes the libraries raise various errors
        raise ModelError(
            f"{folder} cannot be loaded: {error}", "copy the model's folder again"
        ) from error
    return model.float().eval()
