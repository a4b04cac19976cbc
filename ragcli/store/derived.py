"""Files of generations: immutable segments, and manifests that list the segments of a generation.

    derived/7.json          the manifest of generation 7
    derived/segments/7/     a segment that generation 7 has added; later ones may share it
    vectors/7.json          the same for vectors

What is in ``derived`` can be made from the database. Vectors are nowhere else: they can only be
embedded again.

A segment is written under a temporary name, synced and renamed. Then the manifest, which lists
every file with size and checksum, is written in the same way. The previous generation is kept for
readers that still use it. Segments that no manifest lists are deleted.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b, file_digest
from pathlib import Path

import orjson

from ragcli.errors import StoreDamaged
from ragcli.store.durable import sync

_log = logging.getLogger(__name__)

_HINT = "run: ragcli inspect check"

DERIVED, VECTORS = "derived", "vectors"
"""The two places: folders in the store's folder, each with manifests and segments."""


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


def _manifest(store: Path, generation: int, place: str) -> Path:
    return store / place / f"{generation}.json"


def folder(store: Path, segment: Segment, place: str = DERIVED) -> Path:
    """The folder of a segment."""
    return store / place / "segments" / segment.name


def segments(
    store: Path, generation: int, format_: str = "", place: str = DERIVED
) -> list[Segment]:
    """The segments of a generation, oldest first.

    Raises StoreDamaged if its manifest is unusable or has a different format.
    """
    path = _manifest(store, generation, place)
    try:
        manifest = orjson.loads(path.read_bytes())
        if format_ and manifest["format"] != format_:
            raise StoreDamaged(f"{path.name} has another format", _HINT)
        found = [
            Segment(s["name"], s["weight"], {n: File(**f) for n, f in s["files"].items()})
            for s in manifest["segments"]
        ]
        names = [name for segment in found for name in (segment.name, *segment.files)]
        if not all(map(_is_plain, names)):
            raise StoreDamaged(f"{path.name} names files outside its folder", _HINT)
        return found
    except FileNotFoundError as error:
        raise StoreDamaged(f"missing {path.name}", _HINT) from error
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError, OSError) as error:
        raise StoreDamaged(f"{path.name} is unreadable: {error}", _HINT) from error


def _is_plain(name: str) -> bool:
    """Whether a name is that of a file in the folder itself, and of no hidden one."""
    return name[:1] not in ("", ".", "-") and all(c.isalnum() or c in "_.-" for c in name)


def folders(store: Path, generation: int, place: str = DERIVED) -> list[Path]:
    """The folders of a generation's segments, oldest first. Raises StoreDamaged."""
    return [folder(store, segment, place) for segment in segments(store, generation, "", place)]


def problem(
    store: Path, generation: int, format_: str, place: str = DERIVED, *, thorough: bool = False
) -> str:
    """The problem of a generation's files, "" if there is none; ``thorough`` reads every byte."""
    try:
        for segment in segments(store, generation, format_, place):
            for name, facts in segment.files.items():
                file = folder(store, segment, place) / name
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


def broken(store: Path, segment: Segment, place: str, *, thorough: bool = True) -> list[str]:
    """The names of a segment's files that are missing, or have another size or, if ``thorough``,
    another checksum."""
    found = []
    for name, facts in segment.files.items():
        file = folder(store, segment, place) / name
        try:
            size = file.stat().st_size
            if size != facts.size or (thorough and _hash(file) != facts.blake2b):
                found.append(name)
        except OSError:
            found.append(name)
    return found


def publish(
    store: Path,
    generation: int,
    format_: str,
    kept: Sequence[Segment],
    fill: Callable[[Path], int] | None,
    place: str = DERIVED,
) -> None:
    """Create a generation of ``kept`` segments, oldest first, and a new one (None: no new one).

    ``fill(folder)`` writes the files of the new segment and returns its weight. On return,
    everything is synced to disk. An existing manifest of the generation is replaced; its segments
    are kept.
    """
    root = store / place
    made = [*kept, _fill(root, generation, fill)] if fill else list(kept)
    manifest = {
        "format": format_,
        "generation": generation,
        "segments": [asdict(segment) for segment in made],
    }
    root.mkdir(exist_ok=True)
    target = _manifest(store, generation, place)
    draft = target.with_suffix(".new")
    draft.write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    sync(draft)
    draft.replace(target)
    sync(target.parent)


def _fill(place: Path, generation: int, fill: Callable[[Path], int]) -> Segment:
    """Write a segment under an unused name."""
    root = place / "segments"
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
    for place in (VECTORS, DERIVED):
        root = store / place / "segments"
        root.mkdir(parents=True, exist_ok=True)
        for segment in segments(draft, generation, "", place):
            target = folder(store, segment, place)
            if target.exists():
                shutil.rmtree(target)
            folder(draft, segment, place).replace(target)
        sync(root)
        _manifest(draft, generation, place).replace(_manifest(store, generation, place))
        sync(root.parent)


def prune(store: Path, current: int) -> None:
    """Delete files that neither the current nor the previous generation needs."""
    for place in (VECTORS, DERIVED):
        if (store / place).exists():
            _prune(store, current, place)


def _prune(store: Path, current: int, place: str) -> None:
    root = store / place
    named: set[str] = set()
    for generation in (current, current - 1):
        try:
            named |= {segment.name for segment in segments(store, generation, "", place)}
        except StoreDamaged as error:
            _log.debug(
                "the manifest of generation %d cannot be read: %s", generation, error.message
            )
            if generation == current:
                return  # unknown which segments are needed
    keep = {_manifest(store, g, place).name for g in (current, current - 1)} | {"segments"}
    gone = [path for path in root.iterdir() if path.name not in keep]
    if (root / "segments").exists():
        gone += [path for path in (root / "segments").iterdir() if path.name not in named]
    for path in gone:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, lambda: blake2b(digest_size=16)).hexdigest()
