"""Starts to load the embedder before the rest of the program is imported.

Importing the steps of a run takes half a second, and the process that embeds needs two to be
ready. In a small folder nothing else takes as long.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ragcli.config import Settings
from ragcli.indexing.request import IndexRequest
from ragcli.models.model_set import LIGHT_CHARS, ModelSet
from ragcli.store.connection import FILE


def begun_models(request: IndexRequest, settings: Settings) -> ModelSet:
    """The models of a run, which embed beside it; close them at its end.

    For a new store of more than a little text the embedder begins to load. Raises ModelError.
    """
    models = ModelSet(settings)
    models.embed_beside()
    if request.engine == "local" and not (request.store / FILE).exists():
        models.expect(sum(_sizes(request.paths)))
    return models


def _sizes(paths: Iterable[Path]) -> Iterable[int]:
    """Bytes of files, those in hidden folders left out, until they are more than a little text."""
    total = 0
    for path in paths:
        for folder, below, names in os.walk(path):
            below[:] = [name for name in below if not name.startswith(".")]
            for name in names:
                size = _size(Path(folder, name))
                total += size
                yield size
                if total > LIGHT_CHARS:
                    return
        if path.is_file():
            yield _size(path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # the scan will say what is wrong with it
        return 0
