"""The embedder, held against sentence-transformers' own ``encode``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.errors import ModelError
from ragcli.models import embed
from ragcli.models.embed import Embedder, plan_batches, query_encoder
from ragcli.models.encoder import LightEncoder
from ragcli.models.tokens import readable
from ragcli.types import Event


def test_equals_sentence_transformers(exact: Embedder, texts: Sequence[str]) -> None:
    """Own batches change no vector: float32 agrees to six digits, in the order given."""
    given = [readable(text) for text in texts]
    expected = exact._model.encode(given, normalize_embeddings=True, show_progress_bar=False)
    found = exact.encode(texts)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_facts_about_the_model(exact: Embedder) -> None:
    """What callers read from it."""
    assert (exact.dim, exact.max_tokens, exact.dtype) == (384, 256, "float32")


def test_no_texts(exact: Embedder) -> None:
    """Nothing to do, nothing reported."""
    events: list[Event] = []
    assert exact.encode_passages([], events.append).shape == (0, 384)
    assert events == []


def test_progress_counts_texts(
    exact: Embedder, texts: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One event a batch, rising to the total."""
    monkeypatch.setattr(embed, "BATCH_TOKENS", 300)
    events: list[Event] = []
    exact.encode_passages(texts, events.append)
    assert [e.done for e in events] == sorted(e.done for e in events)
    assert (events[-1].stage, events[-1].done, events[-1].total) == ("embed", 13, 13)
    assert len(events) > 2


def test_bfloat16_agrees_or_is_not_used(
    folder: Path, exact: Embedder, texts: Sequence[str]
) -> None:
    """Computed in bfloat16 on any processor: the vectors stay within 0.999 of the exact ones."""
    low = Embedder(folder, dtype="bfloat16", threads=1)
    assert low.dtype == "bfloat16"
    written = [text for text in texts if text.strip()]
    assert (low.encode(written) * exact.encode(written)).sum(axis=1).min() > 0.999


def test_bfloat16_that_disagrees_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``auto`` goes back to float32, with the exact weights."""
    monkeypatch.setattr(embed, "has_bf16", lambda: True)
    monkeypatch.setattr(embed, "SAME", 1.1)
    model = Embedder(folder, threads=1)
    assert model.dtype == "float32"
    expected = LightEncoder(folder).encode(["harbour lights"])
    assert (model.encode(["harbour lights"]) * expected).sum() > 0.999999


@given(st.lists(st.integers(0, 256), max_size=60), st.integers(1, 600))
def test_batches_hold_every_text_once_within_the_budget(lengths: list[int], budget: int) -> None:
    """Padded size within the budget (or one text), longest first."""
    batches = plan_batches(lengths, budget)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or max(lengths[i] for i in batch) * len(batch) <= budget
    order = [lengths[i] for batch in batches for i in batch]
    assert order == sorted(order, reverse=True)


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    """It is said what the folder lacks."""
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="no weights"):
        Embedder(tmp_path)


def test_questions_take_the_light_encoder(folder: Path) -> None:
    """And without a note."""
    encoder, note = query_encoder(folder)
    assert isinstance(encoder, LightEncoder)
    assert note == ""


def test_questions_fall_back_with_a_note(model_copy: Path) -> None:
    """A model pooled otherwise is read by sentence-transformers."""
    path = model_copy / "1_Pooling" / "config.json"
    settings = json.loads(path.read_text())
    settings |= {"pooling_mode_mean_tokens": False, "pooling_mode_max_tokens": True}
    path.write_text(json.dumps(settings))
    encoder, note = query_encoder(model_copy)
    assert isinstance(encoder, Embedder)
    assert "pooling" in note
    assert encoder.encode(["a question"]).shape == (1, 384)
