"""Settings: defaults < ragcli.toml < environment (RAGCLI_*) < flags, each with where it is from."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from ragcli.errors import ConfigError

FILE = "ragcli.toml"

# Retrieval modes; the table of strategies itself is too heavy to import for a help page.
MODES = (
    *("auto", "walk", "naive", "bm25", "dense+bm25", "e2", "raptor"),
    *("local", "global", "hybrid", "mix", "lean"),
)

# Baselines that eval knows besides: a language model writes for each question before the search.
EVAL_MODES = ("hyde", "decompose")

# Ways to extract; "auto" is by the size of the language model, fast without one.
INDEX_MODES = ("fast", "light", "hybrid", "auto")
ENTITY_TYPES = (
    "person, organization, location, event, concept, method, artifact, work, date, quantity, other"
)


def _setting(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its default; the help text is what ``config show`` prints."""

    embedder: str = _setting("default", "embedding model: default, or a folder")
    spacy: str = _setting("default", "English pipeline: default, a folder, or a package")
    llm: str = _setting("auto", "language model: auto, none, a GGUF file, or the name of one added")
    llm_context: int = _setting(4096, "tokens that a prompt and its reply may have together")
    llm_threads: int = _setting(0, "threads of the language model; 0: one for each usable CPU")
    llm_gpu_layers: int = _setting(0, "layers to put on a graphics card, if llama.cpp has one")
    llm_kv_type: str = _setting("f16", "how attention remembers: f16, or q8_0 for half the memory")
    answer: str = _setting("auto", "how to answer: auto, extractive, llm, none")
    follow_ups: str = _setting(
        "auto", "how a conversation's follow-ups are made whole: auto (by size), rule, llm"
    )
    mode: str = _setting("auto", f"how to retrieve: {', '.join(MODES)}")
    top_k: int = _setting(10, "hits to retrieve")
    budget: int = _setting(3000, "tokens of context for an answer")
    index_mode: str = _setting("fast", f"how a new store extracts: {', '.join(INDEX_MODES)}")
    entity_types: str = _setting(ENTITY_TYPES, "types that --mode light sorts entities into")
    workers: int = _setting(0, "processes for extraction; 0: one for each usable CPU")
    chunk_size: int = _setting(1200, "tokens in a chunk at most")
    chunk_overlap: int = _setting(100, "tokens that a chunk repeats of the one before")
    passage_size: int = _setting(200, "tokens in a passage, about")
    passage_overlap: int = _setting(40, "tokens that a passage repeats of the one before")


@dataclass(frozen=True, slots=True)
class Config:
    """Settings, and for each its origin: "default", a file, a variable, or "flag"."""

    settings: Settings
    origin: dict[str, str]


def load(
    flags: Mapping[str, Any], environ: Mapping[str, str] = os.environ, start: Path | None = None
) -> Config:
    """Merge all layers; ``flags`` that are None were not given.

    Raises ConfigError for an unknown name or a value of the wrong kind.
    """
    settings = Settings()
    origin = {f.name: "default" for f in fields(Settings)}
    for layer, values in _layers(flags, environ, start or Path.cwd()):
        for name, value in values.items():
            settings = replace(settings, **{name: _convert(name, value, layer)})
            origin[name] = layer
    return Config(settings, origin)


def _layers(
    flags: Mapping[str, Any], environ: Mapping[str, str], start: Path
) -> list[tuple[str, dict[str, Any]]]:
    names = {f.name for f in fields(Settings)}
    layers: list[tuple[str, dict[str, Any]]] = []
    if file := _find(start):
        layers.append((str(file), _read(file, names)))
    for name in sorted(names):
        variable = f"RAGCLI_{name.upper()}"
        if environ.get(variable):
            layers.append((variable, {name: environ[variable]}))
    layers.append(("flag", {k: v for k, v in flags.items() if v is not None}))
    return layers


def _find(start: Path) -> Path | None:
    return next((p / FILE for p in (start, *start.parents) if (p / FILE).is_file()), None)


def _read(file: Path, names: set[str]) -> dict[str, Any]:
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    if unknown := sorted(values.keys() - names):
        raise ConfigError(
            f"{file} has an unknown setting {unknown[0]!r}", f"known: {', '.join(sorted(names))}"
        )
    return values


def _convert(name: str, value: Any, layer: str) -> Any:
    wanted = type(getattr(Settings(), name))
    try:
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise ValueError
        converted = wanted(value)
    except ValueError:
        kind = "a whole number" if wanted is int else "text"
        raise ConfigError(f"{layer}: {name} must be {kind}, not {value!r}") from None
    if wanted is int and converted < 0:
        raise ConfigError(f"{layer}: {name} must not be negative, not {value!r}")
    return converted
