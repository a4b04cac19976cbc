"""Opens the language model of the settings, once per process."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.config import Settings
from ragcli.models.locate import models_folder

if TYPE_CHECKING:
    from ragcli.models.llm import Llm

_log = logging.getLogger(__name__)


def open_llm(file: Path, settings: Settings) -> Llm:
    """Return the model in ``file``. Raises ModelError when it cannot be used."""
    s = settings
    return _opened(file, s.llm_context, s.llm_threads, s.llm_gpu_layers, s.llm_kv_type)


# A conversation, ``eval`` and an index run use the model many times; it is loaded once.
@lru_cache(maxsize=1)
def _opened(file: Path, context: int, threads: int, gpu_layers: int, kv_type: str) -> Llm:
    from ragcli.models.llm import Llm

    _log.debug("loading %s", file)
    heads = models_folder() / "beginnings"
    return Llm(file, context, threads, gpu_layers=gpu_layers, kv_type=kv_type, heads=heads)
