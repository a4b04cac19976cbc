"""Settings: defaults < ragcli.toml < environment (RAGCLI_*) < flags, each with where it is from."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
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


# Ways to answer, and types of what a language model keeps of a text.
ANSWERS = ("auto", "extractive", "llm", "none")
KV_TYPES = ("f16", "q8_0")

MOST = 1_000_000
"""The greatest whole number that a setting may have."""


def _setting(default: Any, text: str, choices: tuple[str, ...] = (), least: int = 0) -> Any:
    """``choices``: what a text may be, anything if none are given; ``least``: a number at least."""
    return field(default=default, metadata={"help": text, "choices": choices, "least": least})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its default; the help text is what ``config show`` prints."""

    embedder: str = _setting("default", "embedding model: default, or a folder")
    spacy: str = _setting("default", "English pipeline: default, a folder, or a package")
    llm: str = _setting("auto", "language model: auto, none, a GGUF file, or the name of one added")
    llm_context: int = _setting(
        4096, "tokens that a prompt and its reply may have together", least=1
    )
    llm_threads: int = _setting(0, "threads of the language model; 0: one for each usable CPU")
    llm_gpu_layers: int = _setting(0, "layers to put on a graphics card, if llama.cpp has one")
    llm_kv_type: str = _setting(
        "f16", "how attention remembers: f16, or q8_0 for half the memory", KV_TYPES
    )
    answer: str = _setting("auto", f"how to answer: {', '.join(ANSWERS)}", ANSWERS)
    follow_ups: str = _setting(
        "auto",
        "how a conversation's follow-ups are made whole: auto (by size), rule, llm",
        ("auto", "rule", "llm"),
    )
    mode: str = _setting("auto", f"how to retrieve: {', '.join(MODES)}", MODES)
    top_k: int = _setting(10, "hits to retrieve", least=1)
    budget: int = _setting(3000, "tokens of context for an answer", least=1)
    index_mode: str = _setting(
        "fast", f"how a new store extracts: {', '.join(INDEX_MODES)}", INDEX_MODES
    )
    entity_types: str = _setting(ENTITY_TYPES, "types that --mode light sorts entities into")
    workers: int = _setting(0, "processes for extraction; 0: one for each usable CPU")
    chunk_size: int = _setting(1200, "tokens in a chunk at most", least=1)
    chunk_overlap: int = _setting(100, "tokens that a chunk repeats of the one before")
    passage_size: int = _setting(200, "tokens in a passage, about", least=1)
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
    for layer, text, values in _layers(flags, environ, start or Path.cwd()):
        for name, value in values.items():
            converted = _convert(_KNOWN[name], value, _place(layer, text, name))
            settings = replace(settings, **{name: converted})
            origin[name] = layer
    return Config(settings, origin)


_KNOWN = {f.name: f for f in fields(Settings)}


def _layers(
    flags: Mapping[str, Any], environ: Mapping[str, str], start: Path
) -> list[tuple[str, str, dict[str, Any]]]:
    """Origin, text of the file if it is one, and settings of each layer; the last one wins."""
    layers: list[tuple[str, str, dict[str, Any]]] = []
    if file := _find(start):
        layers.append((str(file), *_read(file)))
    for name in sorted(_KNOWN):
        variable = f"RAGCLI_{name.upper()}"
        if environ.get(variable):
            layers.append((variable, "", {name: environ[variable]}))
    layers.append(("flag", "", {k: v for k, v in flags.items() if v is not None}))
    return layers


def _find(start: Path) -> Path | None:
    return next((p / FILE for p in (start, *start.parents) if (p / FILE).is_file()), None)


def _read(file: Path) -> tuple[str, dict[str, Any]]:
    known = f"known: {', '.join(sorted(_KNOWN))}"
    try:
        text = file.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(
            f"{file} cannot be read: {error}", f'a line is: top_k = 20, or: mode = "walk"; {known}'
        ) from error
    if unknown := sorted(values.keys() - _KNOWN.keys()):
        # Imported only here, where nobody waits for an answer.
        from difflib import get_close_matches

        near = get_close_matches(unknown[0], _KNOWN, 1)
        raise ConfigError(
            f"{_place(str(file), text, unknown[0])} is no setting",
            f"did you mean {near[0]}?" if near else known,
        )
    return text, values


def _place(layer: str, text: str, name: str) -> str:
    """How an error names a setting: with the line of a file, as a flag, or as a variable."""
    if layer == "flag":
        return f"--{name.replace('_', '-')}"
    if not text:
        return layer
    found = re.search(rf"""^[ \t]*\[?["']?{re.escape(name)}\b""", text, re.MULTILINE)
    line = f", line {text.count(chr(10), 0, found.start()) + 1}" if found else ""
    return f"{layer}{line}: {name}"


def _convert(setting: Field[Any], value: Any, place: str) -> Any:
    """The value as the setting's kind; ConfigError with what is allowed when it is none."""
    choices, least = setting.metadata["choices"], setting.metadata["least"]
    wanted: Any = type(setting.default)
    if wanted is int:
        allowed = f"a whole number from {least} to {MOST:,}"
    else:
        allowed = f"one of: {', '.join(choices)}" if choices else "text, in quotes"
    fits = isinstance(value, int | str) and not isinstance(value, bool)
    try:
        converted = wanted(value) if fits else None
    except ValueError:
        converted = None
    within = least <= converted <= MOST if isinstance(converted, int) else converted in choices
    if converted is None or not (within or (wanted is str and not choices)):
        raise ConfigError(f"{place} cannot be {value!r}", f"it must be {allowed}")
    return converted
