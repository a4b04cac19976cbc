"""The light encoder: computes a BERT-type embedding model in NumPy, for questions.

``ask`` embeds one question. Importing sentence-transformers takes seconds; this module and one
forward pass (``trunk.py``) take about 0.1 s. It memory-maps the same weights, so it reads only the
rows of the question's tokens from the 47 MB of the vocabulary. Mean pooling and normalisation are
as in Reimers and Gurevych 2019, "Sentence-BERT", https://arxiv.org/abs/1908.10084.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ragcli.errors import ModelError
from ragcli.models.cpu import one_blas_thread, usable_cpus
from ragcli.models.tokens import load_tokenizer, readable
from ragcli.models.trunk import PACK_TOKENS, Floats, Shape, Trunk, packs
from ragcli.models.weights import open_tensors

LEAST_PACK_TOKENS = 256
"""Tokens that are worth a thread."""


class UnsupportedModelError(ModelError):
    """``LightEncoder`` cannot compute this kind of model; sentence-transformers may be able to."""


class LightEncoder:
    """Embeds texts; the vectors have a cosine of 0.99999 with those of sentence-transformers."""

    def __init__(self, folder: Path) -> None:
        """Map the model in ``folder``; this takes about 20 ms.

        Raises UnsupportedModelError when it is of another kind, ModelError when it is damaged.
        """
        self._shape = read_shape(folder)
        self._tokenizer = load_tokenizer(folder)
        tensors = _checked(open_tensors(folder / "model.safetensors"), self._shape, folder)
        self._trunk = Trunk(tensors, self._shape)
        self._last: tuple[str, Floats] | None = None

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._shape.dim

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return unit vectors, shape (len(texts), dim); long texts are cut at the limit.

        The last text that was embedded alone is remembered: a question is embedded to search, and
        again beside the sentences that may answer it. Packs of texts run side by side.
        """
        if len(texts) > 1 and self._last is not None and self._last[0] == texts[0]:
            return np.concatenate([self._last[1], self._embed(texts[1:])])
        vectors = self._embed(texts)
        if len(texts) == 1:
            self._last = texts[0], vectors
        return vectors

    def _embed(self, texts: Sequence[str]) -> Floats:
        vectors = np.empty((len(texts), self.dim), np.float32)
        encodings = self._tokenizer.encode_batch_fast([readable(text) for text in texts])
        ids = [self._cut(encoding.ids) for encoding in encodings]
        lengths = [len(row) for row in ids]
        share = max(LEAST_PACK_TOKENS, -(-sum(lengths) // usable_cpus()))

        def run(pack: tuple[int, int]) -> None:
            vectors[slice(*pack)] = self._forward(ids[slice(*pack)])

        parts = list(packs(lengths, min(PACK_TOKENS, share)))
        with one_blas_thread():
            if len(parts) == 1:
                run(parts[0])
            elif parts:
                with ThreadPoolExecutor(usable_cpus()) as pool:
                    list(pool.map(run, parts))
        return vectors

    def _cut(self, ids: list[int]) -> list[int]:
        """The ids of a text with its last special token, at most the limit of the model."""
        limit = self._shape.max_tokens
        return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]

    def _forward(self, ids: list[list[int]]) -> Floats:
        """Token ids of each text -> (texts, d) unit vectors."""
        hidden, spans = self._trunk(ids)
        pooled = np.stack([hidden[span].mean(axis=0) for span in spans])
        lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
        unit: Floats = pooled / np.maximum(lengths, 1e-12)
        return unit


def read_shape(folder: Path) -> Shape:
    """Read the settings of a sentence-transformers folder.

    Raises UnsupportedModelError unless the model is a BertModel with exact GELU, absolute
    positions, mean pooling, at most a normalisation after it, and no prompt before texts.
    """
    config = _json(folder / "config.json")
    _require(folder, "architecture", config.get("architectures"), (["BertModel"],))
    _require(folder, "activation", config.get("hidden_act"), ("gelu",))
    _require(folder, "positions", config.get("position_embedding_type"), (None, "absolute"))
    modules = [str(m.get("type", "")).rpartition(".")[2] for m in _json(folder / "modules.json")]
    known = ["Transformer", "Pooling", "Normalize"]
    _require(folder, "modules", modules, (known, known[:2]))
    pooling = _json(folder / "1_Pooling" / "config.json")
    modes = [key for key, on in pooling.items() if key.startswith("pooling_mode_") and on is True]
    mode = pooling.get("pooling_mode", modes)
    _require(folder, "pooling", mode, ("mean", ["mean"], ["pooling_mode_mean_tokens"]))
    prompts = _json(folder / "config_sentence_transformers.json", optional=True)
    _require(folder, "prompt", prompts.get("default_prompt_name"), (None,))
    settings = _json(folder / "sentence_bert_config.json", optional=True)
    longest = int(config["max_position_embeddings"])
    return Shape(
        layers=int(config["num_hidden_layers"]),
        heads=int(config["num_attention_heads"]),
        dim=int(config["hidden_size"]),
        epsilon=float(config["layer_norm_eps"]),
        max_tokens=min(int(settings.get("max_seq_length") or longest), longest),
    )


def _require(folder: Path, what: str, found: Any, expected: tuple[Any, ...]) -> None:
    if found not in expected:
        raise UnsupportedModelError(
            f"{folder} has {what} {found}, the light encoder needs {expected[0]}",
            "sentence-transformers is used instead; questions take some seconds longer",
        )


def _json(path: Path, optional: bool = False) -> Any:
    if optional and not path.is_file():
        return {}
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UnsupportedModelError(f"{path} cannot be read: {error}") from error


def _checked(tensors: dict[str, Any], shape: Shape, folder: Path) -> dict[str, Any]:
    """Return the tensors after checking that the embeddings and the last layer exist."""
    last = f"encoder.layer.{shape.layers - 1}.output.dense.weight"
    for name in ("embeddings.word_embeddings.weight", last):
        if name not in tensors:
            raise UnsupportedModelError(f"{folder / 'model.safetensors'} has no tensor {name}")
    return tensors
