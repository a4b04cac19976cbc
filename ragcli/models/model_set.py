"""The models that a run works with, found by the settings and loaded when first needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.config import Settings
from ragcli.models.cpu import usable_cpus
from ragcli.models.embed import Embedder, Encoder, query_encoder
from ragcli.models.locate import embedder_folder, fingerprint, spacy_path
from ragcli.models.tokens import TokenOffsets
from ragcli.types import Report, silent

# Characters that are embedded without loading sentence-transformers.
_LIGHT_CHARS = 30_000


@cache
def _embedder(folder: Path) -> Embedder:
    """The embedder of a folder, loaded once in a process."""
    return Embedder(folder)


@cache
def _light(folder: Path) -> Encoder:
    """The light encoder of a folder, loaded once in a process."""
    return query_encoder(folder)[0]


# Raised whenever the same text would be cut, read or summed up differently than before.
RULES = "3"


class ModelSet:
    """The models that the settings name, each loaded when it is first used."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.embedder_path: Path = embedder_folder(settings.embedder)
        self.spacy_path: Path = spacy_path(settings.spacy)
        self.workers = settings.workers or usable_cpus()
        self._used_embedder = False

    @cached_property
    def embedder_print(self) -> str:
        return fingerprint(self.embedder_path)

    @cached_property
    def extractor_print(self) -> str:
        return f"{fingerprint(self.spacy_path)}.{RULES}"

    def prints(self) -> dict[str, str]:
        """What a store must have been made with for this run to go on with it."""
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
        """Unit vectors (len(texts), dim) as they are kept.

        Loading sentence-transformers takes as long as the light encoder needs for some dozens of
        passages, so a small update is embedded without it; the vectors agree to 0.99999.
        """
        if not self._used_embedder and sum(map(len, texts)) <= _LIGHT_CHARS:
            return _light(self.embedder_path).encode(texts).astype(np.float16)
        self._used_embedder = True
        return _embedder(self.embedder_path).encode(texts, report).astype(np.float16)
