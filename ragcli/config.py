"""Settings: defaults < ragcli.toml < environment (RAGCLI_*) < flags, each with where it is from."""

from __future__ import annotations

import logging
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from ragcli.errors import ConfigError

FILE = "ragcli.toml"

# Retrieval modes; the table of strategies itself is too heavy to import for a help page.
MODES = (
    "auto",
    "walk",
    "naive",
    "bm25",
    "dense+bm25",
    "e2",
    "raptor",
    "local",
    "global",
    "hybrid",
    "mix",
    "lean",
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

PREFIX = "RAGCLI_"
# Variables with the prefix that are no settings: a folder of models, tracebacks, data for tests
# and benchmarks, and where doctor's proof writes.
_OTHER_VARIABLES = {f"{PREFIX}{name}" for name in ("MODELS", "DEBUG", "DATA", "SOCKETS")}

_log = logging.getLogger(__name__)


def _setting(default: Any, text: str, choices: tuple[str, ...] = (), least: int = 0) -> Any:
    """``choices``: what a text may be, anything if none are given; ``least``: a number at least."""
    return field(default=default, metadata={"help": text, "choices": choices, "least": least})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its default; ``ragcli config show`` prints what each of them means.

    >>> Settings(top_k=5).top_k
    5
    """

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


@dataclass(frozen=True, slots=True)
class _Layer:
    """Values of one origin; ``text`` is the whole file if the origin is one, else ""."""

    origin: str
    values: Mapping[str, Any]
    text: str = ""

    def place(self, name: str) -> str:
        """How an error names a setting: with the line of a file, as a flag, or as a variable."""
        if self.origin == "flag":
            return f"--{name.replace('_', '-')}"
        if not self.text:
            return self.origin
        found = re.search(rf"""^[ \t]*\[?["']?{re.escape(name)}\b""", self.text, re.MULTILINE)
        line = f", line {self.text.count(chr(10), 0, found.start()) + 1}" if found else ""
        return f"{self.origin}{line}: {name}"


def load(
    flags: Mapping[str, Any], environ: Mapping[str, str] = os.environ, start: Path | None = None
) -> Config:
    """Merge all layers; ``flags`` that are None are not given.

    Raises ConfigError for an unknown name or a value of the wrong kind.
    """
    values: dict[str, Any] = {}
    origin = {f.name: "default" for f in fields(Settings)}
    places: dict[str, str] = {}
    for layer in _layers(flags, environ, start or Path.cwd()):
        for name, value in layer.values.items():
            places.pop(name, None)  # so that the last one set comes last
            places[name] = layer.place(name)
            values[name] = _convert(_KNOWN[name], value, places[name])
            origin[name] = layer.origin
    settings = Settings(**values)
    _check_overlaps(settings, places)
    return Config(settings, origin)


def load_settings(**values: Any) -> Settings:
    """The settings that the command line would use here, with these values on top.

    Defaults < ``ragcli.toml`` in the current folder or above < ``RAGCLI_*`` variables < ``values``.
    Raises ConfigError for an unknown name or a value of the wrong kind.
    """
    return changed(load({}).settings, **values)


def changed(settings: Settings, **values: Any) -> Settings:
    """A copy of the settings with these values, where they are not None; all of it is checked.

    Raises ConfigError for an unknown name or a value of the wrong kind.

    >>> changed(Settings(), top_k=3, mode=None).top_k
    3
    """
    for name in values:
        if name not in _KNOWN:
            raise ConfigError(f"{name} is no setting", _known_or_near(name, _KNOWN))
    given = {name: value for name, value in values.items() if value is not None}
    made = replace(settings, **given)
    made = replace(made, **{n: _convert(f, getattr(made, n), n) for n, f in _KNOWN.items()})
    _check_overlaps(made, {name: name for name in sorted(_KNOWN, key=lambda name: name in given)})
    return made


def _check_overlaps(settings: Settings, places: Mapping[str, str]) -> None:
    """Raise ConfigError where an overlap fills more than half of its size.

    ``places``: how errors name the settings that were given, the last one last. That is the one
    that the error names.
    """
    for pair in (("chunk_size", "chunk_overlap"), ("passage_size", "passage_overlap")):
        size, overlap = (getattr(settings, name) for name in pair)
        if overlap <= size / 2:
            continue
        given = [name for name in places if name in pair][-1]
        other = pair[given == pair[0]]
        raise ConfigError(
            f"{places[given]} cannot be {getattr(settings, given)} where {other} is "
            f"{getattr(settings, other)}",
            f"with a {pair[0]} of {size}, {pair[1]} must be from 0 to {size // 2}",
        )


_KNOWN = {f.name: f for f in fields(Settings)}


def _layers(flags: Mapping[str, Any], environ: Mapping[str, str], start: Path) -> list[_Layer]:
    """All layers; the last one wins."""
    layers = [_read(file)] if (file := _find(start)) else []
    layers += _variables(environ)
    return [*layers, _Layer("flag", {k: v for k, v in flags.items() if v is not None})]


def _variables(environ: Mapping[str, str]) -> list[_Layer]:
    """A layer for each variable of a setting.

    A variable whose name is nearly that of a setting is an error; others may belong to other
    programs, so they are only named.
    """
    known = {f"{PREFIX}{name.upper()}": name for name in sorted(_KNOWN)}
    for variable in sorted(environ):
        if not variable.startswith(PREFIX) or variable in {*known, *_OTHER_VARIABLES}:
            continue
        if near := _near(variable.removeprefix(PREFIX).lower(), _KNOWN, 0.75):
            hint = f"did you mean {PREFIX}{near.upper()}?"
            raise ConfigError(f"the variable {variable} is no setting", hint)
        _log.warning("the variable %s is no setting and has no effect", variable)
    return [_Layer(v, {name: environ[v]}) for v, name in known.items() if environ.get(v)]


def _find(start: Path) -> Path | None:
    return next((p / FILE for p in (start, *start.parents) if (p / FILE).is_file()), None)


def _read(file: Path) -> _Layer:
    try:
        text = file.read_text(encoding="utf-8")
        layer = _Layer(str(file), tomllib.loads(text), text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        hint = f'a line is: top_k = 20, or: mode = "walk"; {_known_or_near("", _KNOWN)}'
        raise ConfigError(f"{file} cannot be read: {error}", hint) from error
    if unknown := sorted(layer.values.keys() - _KNOWN.keys()):
        hint = _known_or_near(unknown[0], _KNOWN)
        raise ConfigError(f"{layer.place(unknown[0])} is no setting", hint)
    return layer


def _near(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The known name that is most like ``name``, "" when none is like it."""
    # Imported only here, where nobody waits for an answer.
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, known, 1, likeness)), "")


def _known_or_near(name: str, known: Iterable[str]) -> str:
    near = _near(name, known)
    return f"did you mean {near}?" if near else f"known: {', '.join(sorted(known))}"


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
