"""Embeds the texts of vectors again whose files are damaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragcli.errors import StoreDamaged
from ragcli.graph.hierarchy_levels import embedded
from ragcli.models.model_set import ModelSet
from ragcli.search.derive import Restore
from ragcli.search.level_codes import encoded
from ragcli.store.content_keys import code_hash, text_hash
from ragcli.store.vector_sets import VECTOR_SETS
from ragcli.store.vector_texts import TextParts
from ragcli.store.writer import StoreWriter
from ragcli.text.embedded_text import embedded_text

_CODED = {s.name for s in VECTOR_SETS if s.coded}


def restorer(store: StoreWriter, models: ModelSet) -> Restore:
    """A function that embeds the texts of rows of a store again.

    It raises StoreDamaged where a row's text is not the one that its vector is of.
    """

    def restore(name: str, rows: Sequence[int], hashes: Sequence[bytes]) -> list[bytes]:
        texts = [_text(name, store.text_parts(name, row)) for row in rows]
        coded = name in _CODED
        key_of = code_hash if coded else text_hash
        if [key_of(models.embedder_print, text) for text in texts] != list(hashes):
            raise StoreDamaged(
                f"vectors of {name} are missing, and their texts have changed",
                "run: ragcli index --rebuild",
            )
        vectors = models.embed(texts)
        return [kept.tobytes() for kept in (encoded(np.asarray(vectors)) if coded else vectors)]

    return restore


def _text(name: str, parts: TextParts) -> str:
    if name in ("entity_profiles", "members"):
        return embedded(parts.title, parts.text)
    return embedded_text(parts.title, parts.heading, parts.text)
