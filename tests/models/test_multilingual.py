"""Multilingual embedding models: XLM-R's type, unigram tokenizers, prompts, poolings."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from made_embedders import BEFORE, CORPORA, make_model

from ragcli.errors import ModelError
from ragcli.models.embed import Embedder, query_encoder
from ragcli.models.embedder_settings import Prompts, embedder_print, prompts_of
from ragcli.models.encoder import LightEncoder
from ragcli.models.locate import fingerprint
from ragcli.models.tokens import TokenOffsets

GIVEN = [
    *(path.read_text(encoding="utf-8") for path in sorted(CORPORA.glob("*/*.txt"))[::4]),
    "",
    "?",
    "a <pad> b </s> c",
    "Wer baute den Turm? " * 40,
    "变压器室设在二号楼的地下层" * 30,
    "ｗｉｄｅ ﬁ ½ 가나다",
]


@pytest.mark.parametrize("architecture", ["XLMRobertaModel", "BertModel"])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_the_light_encoder_equals_sentence_transformers(
    tmp_path: Path, architecture: str, pooling: str
) -> None:
    """Questions and passages, each with its prompt, cut texts and spelt-out marks too."""
    folder = make_model(tmp_path / "m", architecture=architecture, pooling=pooling, prompts=BEFORE)
    exact, light = Embedder(folder, dtype="float32", threads=1), LightEncoder(folder)
    assert exact.max_tokens == (128 if architecture == "XLMRobertaModel" else 130)
    asked = exact._model.encode_query(GIVEN, normalize_embeddings=True)
    said = exact._model.encode(GIVEN, prompt_name="passage", normalize_embeddings=True)
    assert _least(light.encode(GIVEN), asked) > 0.9999
    assert _least(light.encode_passages(GIVEN), said) > 0.9999
    assert _least(exact.encode(GIVEN), asked) > 0.9999
    assert _least(exact.encode_passages(GIVEN), said) > 0.9999
    assert _least(light.encode(GIVEN), light.encode_passages(GIVEN)) < 0.999


def _least(one: np.ndarray, other: np.ndarray) -> float:
    return float((one * other).sum(axis=1).min())


def test_no_prompts_nothing_before_the_text(tmp_path: Path) -> None:
    """Questions and passages are embedded alike."""
    light = LightEncoder(make_model(tmp_path / "m"))
    assert not prompts_of(tmp_path / "m")
    np.testing.assert_array_equal(light.encode(GIVEN), light.encode_passages(GIVEN))


@pytest.mark.parametrize(
    ("config", "prompts"),
    [
        ({"prompts": BEFORE}, Prompts("query: ", "passage: ")),
        ({"prompts": {"query": "Q ", "document": ""}}, Prompts("Q ", "")),
        ({"prompts": {"q": "Q "}, "default_prompt_name": "q"}, Prompts("Q ", "Q ")),
        ({"prompts": {"query": "", "q": "Q "}, "default_prompt_name": "q"}, Prompts("", "Q ")),
        ({"prompts": {"query": None, "document": None}}, Prompts()),
        ({}, Prompts()),
    ],
)
def test_prompts_are_chosen_by_name(
    tmp_path: Path, config: dict[str, object], prompts: Prompts
) -> None:
    """By name: for questions "query", for passages the first of three names, else the default."""
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps(config))
    assert prompts_of(tmp_path) == prompts


@pytest.mark.parametrize(
    "config", [{"prompts": ["a"]}, {"prompts": {"query": 3}}, {"default_prompt_name": "q"}, []]
)
def test_damaged_prompts_are_named(tmp_path: Path, config: object) -> None:
    """An error that names the folder, before any text is embedded."""
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=re.escape(str(tmp_path))):
        prompts_of(tmp_path)


def test_prompts_are_part_of_what_identifies_vectors(tmp_path: Path) -> None:
    """A store made before prompts were used is not continued with them."""
    with_, without = make_model(tmp_path / "a", prompts=BEFORE), make_model(tmp_path / "b")
    assert embedder_print(with_) == f"{fingerprint(with_)}.p"
    assert embedder_print(without) == fingerprint(without)


def test_other_architectures_take_the_slow_path_and_say_so(tmp_path: Path) -> None:
    """sentence-transformers embeds the question; the note says why and that it takes longer."""
    folder = make_model(tmp_path / "m")
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text('{"word_embedding_dimension": 32, "pooling_mode": "max"}')
    encoder, note = query_encoder(folder)
    assert isinstance(encoder, Embedder)
    assert "pooling max" in note
    assert "some seconds longer" in note
    assert encoder.encode(["Wer?"]).shape == (1, 32)


def test_a_large_vocabulary_is_mapped_not_read(tmp_path: Path) -> None:
    """Of 250,000 rows only those of the question's tokens reach memory."""
    folder = make_model(tmp_path / "m", vocabulary=250_000)
    encoder = LightEncoder(folder)
    tracemalloc.start()
    encoder.encode(["Wer baute den Leuchtturm von Rauhfels?"])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (folder / "model.safetensors").stat().st_size > 32_000_000
    assert most < 2_000_000


@pytest.mark.parametrize("text", GIVEN)
def test_token_offsets_of_a_unigram_tokenizer(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """They rise and lie inside the text, also in long runs without spaces."""
    starts = _offsets(tmp_path_factory)(text)
    assert (np.diff(starts) >= 0).all()
    assert len(starts) == 0 or (starts[0] >= 0 and starts[-1] < len(text))
    assert len(starts) >= len(text) // 25


_made: list[TokenOffsets] = []


def _offsets(factory: pytest.TempPathFactory) -> TokenOffsets:
    if not _made:
        _made.append(TokenOffsets(make_model(factory.mktemp("unigram") / "m")))
    return _made[0]


def test_paragraphs_without_spaces_get_none(tmp_path: Path) -> None:
    """A unigram model reads words of any length: nothing is cut into its text."""
    light = LightEncoder(make_model(tmp_path / "m"))
    said: Sequence[str] = ["ひらがなだけのながいぶんしょう" * 8]
    broken = [" ".join([said[0][at : at + 33] for at in range(0, len(said[0]), 33)])]
    assert _least(light.encode(said), light.encode(broken)) < 0.99999
