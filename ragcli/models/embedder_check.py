"""Checks the folder of an embedding model before any library loads it: it may name code, not data.

sentence-transformers imports whatever class ``modules.json`` names, transformers can run Python
files of a model, and weights in Python's pickle format can run anything.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from ragcli.errors import ModelError

# Modules whose own settings name no class to be imported, as those of Router and WordEmbeddings do.
_ALLOWED = re.compile(
    r"sentence_transformers(\.\w+)*\.(Transformer|Pooling|Normalize|Dense|Dropout|LayerNorm"
    r"|WeightedLayerPooling|StaticEmbedding)"
)
_LONGEST = 64 << 20
_CODE = ("auto_map", "custom_pipelines", "trust_remote_code")


def check_embedder(folder: Path) -> None:
    """Raise ModelError unless a folder holds a model that loads without running code of its own."""
    for module in _modules(folder):
        kind, place = module.get("type"), module.get("path", "")
        if not isinstance(kind, str) or not _ALLOWED.fullmatch(kind):
            raise ModelError(
                f"{folder}/modules.json names code that ragcli does not load: {kind!r}",
                "use a model of a transformer, pooling and layers of sentence-transformers",
            )
        if not isinstance(place, str) or _leaves(place):
            raise ModelError(f"{folder}/modules.json leads out of its folder: {place!r}", _HINT)
    for file in sorted(folder.rglob("*config*.json")):
        found = _json(file)
        if isinstance(found, dict) and (named := [key for key in _CODE if found.get(key)]):
            raise ModelError(
                f"{file} names code: {named[0]}", "use a model that needs no code of its own"
            )
    if not any(folder.rglob("*.safetensors")):
        raise ModelError(
            f"{folder} has no weights in the safetensors format",
            "other formats may run code; save the model again with sentence-transformers",
        )


_HINT = "copy the model's folder again from its source"


def _modules(folder: Path) -> list[dict[str, Any]]:
    file = folder / "modules.json"
    if not file.is_file():
        return []
    found = _json(file)
    if not isinstance(found, list) or not all(isinstance(module, dict) for module in found):
        raise ModelError(f"{file} is not a list of modules", _HINT)
    return found


def _json(file: Path) -> Any:
    try:
        if file.stat().st_size > _LONGEST:
            raise ModelError(f"{file} has more than {_LONGEST:,} bytes", _HINT)
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{file} cannot be read: {error}", _HINT) from error


def _leaves(place: str) -> bool:
    """Return whether a path of the model is absolute or goes upward, on any system."""
    return any(
        path.is_absolute() or path.drive or ".." in path.parts
        for path in (PurePosixPath(place), PureWindowsPath(place))
    )
