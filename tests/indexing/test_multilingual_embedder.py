"""A store whose vectors a multilingual model makes, from the documents to an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_embedders import CORPORA, make_model

import ragcli
from ragcli.config import Settings
from ragcli.errors import StoreVersion
from ragcli.models import model_set
from ragcli.models.encoder import LightEncoder
from ragcli.search.vector_set import Vectors
from ragcli.store import derived

ASKING = {"query": "Wer, was, wann, wo, wie viele? ", "passage": "passage: "}


def test_documents_get_the_prompt_of_passages_and_questions_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Indexed by sentence-transformers, asked through the light encoder, found by vectors."""
    monkeypatch.setattr(model_set, "LIGHT_CHARS", 0)
    model = make_model(tmp_path / "model", prompts=ASKING)
    store = tmp_path / ".ragcli"
    settings = Settings(embedder=str(model), workers=1)
    ragcli.index([CORPORA / "de"], store, settings=settings)
    light = LightEncoder(model)
    text = (CORPORA / "de" / "bahnhof.txt").read_text(encoding="utf-8").strip()
    passages = Vectors(derived.folders(store, 1, derived.VECTORS), "passages")
    vectors = passages.of(passages.ids)
    assert (vectors @ light.encode_passages([text])[0]).max() > 0.999
    assert (vectors @ light.encode([text])[0]).max() < 0.999
    with ragcli.Store.open(store, settings) as opened:
        assert len(opened.search("Wer baute den Turm?", mode="naive", top_k=3)) == 3


def test_another_embedder_is_told(tmp_path: Path) -> None:
    """The store's vectors cannot be compared with those of another model."""
    store = tmp_path / ".ragcli"
    one, other = make_model(tmp_path / "one"), make_model(tmp_path / "other", seed=1)
    ragcli.index(
        [CORPORA / "fr" / "gare.txt"], store, settings=Settings(embedder=str(one), workers=1)
    )
    with (
        pytest.raises(StoreVersion, match="embedder"),
        ragcli.Store.open(store, Settings(embedder=str(other))) as opened,
    ):
        opened.search("Où est la gare ?")
