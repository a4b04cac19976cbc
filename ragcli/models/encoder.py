"""The light encoder: a BERT-type embedding model in NumPy, for questions.

``ask`` embeds one question. Importing sentence-transformers for that takes seconds, this module
and one forward pass about 0.1 s. The same weights are memory-mapped, so of the vocabulary's
47 MB only the rows of the question's tokens are read. Architecture: Devlin et al. 2019, "BERT",
https://arxiv.org/abs/1810.04805, with the exact (erf) GELU; mean pooling and normalisation as in
Reimers and Gurevych 2019, "Sentence-BERT", https://arxiv.org/abs/1908.10084.

Shapes: T tokens of all texts in a pack, L tokens of one text, d hidden, h heads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.cpu import one_blas_thread
from ragcli.models.tokens import load_tokenizer, readable
from ragcli.models.weights import open_tensors

Floats = NDArray[np.float32]

PACK_TOKENS = 2048
"""Tokens in one forward pass: bounds memory to about 30 MB."""

GELU_ROWS = 32
"""Rows that ``gelu`` takes at once: its arrays, 200 kB each, stay in the second cache."""


class UnsupportedModelError(ModelError):
    """The model is not of the kind that ``LightEncoder`` computes; sentence-transformers may."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a forward pass must know besides the weights."""

    layers: int
    heads: int
    dim: int
    epsilon: float
    max_tokens: int


class LightEncoder:
    """Unit vectors of texts, equal to sentence-transformers' to a cosine of 0.99999."""

    def __init__(self, folder: Path) -> None:
        """Map the model in ``folder``; about 20 ms.

        Raises UnsupportedModelError when it is of another kind, ModelError when it is damaged.
        """
        self._shape = read_shape(folder)
        self._tokenizer = load_tokenizer(folder)
        self._tokenizer.enable_truncation(self._shape.max_tokens)
        self._tensors = _checked(open_tensors(folder / "model.safetensors"), self._shape, folder)

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        return self._shape.dim

    def encode(self, texts: Sequence[str]) -> Floats:
        """Vectors of unit length, shape (len(texts), dim); long texts are cut at the limit."""
        vectors = np.empty((len(texts), self.dim), np.float32)
        encodings = self._tokenizer.encode_batch_fast([readable(text) for text in texts])
        ids = [encoding.ids for encoding in encodings]
        with one_blas_thread():
            for start, end in _packs([len(row) for row in ids]):
                vectors[start:end] = self._forward(ids[start:end])
        return vectors

    def _forward(self, ids: list[list[int]]) -> Floats:
        """Token ids of each text -> (texts, d) unit vectors.

        The texts lie end to end in one (T, d) array, so nothing is padded and nothing masked;
        only attention and pooling look at each text by itself.
        """
        ends = np.cumsum([len(row) for row in ids])
        spans = [slice(end - len(row), end) for row, end in zip(ids, ends.tolist(), strict=True)]
        hidden = self._embed(ids)
        for layer in range(self._shape.layers):
            name = f"encoder.layer.{layer}"
            mixed = self._linear(self._attention(hidden, spans, name), f"{name}.attention.output")
            hidden = self._norm(mixed + hidden, f"{name}.attention.output.LayerNorm")
            inner = gelu(self._linear(hidden, f"{name}.intermediate"))
            hidden = self._norm(
                self._linear(inner, f"{name}.output") + hidden, f"{name}.output.LayerNorm"
            )
        pooled = np.stack([hidden[span].mean(axis=0) for span in spans])
        lengths = np.linalg.norm(pooled, axis=1, keepdims=True)
        unit: Floats = pooled / np.maximum(lengths, 1e-12)
        return unit

    def _embed(self, ids: list[list[int]]) -> Floats:
        """Sum of word, position and segment embeddings, normalised: (T, d)."""
        words = np.concatenate([np.array(row, np.int64) for row in ids])
        positions = np.concatenate([np.arange(len(row)) for row in ids])
        summed = (
            self._weight("embeddings.word_embeddings.weight", words)
            + self._weight("embeddings.position_embeddings.weight", positions)
            + self._weight("embeddings.token_type_embeddings.weight", 0)
        )
        return self._norm(summed, "embeddings.LayerNorm")

    def _attention(self, hidden: Floats, spans: list[slice], name: str) -> Floats:
        """Scaled dot-product attention inside each text, heads side by side: (T, d)."""
        size = self._shape.dim // self._shape.heads
        query, key, value = (
            self._linear(hidden, f"{name}.attention.self.{part}", dense="").reshape(
                len(hidden), self._shape.heads, size
            )
            for part in ("query", "key", "value")
        )
        query *= np.float32(size**-0.5)
        mixed = np.empty_like(hidden)
        for span in spans:
            # (h, L, size) @ (h, size, L) -> (h, L, L), one square of weights per head
            scores = query[span].transpose(1, 0, 2) @ key[span].transpose(1, 2, 0)
            heads = softmax(scores) @ value[span].transpose(1, 0, 2)
            mixed[span] = heads.transpose(1, 0, 2).reshape(-1, self._shape.dim)
        return mixed

    def _linear(self, rows: Floats, name: str, dense: str = ".dense") -> Floats:
        weight, bias = self._weight(f"{name}{dense}.weight"), self._weight(f"{name}{dense}.bias")
        product: Floats = rows @ weight.T
        product += bias
        return product

    def _norm(self, rows: Floats, name: str) -> Floats:
        """Layer normalisation over the last axis."""
        rows = rows - rows.mean(axis=-1, keepdims=True)
        rows /= np.sqrt(np.square(rows).mean(axis=-1, keepdims=True) + self._shape.epsilon)
        rows *= self._weight(f"{name}.weight")
        rows += self._weight(f"{name}.bias")
        return rows

    def _weight(self, name: str, rows: Any = ...) -> Floats:
        """A tensor, or some of its rows, as float32 (half-precision files are widened here)."""
        return np.asarray(self._tensors[name][rows], dtype=np.float32)


def softmax(scores: Floats) -> Floats:
    """Softmax over the last axis, in place."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def gelu(x: Floats) -> Floats:
    """Gaussian error linear unit, x * (1 + erf(x / sqrt 2)) / 2, of rows (T, n).

    erf by Abramowitz and Stegun, formula 7.1.26, at most 1.5e-7 off; the result is within 5e-7
    for |x| <= 8, which is float32's own precision there. SciPy's erf would cost 0.2 s to import.

    Some rows at a time, so that the seventeen passes find them in the processor's cache: of
    700 rows 3.5 ms instead of 9.
    """
    result = np.empty_like(x)
    for start in range(0, len(x), GELU_ROWS):
        _gelu_into(x[start : start + GELU_ROWS], result[start : start + GELU_ROWS])
    return result


def _gelu_into(x: Floats, out: Floats) -> None:
    z = np.abs(x)
    z *= np.float32(0.5**0.5)
    t = np.float32(0.3275911) * z
    t += 1
    np.reciprocal(t, out=t)
    series = np.full_like(t, 1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series *= t
        series += np.float32(coefficient)
    series *= t
    np.square(z, out=z)
    np.negative(z, out=z)
    series *= np.exp(z, out=z)
    np.subtract(1, series, out=series)
    np.copysign(series, x, out=series)
    series += 1
    np.multiply(np.float32(0.5), x, out=out)
    out *= series


def _packs(lengths: list[int]) -> Iterator[tuple[int, int]]:
    """Ranges of texts that hold at most PACK_TOKENS tokens together (or one text)."""
    start = tokens = 0
    for at, length in enumerate(lengths):
        if at > start and tokens + length > PACK_TOKENS:
            yield start, at
            start, tokens = at, 0
        tokens += length
    if start < len(lengths):
        yield start, len(lengths)


def read_shape(folder: Path) -> Shape:
    """Read a sentence-transformers folder's settings.

    Raises UnsupportedModelError unless they say: BertModel, exact GELU, absolute positions, mean
    pooling, at most a normalisation after it, and no prompt put before texts.
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
            f"{folder} has {what} {found}, the light encoder expects {expected[0]}",
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
    """The tensors, if those of the last layer and the embeddings are there."""
    last = f"encoder.layer.{shape.layers - 1}.output.dense.weight"
    for name in ("embeddings.word_embeddings.weight", last):
        if name not in tensors:
            raise UnsupportedModelError(f"{folder / 'model.safetensors'} has no tensor {name}")
    return tensors
