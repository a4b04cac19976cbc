"""Derived files: immutable segments, and one manifest per generation that lists its segments.

    derived/7.json          the manifest of generation 7
    derived/segments/7/     a segment that generation 7 has added; later ones may share it

A segment is written under a temporary name, synced and renamed. Then the manifest, which lists
every file with size and checksum, is written in the same way. The previous generation is kept for
readers that still use it. Segments that no manifest lists are deleted.
"""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

import orjson

from ragcli.errors import StoreDamaged
from ragcli.store.durable import sync

_log = logging.getLogger(__name__)

_NAME = re.compile(r"\w[\w.-]*")
_HINT = "run: ragcli inspect check"


@dataclass(frozen=True, slots=True)
class File:
    """Size in bytes and checksum of a file."""

    size: int
    blake2b: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A folder of files; ``weight`` is its approximate size in bytes, by which segments are
    merged."""

    name: str
    weight: int
    files: dict[str, File]


def _manifest(store: Path, generation: int) -> Path:
    return store / "derived" / f"{generation}.json"


def folder(store: Path, segment: Segment) -> Path:
    """The folder of a segment."""
    return store / "derived" / "segments" / segment.name


def segments(store: Path, generation: int, format_: str = "") -> list[Segment]:
    """The segments of a generation, oldest first.

    Raises StoreDamaged if its manifest is unusable or has a different format.
    """
    path = _manifest(store, generation)
    try:
        manifest = orjson.loads(path.read_bytes())
        if format_ and manifest["format"] != format_:
            raise StoreDamaged(f"{path.name} has another format", _HINT)
        found = [
            Segment(s["name"], s["weight"], {n: File(**f) for n, f in s["files"].items()})
            for s in manifest["segments"]
        ]
        names = [name for segment in found for name in (segment.name, *segment.files)]
        if not all(_NAME.fullmatch(name) for name in names):
            raise StoreDamaged(f"{path.name} names files outside its folder", _HINT)
        return found
    except FileNotFoundError as error:
        raise StoreDamaged(f"missing {path.name}", _HINT) from error
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, OSError) as error:
        raise StoreDamaged(f"{path.name} is unreadable: {error}", _HINT) from error


def folders(store: Path, generation: int) -> list[Path]:
    """The folders of a generation's segments, oldest first. Raises StoreDamaged."""
    return [folder(store, segment) for segment in segments(store, generation)]


def problem(store: Path, generation: int, format_: str, *, thorough: bool = False) -> str:
    """The problem of a generation's files, "" if there is none; ``thorough`` reads every byte."""
    try:
        for segment in segments(store, generation, format_):
            for name, facts in segment.files.items():
                file = folder(store, segment) / name
                if (size := file.stat().st_size) != facts.size:
                    return f"{segment.name}/{name} has {size} bytes, expected {facts.size}"
                if thorough and _hash(file) != facts.blake2b:
                    return f"{segment.name}/{name} does not have its checksum"
    except StoreDamaged as error:
        return error.message
    except FileNotFoundError as error:
        return f"missing {Path(error.filename).name}"
    except OSError as error:
        return f"unreadable: {error}"
    return ""


def publish(
    store: Path,
    generation: int,
    format_: str,
    kept: Sequence[Segment],
    fill: Callable[[Path], int] | None,
) -> None:
    """Create a generation of ``kept`` segments, oldest first, and a new one (None: no new one).

    ``fill(folder)`` writes the files of the new segment and returns its weight. On return,
    everything is synced to disk. An existing manifest of the generation is replaced; its segments
    are kept.
    """
    made = [*kept, _fill(store, generation, fill)] if fill else list(kept)
    manifest = {
        "format": format_,
        "generation": generation,
        "segments": [asdict(segment) for segment in made],
    }
    target = _manifest(store, generation)
    draft = target.with_suffix(".new")
    draft.write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    sync(draft)
    draft.replace(target)
    sync(target.parent)


def _fill(store: Path, generation: int, fill: Callable[[Path], int]) -> Segment:
    """Write a segment under an unused name."""
    root = store / "derived" / "segments"
    root.mkdir(parents=True, exist_ok=True)
    name, turn = str(generation), 0
    while (root / name).exists():
        turn += 1
        name = f"{generation}-{turn}"
    draft = root / f"{name}.new"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    weight = fill(draft)
    names = sorted(p.name for p in draft.iterdir())
    files = {n: File((draft / n).stat().st_size, _hash(draft / n)) for n in names}
    for path in (*(draft / n for n in names), draft):
        sync(path)
    draft.replace(root / name)
    sync(root)
    return Segment(name, weight, files)


def adopt(store: Path, draft: Path, generation: int) -> None:
    """Move the files of a generation here from another store that continues this one.

    The other store's generation numbers are greater, so no generation here uses replaced files.
    """
    root = store / "derived" / "segments"
    root.mkdir(parents=True, exist_ok=True)
    for segment in segments(draft, generation):
        target = folder(store, segment)
        if target.exists():
            shutil.rmtree(target)
        folder(draft, segment).replace(target)
    sync(root)
    _manifest(draft, generation).replace(_manifest(store, generation))
    sync(root.parent)


def prune(store: Path, current: int) -> None:
    """Delete files that neither the current nor the previous generation needs."""
    root = store / "derived"
    named: set[str] = set()
    for generation in (current, current - 1):
        try:
            named |= {segment.name for segment in segments(store, generation)}
        except StoreDamaged as error:
            _log.debug(
                "the manifest of generation %d cannot be read: %s", generation, error.message
            )
            if generation == current:
                return  # unknown which segments are needed
    keep = {_manifest(store, g).name for g in (current, current - 1)} | {"segments"}
    gone = [path for path in root.iterdir() if path.name not in keep]
    gone += [path for path in (root / "segments").iterdir() if path.name not in named]
    for path in gone:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _hash(file: Path) -> str:
    stamp = blake2b(digest_size=16)
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            stamp.update(block)
    return stamp.hexdigest()
