"""Small results about models, kept as JSON in a file beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

from ragcli.models.locate import models_folder


def read_results(name: str) -> dict[str, object]:
    """Return the kept results; a file that is missing or damaged holds none: it is made again."""
    try:
        found = orjson.loads((models_folder() / name).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def write_results(name: str, results: Mapping[str, object]) -> Path:
    """Replace the kept results; returns the file. Raises OSError where nothing can be written."""
    folder = models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f".{name}.part"
    partial.write_bytes(orjson.dumps(results, option=orjson.OPT_INDENT_2))
    return partial.replace(folder / name)
