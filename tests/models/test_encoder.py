"""The light encoder, held against sentence-transformers and against exact formulas."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.errors import ModelError
from ragcli.models import trunk
from ragcli.models.embed import Embedder
from ragcli.models.embedder_settings import UnsupportedModelError
from ragcli.models.encoder import LightEncoder
from ragcli.models.locate import embedder_folder
from ragcli.models.tokens import readable
from ragcli.models.trunk import Floats, attend, gelu


def test_equals_sentence_transformers(
    exact: Embedder, light: LightEncoder, texts: Sequence[str]
) -> None:
    """Empty, long, cut, foreign and odd texts: the same direction to five nines.

    Words that the vocabulary cannot read are given to both in pieces.
    """
    given = [readable(text) for text in texts]
    expected = exact._model.encode(given, normalize_embeddings=True, show_progress_bar=False)
    found = light.encode(texts)
    assert found.dtype == np.float32
    assert found.shape == (len(texts), 384)
    assert (found * expected).sum(axis=1).min() >= 0.99999
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


@settings(deadline=None, max_examples=30)
@given(text=st.text(max_size=600))
def test_any_text_has_a_unit_vector(light: LightEncoder, text: str) -> None:
    """No text, however odd, gives NaN or a wrong length."""
    assert abs(np.linalg.norm(light.encode([text])[0]) - 1) < 1e-5


def test_company_does_not_matter(
    light: LightEncoder, texts: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text alone, among others, or in several packs: the same vector but for rounding."""
    together = light.encode(texts)
    alone = np.concatenate([light.encode([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    monkeypatch.setattr(trunk, "PACK_TOKENS", 20)
    np.testing.assert_allclose(light.encode(texts), together, atol=1e-5)


def test_no_texts_no_vectors(light: LightEncoder) -> None:
    """An empty list is no special case for the caller."""
    assert light.encode([]).shape == (0, 384)


def test_gelu_against_the_definition() -> None:
    """x times the normal distribution function, within what the docstring promises."""
    x = np.linspace(-8, 8, 20_001, dtype=np.float32)
    exact = [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.tolist()]
    np.testing.assert_allclose(gelu(x), exact, atol=5e-7)


@pytest.mark.parametrize("rows", [1, trunk.NORM_ROWS, trunk.NORM_ROWS + 1])
def test_blocks_of_rows_are_normalised_like_one(light: LightEncoder, rows: int) -> None:
    """The mean is 0 and the variance 1 before weight and bias, in a short last block, too."""
    given = np.random.default_rng(rows).normal(3, 5, size=(rows, 384)).astype(np.float32)
    found = given.copy()
    light._trunk._norm(found, "embeddings.LayerNorm")
    name = "embeddings.LayerNorm"
    weight, bias = (light._trunk._weight(f"{name}.{part}") for part in ("weight", "bias"))
    centred = given - given.mean(axis=1, keepdims=True)
    expected = centred / np.sqrt(np.square(centred).mean(axis=1, keepdims=True)) * weight + bias
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("scale", [1.0, 100.0])
@pytest.mark.parametrize("heads", [1, trunk.HEADS_AT_ONCE, trunk.HEADS_AT_ONCE + 1])
def test_attention_against_the_definition(scale: float, heads: int) -> None:
    """Softmax of the scores times the values; scores of thousands do not overflow."""
    rng = np.random.default_rng(heads)
    query, key, value = rng.normal(size=(3, 7, heads, 4)).astype(np.float32)
    found = np.empty_like(value)
    attend(query * np.float32(scale), key, value, found)
    scores = np.einsum("ihd,jhd->hij", query.astype(np.float64) * scale, key)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(found, np.einsum("hij,jhd->ihd", weights, value), atol=2e-5)


@pytest.mark.parametrize(
    ("file", "key", "value"),
    [
        ("config.json", "architectures", ["MPNetModel"]),
        ("config.json", "hidden_act", "gelu_new"),
        ("config.json", "position_embedding_type", "relative_key"),
        ("1_Pooling/config.json", "pooling_mode_cls_token", True),
        ("1_Pooling/config.json", "pooling_mode", "max"),
        ("sentence_bert_config.json", "do_lower_case", True),
        ("config.json", "num_hidden_layers", 12),
    ],
)
def test_other_models_are_refused(model_copy: Path, file: str, key: str, value: Any) -> None:
    """Rather no vector than a wrong one: the caller takes sentence-transformers instead."""
    settings = json.loads((model_copy / file).read_text())
    (model_copy / file).write_text(json.dumps({**settings, key: value}))
    with pytest.raises(UnsupportedModelError):
        LightEncoder(model_copy)


def test_an_added_layer_is_refused(model_copy: Path) -> None:
    """A dense layer after pooling changes every vector."""
    modules = json.loads((model_copy / "modules.json").read_text())
    dense = {"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"}
    (model_copy / "modules.json").write_text(json.dumps([*modules, dense]))
    with pytest.raises(UnsupportedModelError, match="modules"):
        LightEncoder(model_copy)


def test_both_spellings_of_mean_pooling_are_known(model_copy: Path, light: LightEncoder) -> None:
    """sentence-transformers 5 and later write ``pooling_mode: mean``."""
    config = {"embedding_dimension": 384, "pooling_mode": "mean", "include_prompt": True}
    (model_copy / "1_Pooling" / "config.json").write_text(json.dumps(config))
    text = ["which spelling"]
    np.testing.assert_array_equal(LightEncoder(model_copy).encode(text), light.encode(text))


def test_damaged_weights_are_named(model_copy: Path, folder: Path) -> None:
    """A half-copied file is a damaged model, not an unsupported one."""
    (model_copy / "model.safetensors").unlink()
    (model_copy / "model.safetensors").write_bytes(
        (folder / "model.safetensors").read_bytes()[:1_000_000]
    )
    with pytest.raises(ModelError, match="truncated") as caught:
        LightEncoder(model_copy)
    assert not isinstance(caught.value, UnsupportedModelError)


def test_a_question_embedded_alone_is_not_embedded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vector is the remembered one; the sentences beside it are embedded."""
    encoder = LightEncoder(embedder_folder())
    alone = encoder.encode(["Who keeps the hut?"])
    fresh = encoder.encode(["When?", "Ann Lee keeps the hut.", "Who keeps the hut?"])
    counted: list[int] = []
    trunk = encoder._trunk

    def counting(ids: list[list[int]]) -> tuple[Floats, list[slice]]:
        counted.append(len(ids))
        return trunk(ids)

    monkeypatch.setattr(encoder, "_trunk", counting)
    again = encoder.encode(["Who keeps the hut?"])
    said = encoder.encode_passages(["Ann Lee keeps the hut."])
    assert sum(counted) == 1
    assert (again == alone).all()
    assert said[0] @ fresh[1] == pytest.approx(1, abs=1e-5)
    assert alone[0] @ fresh[2] == pytest.approx(1, abs=1e-5)


def test_long_texts_are_cut_with_their_last_mark() -> None:
    """As sentence-transformers cuts them: what follows the limit changes nothing."""
    encoder = LightEncoder(embedder_folder())
    words = "word " * 600
    one, other = encoder.encode([words, words + "quite another end"])
    assert one @ other == pytest.approx(1, abs=1e-6)
