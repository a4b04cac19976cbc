"""Settings, and where each value comes from: default < ragcli.toml < RAGCLI_* variable < flag."""

from __future__ import annotations

import logging
import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from ragcli.errors import ConfigError
from ragcli.text.scripts import NAMES
from ragcli.trust import is_trusted

FILE = "ragcli.toml"

# Retrieval modes. The table of strategies itself is too slow to import for a help page.
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

# Further modes of eval: baselines. In the first two a language model rewrites each question first.
EVAL_MODES = ("hyde", "decompose", "graphrag")

# Extraction modes. "auto" chooses by the size of the language model; it is "fast" without one.
INDEX_MODES = ("fast", "light", "hybrid", "auto")
ENTITY_TYPES = (
    "person, organization, location, event, concept, method, artifact, work, date, quantity, other"
)


# Answerers, and number types of a language model's key-value cache.
ANSWERS = ("auto", "extractive", "llm", "none")
KV_TYPES = ("f16", "q8_0")
# The reader finds the short answer and says how sure it is; without it sentences answer.
READERS = ("default", "none")
MIN_CONFIDENCE = 0.5
"""A short answer is shown if it is likelier right than not: docs/adr/answer-score.md."""

EXCERPT = 300
"""What fewer tokens lose is in docs/adr/llm-answers.md."""

MOST = 1_000_000
"""The largest whole number that a setting accepts."""

PREFIX = "RAGCLI_"
# Variables with the prefix that are not settings: the folder of models, the switch for tracebacks,
# the data of tests and benchmarks, the folder of doctor's network check, and the secret of serve.
_OTHER_VARIABLES = {
    f"{PREFIX}{name}" for name in ("MODELS", "DEBUG", "DATA", "SOCKETS", "HTTP_TOKEN")
}

_log = logging.getLogger(__name__)


def _setting(default: Any, text: str, choices: tuple[str, ...] = (), least: int = 0) -> Any:
    """Declare a setting. ``choices``: allowed texts, () for any; ``least``: smallest number."""
    return field(default=default, metadata={"help": text, "choices": choices, "least": least})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults. ``ragcli config show`` explains each of them.

    >>> Settings(top_k=5).top_k
    5
    """

    embedder: str = _setting("default", "embedding model: default, or a folder")
    spacy: str = _setting("default", "English pipeline: default, a folder, or a package")
    languages: str = _setting(
        "", "spaCy pipelines of other languages: de=FOLDER; fr=PACKAGE, or a table in the file"
    )
    llm: str = _setting("auto", "language model: auto, none, a GGUF file, or an added one's name")
    llm_context: int = _setting(4096, "most tokens of a prompt and its reply together", least=1)
    llm_threads: int = _setting(0, "threads of the language model; 0: one per usable CPU")
    llm_gpu_layers: int = _setting(0, "layers to run on a graphics card, if llama.cpp finds one")
    llm_kv_type: str = _setting(
        "f16", "numbers in the key-value cache: f16, or q8_0 for half the memory", KV_TYPES
    )
    llm_excerpt: int = _setting(
        EXCERPT,
        "tokens of the best sentences that a written answer is made from; 0: whole passages",
    )
    answer: str = _setting("auto", f"how to answer: {', '.join(ANSWERS)}", ANSWERS)
    follow_ups: str = _setting(
        "auto",
        "how follow-up questions are completed: auto (by size of the model), rule, llm",
        ("auto", "rule", "llm"),
    )
    mode: str = _setting("auto", f"how to retrieve: {', '.join(MODES)}", MODES)
    top_k: int = _setting(10, "hits to retrieve", least=1)
    budget: int = _setting(3000, "tokens of context for an answer", least=1)
    reader: str = _setting("default", f"what finds short answers: {', '.join(READERS)}", READERS)
    min_confidence: float = _setting(
        MIN_CONFIDENCE, "confidence, from 0 to 1, below which a short answer is withheld"
    )
    index_mode: str = _setting(
        "fast", f"how a new store extracts: {', '.join(INDEX_MODES)}", INDEX_MODES
    )
    entity_types: str = _setting(
        ENTITY_TYPES, "types that --mode light sorts entities into; in the file also a list"
    )
    light_instructions: str = _setting(
        "", "added to the instructions of --mode light: what to look for, how to describe it"
    )
    workers: int = _setting(0, "processes for extraction; 0: one per usable CPU")
    read_seconds: int = _setting(
        60, "most seconds of processor time to read a file that is not plain text", least=1
    )
    read_megabytes: int = _setting(
        2048, "most megabytes of memory to read a file that is not plain text", least=256
    )
    serve_seconds: int = _setting(
        120, "most seconds that serve works on a request before it gives up", least=1
    )
    fresh: str = _setting(
        "false",
        "whether ask, search and serve first index small changes: true, false, or an age such as 1h"
        " after which they look",
    )
    ocr: str = _setting(
        "auto",
        "what reads scanned pages and pictures: auto (the extra ocr, if it is installed), none, or"
        " a command: a PNG comes in, text goes out",
    )
    ocr_seconds: int = _setting(
        1800, "most seconds to read all scanned pages and pictures of a file", least=1
    )
    ocr_pictures: str = _setting(
        "files",
        "which pictures are read: files, or all, with those inside documents",
        ("files", "all"),
    )
    chunk_size: int = _setting(1200, "most tokens in a chunk", least=1)
    chunk_overlap: int = _setting(100, "tokens that a chunk repeats from the previous one")
    passage_size: int = _setting(200, "approximate tokens in a passage", least=1)
    passage_overlap: int = _setting(40, "tokens that a passage repeats from the previous one")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings, and the origin of each: "default", a file, a variable, or "flag"."""

    settings: Settings
    origin: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Layer:
    """The values from one origin. ``text`` is the content if the origin is a file, else ""."""

    origin: str
    values: Mapping[str, Any]
    text: str = ""

    def place(self, name: str) -> str:
        """Return how errors name a setting: a line of a file, a flag, or a variable."""
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
    """Merge the settings of all origins. A flag that is None counts as not given.

    Raises ConfigError for an unknown name or a value of the wrong kind.
    """
    values: dict[str, Any] = {}
    origin = {f.name: "default" for f in fields(Settings)}
    places: dict[str, str] = {}
    for layer in _layers(flags, environ, start or Path.cwd()):
        for name, value in layer.values.items():
            places.pop(name, None)  # keep the places in the order in which values were set
            places[name] = layer.place(name)
            values[name] = _convert(_KNOWN[name], value, places[name])
            origin[name] = layer.origin
    settings = Settings(**values)
    _check_overlaps(settings, places)
    return Config(settings, origin)


def load_settings(**values: Any) -> Settings:
    """Return the settings that the command line would use here, overridden by ``values``.

    Defaults < ``ragcli.toml`` in the current folder or above < ``RAGCLI_*`` variables < ``values``.
    Raises ConfigError for an unknown name or a value of the wrong kind.
    """
    return changed(load({}).settings, **values)


def changed(settings: Settings, **values: Any) -> Settings:
    """Return a validated copy of the settings with those ``values`` that are not None.

    Raises ConfigError for an unknown name or a value of the wrong kind.

    >>> changed(Settings(), top_k=3, mode=None).top_k
    3
    """
    for name in values:
        if name not in _KNOWN:
            raise ConfigError(f"{name} is not a setting", _known_or_near(name, _KNOWN))
    given = {name: value for name, value in values.items() if value is not None}
    made = replace(settings, **given)
    made = replace(made, **{n: _convert(f, getattr(made, n), n) for n, f in _KNOWN.items()})
    _check_overlaps(made, {name: name for name in sorted(_KNOWN, key=lambda name: name in given)})
    return made


def _check_overlaps(settings: Settings, places: Mapping[str, str]) -> None:
    """Raise ConfigError if an overlap is more than half of its size.

    ``places`` maps the settings that were given to how errors name them, in the order in which
    they were set. The error names the one that was set last.
    """
    for pair in (("chunk_size", "chunk_overlap"), ("passage_size", "passage_overlap")):
        size, overlap = (getattr(settings, name) for name in pair)
        if overlap <= size / 2:
            continue
        given = [name for name in places if name in pair][-1]
        other = pair[given == pair[0]]
        raise ConfigError(
            f"{places[given]} cannot be {getattr(settings, given)} when {other} is "
            f"{getattr(settings, other)}",
            f"with a {pair[0]} of {size}, {pair[1]} must be from 0 to {size // 2}",
        )


_LONGEST_FILE = 1 << 16
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_KNOWN = {f.name: f for f in fields(Settings)}


def _layers(flags: Mapping[str, Any], environ: Mapping[str, str], start: Path) -> list[_Layer]:
    """Return the layers of settings; later layers override earlier ones."""
    layers = [_read(file, environ)] if (file := nearest_file(start)) else []
    layers += _variables(environ)
    return [*layers, _Layer("flag", {k: v for k, v in flags.items() if v is not None})]


def _variables(environ: Mapping[str, str]) -> list[_Layer]:
    """Return one layer for each environment variable that sets a setting.

    A variable whose name resembles that of a setting is an error. Any other may belong to another
    program, so it only causes a warning.
    """
    known = {f"{PREFIX}{name.upper()}": name for name in sorted(_KNOWN)}
    for variable in sorted(environ):
        if not variable.startswith(PREFIX) or variable in {*known, *_OTHER_VARIABLES}:
            continue
        if near := _near(variable.removeprefix(PREFIX).lower(), _KNOWN, 0.75):
            hint = f"did you mean {PREFIX}{near.upper()}?"
            raise ConfigError(f"the variable {variable} is not a setting", hint)
        _log.warning("the variable %s is not a setting and has no effect", variable)
    return [_Layer(v, {name: environ[v]}) for v, name in known.items() if environ.get(v)]


def nearest_file(start: Path) -> Path | None:
    """The settings file of a folder or of the nearest one above it."""
    return next((p / FILE for p in (start, *start.parents) if (p / FILE).is_file()), None)


def naming(file: Path) -> tuple[str, dict[str, Any]]:
    """The text of a settings file, and the settings in it that name a model or a program.

    Raises ConfigError if the file cannot be read.
    """
    layer = _parsed(file)
    return layer.text, {name: layer.values[name] for name in _named(layer)}


def _read(file: Path, environ: Mapping[str, str]) -> _Layer:
    """The values of a settings file; of a file that nobody trusts, without models and programs."""
    layer = _parsed(file)
    named = _named(layer)
    if not named or _is_at_home(file) or is_trusted(file, layer.text, environ):
        return layer
    for name in named:
        what = "a program" if name in _PROGRAMS else "a model"
        _log.warning(
            "%s is ignored: it names %s, and you do not trust this file (ragcli config trust)",
            layer.place(name),
            what,
        )
    kept = {name: value for name, value in layer.values.items() if name not in named}
    return replace(layer, values=kept)


def _parsed(file: Path) -> _Layer:
    try:
        if file.stat().st_size > _LONGEST_FILE:
            raise ConfigError(f"{file} has more than {_LONGEST_FILE:,} bytes", "write it anew")
        text = file.read_text(encoding="utf-8")
        layer = _Layer(str(file), tomllib.loads(text), text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        hint = f'write lines like: top_k = 20, or: mode = "walk"; {_known_or_near("", _KNOWN)}'
        raise ConfigError(f"{file} cannot be read: {error}", hint) from error
    if unknown := sorted(layer.values.keys() - _KNOWN.keys()):
        hint = _known_or_near(unknown[0], _KNOWN)
        raise ConfigError(f"{layer.place(unknown[0])} is not a setting", hint)
    return layer


def _named(layer: _Layer) -> list[str]:
    """The settings that a layer sets to a model or a program, and not to what is installed."""
    found = (_MODELS | _PROGRAMS) & layer.values.keys()
    return sorted(name for name in found if layer.values[name] not in _NO_NAMES)


def _is_at_home(file: Path) -> bool:
    return file.absolute().parent == Path.home() and _is_own(file)


# Settings that name files which large libraries load. They parse them and may run code of theirs.
_MODELS = {"embedder", "spacy", "languages", "llm"}
# Settings that name programs. A project that one has unpacked must not choose what runs.
_PROGRAMS = {"ocr"}
# Values of these settings that name nothing.
_NO_NAMES = ("", "auto", "default", "none")


def _is_own(file: Path) -> bool:
    """Return whether nobody but the user and the administrator can have written a file."""
    if sys.platform == "win32":
        return True
    info = file.stat()
    return info.st_uid in (os.getuid(), 0) and not info.st_mode & stat.S_IWOTH


def _near(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return the known name that is most similar to ``name``, "" if none is similar enough."""
    # Imported here because only errors need it.
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, known, 1, likeness)), "")


def _known_or_near(name: str, known: Iterable[str]) -> str:
    near = _near(name, known)
    return f"did you mean {near}?" if near else f"known: {', '.join(sorted(known))}"


def _convert(setting: Field[Any], value: Any, place: str) -> Any:
    """Convert a value to the setting's type.

    Raises ConfigError, with the allowed values as its hint, for any other value.
    """
    choices, least = setting.metadata["choices"], setting.metadata["least"]
    wanted: Any = type(setting.default)
    if setting.name == "languages":
        return _listed_pipelines(value, place)
    if setting.name == "fresh":
        return _freshness(value, place)
    if setting.name == "entity_types" and isinstance(value, list):
        return _joined(value, place)
    if wanted is float:
        return _fraction(value, place)
    if wanted is int:
        allowed = f"a whole number from {least} to {MOST:,}"
    else:
        allowed = f"one of: {', '.join(choices)}" if choices else "text, in quotes"
        if isinstance(value, str) and (near := _near(value, choices)):
            allowed = f"{allowed}; did you mean {near}?"
    fits = isinstance(value, int | str) and not isinstance(value, bool)
    try:
        converted = wanted(value) if fits else None
    except ValueError:
        converted = None
    within = least <= converted <= MOST if isinstance(converted, int) else converted in choices
    if converted is None or not (within or (wanted is str and not choices)):
        raise ConfigError(f"{place} cannot be {value!r}", f"it must be {allowed}")
    return converted


def _joined(values: Sequence[Any], place: str) -> str:
    """A list of names as one text. Raises ConfigError if it holds anything else."""
    if not values or not all(isinstance(v, str) and v.strip() and "," not in v for v in values):
        raise ConfigError(f"{place} cannot be {values!r}", 'write it like: ["person", "place"]')
    return ", ".join(values)


def seconds_of(fresh: str) -> float:
    """Return the age of the setting ``fresh`` in seconds; 0 for always. The value must be valid.

    >>> seconds_of("90m"), seconds_of("true")
    (5400.0, 0.0)
    """
    return float(fresh[:-1]) * _UNITS[fresh[-1]] if _is_age(fresh) else 0.0


def _is_age(text: str) -> bool:
    """Whether a text is a number of at most six digits and a unit."""
    number, unit = text[:-1], text[-1:]
    return unit in _UNITS and number.isascii() and number.isdecimal() and len(number) <= 6


def _freshness(value: Any, place: str) -> str:
    """The value as "true", "false" or an age; ConfigError if it is none."""
    text = str(value).lower() if isinstance(value, bool | str) else ""
    if text not in ("true", "false") and not _is_age(text):
        raise ConfigError(
            f"{place} cannot be {value!r}", "it must be true, false, or an age: 30s, 10m, 1h, 7d"
        )
    return text


def pipelines_of(languages: str) -> dict[str, str]:
    """Return the pipelines of the setting ``languages`` by code; the value must be valid.

    >>> pipelines_of("fr=fr_core_news_sm; de=/models/german")
    {'de': '/models/german', 'fr': 'fr_core_news_sm'}
    """
    pairs = (pair.partition("=") for pair in languages.split(";") if pair.strip())
    return dict(sorted((code.strip(), named.strip()) for code, _, named in pairs))


def _listed_pipelines(value: Any, place: str) -> str:
    """The pipelines as one text, sorted; they are given as such a text or as a table."""
    if isinstance(value, Mapping):
        pairs = dict(value)
    elif isinstance(value, str):
        pairs = dict(pipelines_of(value))
    else:
        pairs = {"": value}
    for code, named in pairs.items():
        if code == "en":
            raise ConfigError(
                f"{place} cannot have en", "the English pipeline is the setting spacy"
            )
        if code not in NAMES:
            hint = f"known languages: {', '.join(sorted(NAMES.keys() - {'en'}))}"
            raise ConfigError(f"{place} cannot have the language {code!r}", hint)
        if not isinstance(named, str) or not named.strip() or ";" in named or "\n" in named:
            raise ConfigError(
                f"{place} cannot name {named!r} for {code}",
                'write the folder or the package of a spaCy pipeline: de = "de_core_news_sm"',
            )
    return "; ".join(f"{code}={named.strip()}" for code, named in sorted(pairs.items()))


def _fraction(value: Any, place: str) -> float:
    """The value as a number from 0 to 1; ConfigError if it is none."""
    try:
        number = float(value) if isinstance(value, int | float | str) else -1.0
    except ValueError:
        number = -1.0
    if isinstance(value, bool) or not 0 <= number <= 1:
        raise ConfigError(f"{place} cannot be {value!r}", "it must be a number from 0 to 1")
    return number
