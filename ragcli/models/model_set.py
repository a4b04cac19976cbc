"""The models that the settings of a run name, each loaded at its first use."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.config import Settings, pipelines_of
from ragcli.models.cpu import usable_cpus
from ragcli.models.embed import Embedder, Encoder, query_encoder
from ragcli.models.embed_process import EmbedProcess
from ragcli.models.embed_worker import open_embedder
from ragcli.models.embedder_settings import embedder_print
from ragcli.models.english_pipeline import check_pipeline
from ragcli.models.locate import embedder_folder, fingerprint, spacy_path
from ragcli.models.tokens import TokenOffsets
from ragcli.models.torch_encoder import TorchEncoder
from ragcli.types import Report, silent

LIGHT_CHARS = 30_000
"""Up to this many characters are embedded without importing PyTorch."""


@cache
def _embedder(folder: Path) -> Embedder | TorchEncoder:
    """Return the embedder of a folder, loaded once per process."""
    return open_embedder(folder)


@cache
def _light(folder: Path) -> Encoder:
    """Return the light encoder of a folder, loaded once per process."""
    return query_encoder(folder)[0]


MOST_WORKERS = 61
"""Processes that a pool can have on Windows; each takes memory for a pipeline of its own."""

# Increase this whenever the same text is chunked, extracted or summarised in another way.
RULES = "13"


def pipelines(languages: str) -> Iterator[tuple[str, str]]:
    """Yield the pipelines of other languages as (code, folder), after a check that they can load.

    Raises ModelError for one that is missing, of another language, or lacks a package.
    """
    for code, setting in pipelines_of(languages).items():
        folder = spacy_path(setting)
        check_pipeline(folder, code)
        yield code, str(folder)


class ModelSet:
    """The models that the settings name, each loaded at its first use."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.embedder_path: Path = embedder_folder(settings.embedder)
        self.spacy_path: Path = spacy_path(settings.spacy)
        self.pipelines = tuple(pipelines(settings.languages))
        self.workers = min(settings.workers or usable_cpus(), MOST_WORKERS)
        self._used_embedder = False
        self._beside = False
        self._process: EmbedProcess | None = None

    @cached_property
    def embedder_print(self) -> str:
        return embedder_print(self.embedder_path)

    @cached_property
    def extractor_print(self) -> str:
        others = (f".{code}-{fingerprint(Path(path))}" for code, path in self.pipelines)
        return "".join([f"{fingerprint(self.spacy_path)}.{RULES}", *others])

    def prints(self) -> dict[str, str]:
        """The models and rules that must equal those of the store for a run to continue it."""
        s = self.settings
        return {
            "embedder": self.embedder_print,
            "extractor": self.extractor_print,
            "chunking": f"{s.chunk_size}/{s.chunk_overlap}/{s.passage_size}/{s.passage_overlap}",
        }

    @cached_property
    def offsets(self) -> TokenOffsets:
        return TokenOffsets(self.embedder_path)

    def embed(self, texts: Sequence[str], report: Report = silent) -> NDArray[np.float16]:
        """Return unit vectors (len(texts), dim) in the type in which they are stored.

        Importing PyTorch takes as long as embedding dozens of passages with the light encoder, so a
        small update does without it. The vectors agree to 0.999.
        """
        if not self._used_embedder and sum(map(len, texts)) <= LIGHT_CHARS:
            return _light(self.embedder_path).encode_passages(texts).astype(np.float16)
        self._used_embedder = True
        if self._beside:
            return self._embedding().encode_passages(texts, report)
        return _embedder(self.embedder_path).encode_passages(texts, report).astype(np.float16)

    def embed_beside(self) -> None:
        """From now on embed many texts in a process of its own; call ``close`` at the end.

        With one processor, and where PyTorch is imported already, that would only cost time.
        """
        self._beside = usable_cpus() > 1 and "torch" not in sys.modules

    def expect(self, chars: int) -> None:
        """Start to load the embedder, if so many characters are too many for the light encoder."""
        if self._beside and chars > LIGHT_CHARS:
            self._embedding()

    def close(self) -> None:
        """End the process that embeds, if there is one, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def _embedding(self) -> EmbedProcess:
        self._process = self._process or EmbedProcess(self.embedder_path)
        return self._process
