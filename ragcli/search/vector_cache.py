"""Vectors by hash of model and text: a text that was embedded once is never embedded again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragcli.models.model_set import ModelSet
from ragcli.store.content_keys import text_hash, unknown
from ragcli.types import Event, Report, silent

if TYPE_CHECKING:
    from ragcli.store.writer import StoreWriter

# Texts embedded between two moments at which their vectors are kept.
_KEEP_EVERY = 512


def keep_vectors(
    store: StoreWriter, models: ModelSet, texts: Sequence[str], report: Report = silent
) -> list[bytes]:
    """Embed the texts that have no vector yet; returns the hash of every text, in order.

    ``report`` gets events of stage "embed" when there are many.
    """
    keys = [text_hash(models.embedder_print, t) for t in texts]
    todo = unknown(keys, store.vectors.known(keys))
    for at in range(0, len(todo), _KEEP_EVERY):
        part = todo[at : at + _KEEP_EVERY]
        if len(todo) > _KEEP_EVERY:
            report(Event("embed", at, len(todo)))
        vectors = models.embed([texts[i] for i in part])
        store.vectors.keep({keys[i]: v.tobytes() for i, v in zip(part, vectors, strict=True)})
    return keys
