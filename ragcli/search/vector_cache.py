"""Embeds texts and stores the vectors by hash of model and text: no text is embedded twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragcli.models.model_set import ModelSet
from ragcli.store.content_keys import text_hash, unknown
from ragcli.types import Event, Report, silent

if TYPE_CHECKING:
    from ragcli.store.writer import StoreWriter

# Vectors are stored after every so many texts.
_KEEP_EVERY = 512


def keep_vectors(
    store: StoreWriter, models: ModelSet, texts: Sequence[str], report: Report = silent
) -> list[bytes]:
    """Embed the texts that have no vector yet; return the hash of every text, in order.

    ``report`` receives events of stage "embed" if there are many texts.
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
