"""Folders of derived files: one per generation, complete or not there at all.

A folder is filled under a temporary name, synced, and renamed; its manifest lists every file with
size and checksum. The generation before the current one is kept for readers that are still at it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import orjson

from ragcli.errors import StoreDamaged

MANIFEST = "manifest.json"
FORMAT = 1


def folder(store: Path, generation: int) -> Path:
    return store / "derived" / str(generation)


def build(store: Path, generation: int, fill: Callable[[Path], None]) -> Path:
    """Make the folder of a generation anew: ``fill(path)`` writes the files into it."""
    target = folder(store, generation)
    draft = target.with_name(f"{generation}.new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    fill(draft)
    names = sorted(p.name for p in draft.iterdir())
    files = {n: {"size": (draft / n).stat().st_size, "blake2b": _hash(draft / n)} for n in names}
    manifest = {"format": FORMAT, "generation": generation, "files": files}
    (draft / MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    for name in (*names, MANIFEST):
        _sync(draft / name)
    shutil.rmtree(target, ignore_errors=True)
    draft.replace(target)
    _sync(target.parent)
    return target


def problem(path: Path, *, thorough: bool = False) -> str:
    """What is wrong with a generation's folder, "" if nothing; ``thorough`` reads every byte."""
    try:
        manifest = orjson.loads((path / MANIFEST).read_bytes())
        if manifest["format"] != FORMAT:
            return f"format {manifest['format']}"
        for name, facts in manifest["files"].items():
            file = path / name
            if file.stat().st_size != facts["size"]:
                return f"{name} has {file.stat().st_size} bytes, expected {facts['size']}"
            if thorough and _hash(file) != facts["blake2b"]:
                return f"{name} does not have its checksum"
    except FileNotFoundError as error:
        return f"missing {Path(error.filename or path).name}"
    except (orjson.JSONDecodeError, KeyError, TypeError, OSError) as error:
        return f"unreadable: {error}"
    return ""


def checked(path: Path) -> Path:
    """The folder itself; StoreDamaged when it cannot be used."""
    if found := problem(path):
        raise StoreDamaged(f"derived files in {path}: {found}", "run: ragcli inspect check")
    return path


def prune(store: Path, current: int) -> None:
    """Delete the folders of all generations but the current one and the one before it."""
    keep = {str(current), str(current - 1)}
    for path in (store / "derived").iterdir():
        if path.name not in keep:
            shutil.rmtree(path, ignore_errors=True)


def _hash(file: Path) -> str:
    stamp = blake2b(digest_size=16)
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            stamp.update(block)
    return stamp.hexdigest()


def _sync(path: Path) -> None:
    """Flush a file, or (where the system can) a folder's entries, to the disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
