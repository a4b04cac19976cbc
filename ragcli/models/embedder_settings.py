"""What the folder of a sentence-transformers model says about itself, read without the library.

The files are described in https://sbert.net/docs/package_reference/sentence_transformer/.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragcli.errors import ModelError
from ragcli.models.locate import fingerprint
from ragcli.models.trunk import Shape

_BERT = "BertModel"
_ROBERTA = frozenset(("XLMRobertaModel", "RobertaModel", "CamembertModel"))
"""The same layers as BERT; positions are counted from the padding token's number on."""

_PASSAGE = ("document", "passage", "corpus")
"""Names of the prompt before a passage, in the order in which sentence-transformers looks."""

_POOLINGS: dict[str, Literal["mean", "cls"]] = {
    "mean": "mean",
    "pooling_mode_mean_tokens": "mean",
    "cls": "cls",
    "pooling_mode_cls_token": "cls",
}


class UnsupportedModelError(ModelError):
    """The light encoder cannot compute this kind of model; sentence-transformers may be able to."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The texts that a model was trained to see before a question and before a passage."""

    query: str = ""
    passage: str = ""

    def __bool__(self) -> bool:
        return bool(self.query or self.passage)


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """All that the light encoder must know; ``prefix`` is that of the tensors' names."""

    shape: Shape
    pooling: Literal["mean", "cls"]
    prompts: Prompts


def prompts_of(folder: Path) -> Prompts:
    """Return the prompts that a model's own configuration names.

    The names are those that sentence-transformers looks for; the default prompt replaces one that
    is missing. An empty prompt says that nothing is before the text.

    Raises ModelError when the configuration is damaged or its default prompt does not exist.
    """
    config = _json(folder / "config_sentence_transformers.json", optional=True)
    prompts = config.get("prompts") or {} if isinstance(config, dict) else None
    if not isinstance(prompts, dict) or not all(
        text is None or isinstance(text, str) for text in prompts.values()
    ):
        raise ModelError(f"the prompts of {folder} are damaged", "copy the model's folder again")
    default = config.get("default_prompt_name")
    if default is not None and default not in prompts:
        raise ModelError(
            f"{folder} names a default prompt {default!r} that it does not have",
            "mend default_prompt_name in its config_sentence_transformers.json",
        )

    def first(*names: str) -> str:
        # sentence-transformers writes null for a name that the model says nothing about.
        found = next((name for name in names if prompts.get(name) is not None), default)
        return (prompts[found] or "") if found is not None else ""

    return Prompts(first("query"), first(*_PASSAGE))


def embedder_print(folder: Path) -> str:
    """Return what identifies the vectors of a model: its content, and whether prompts are used."""
    return f"{fingerprint(folder)}.p" if prompts_of(folder) else fingerprint(folder)


def longest_text(folder: Path) -> int | None:
    """Return the most tokens that a model has positions for, None if its settings do not say."""
    try:
        config = _json(folder / "config.json")
    except ModelError:
        return None
    most = config.get("max_position_embeddings")
    if not isinstance(most, int) or most < 1:
        return None
    architecture = (config.get("architectures") or [""])[0]
    return most - (int(config.get("pad_token_id") or 0) + 1) * (architecture in _ROBERTA)


def read_settings(folder: Path) -> EmbedderSettings:
    """Read the settings of a sentence-transformers folder for the light encoder.

    Raises UnsupportedModelError unless the model is of BERT's or RoBERTa's type (XLM-R too) with
    exact GELU, absolute positions, pooling by mean or first token, and at most a normalisation
    after it.
    """
    config = _json(folder / "config.json")
    architecture = (config.get("architectures") or [""])[0]
    _require(folder, "architecture", architecture, (_BERT, *sorted(_ROBERTA)))
    _require(folder, "activation", config.get("hidden_act"), ("gelu",))
    _require(folder, "positions", config.get("position_embedding_type"), (None, "absolute"))
    modules = [str(m.get("type", "")).rpartition(".")[2] for m in _json(folder / "modules.json")]
    known = ["Transformer", "Pooling", "Normalize"]
    _require(folder, "modules", modules, (known, known[:2]))
    settings = _json(folder / "sentence_bert_config.json", optional=True)
    _require(folder, "lower case", bool(settings.get("do_lower_case")), (False,))
    prompts = prompts_of(folder)
    shape = Shape(
        layers=int(config["num_hidden_layers"]),
        heads=int(config["num_attention_heads"]),
        dim=int(config["hidden_size"]),
        epsilon=float(config["layer_norm_eps"]),
        max_tokens=_max_tokens(folder, settings.get("max_seq_length")),
        padding=int(config.get("pad_token_id") or 0) if architecture in _ROBERTA else None,
    )
    return EmbedderSettings(shape, _pooling(folder, prompts), prompts)


def _max_tokens(folder: Path, given: Any) -> int:
    """The most tokens of a text: as given, or as the tokenizer's settings say, within the model."""
    longest = longest_text(folder)
    if longest is None:
        raise UnsupportedModelError(f"{folder / 'config.json'} has no max_position_embeddings")
    tokenizer = _json(folder / "tokenizer_config.json", optional=True)
    most = given or tokenizer.get("model_max_length") or longest
    return min(int(most), longest)


def _pooling(folder: Path, prompts: Prompts) -> Literal["mean", "cls"]:
    config = _json(folder / "1_Pooling" / "config.json")
    on = [key for key, on in config.items() if key.startswith("pooling_mode_") and on is True]
    modes = config.get("pooling_mode", on)
    mode = modes if isinstance(modes, str) else "+".join(map(str, modes))
    _require(folder, "pooling", mode, tuple(_POOLINGS))
    if prompts:
        _require(folder, "prompts in pooling", config.get("include_prompt", True), (True,))
    return _POOLINGS[mode]


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
