"""A store in one file with a checksum, for a machine that has no network.

A bundle is a zip archive of two members: ``store.sqlite``, a compacted copy of one generation and
the pending rows after it, and ``bundle.json``, the manifest with its SHA-256. Derived files are not
included; the import rebuilds them.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import orjson

from ragcli.errors import BundleError
from ragcli.store.connection import FILE, FORMAT, damaged, open_store
from ragcli.store.durable import sync
from ragcli.store.meta import generation, get_meta
from ragcli.store.schema_check import check_schema
from ragcli.version import VERSION

MANIFEST = "bundle.json"
BUNDLE_FORMAT = 1
_BLOCK = 1 << 20
# For text and float16 vectors, higher levels take several times as long and save a few percent.
_LEVEL = 1
_LONGEST_MANIFEST = 1 << 20
_AGAIN = "copy or export the bundle again"
# Errors of zipfile for damaged data; RuntimeError: a member is marked as encrypted.
_WRONG = (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError)


def export(store: Path, file: Path) -> dict[str, Any]:
    """Write the store as the bundle ``file`` atomically; returns the manifest.

    Writers may continue, since the copy is a snapshot. Raises BundleError and OSError if ``file``
    cannot be written, StoreError and its subclasses.
    """
    if not file.parent.is_dir():
        raise BundleError(
            f"cannot write {file}: there is no folder {file.parent}", "create it, or name another"
        )
    if file.is_dir():
        raise BundleError(f"cannot write {file}: it is a folder", f"for example {file}/store.rag")
    copy, draft = (file.with_name(f".{file.name}.{os.getpid()}.{end}") for end in ("sqlite", "zip"))
    try:
        # Checked before SQLite, whose error would name the store instead of the target.
        copy.open("xb").close()
        facts = _copy(store, copy)
        manifest = {
            "format": BUNDLE_FORMAT,
            "ragcli": VERSION,
            "store_format": FORMAT,
            **facts,
            "files": {FILE: {"size": copy.stat().st_size, "sha256": _hash_file(copy)}},
        }
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
            archive.writestr(MANIFEST, orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
            archive.write(copy, FILE)
        sync(draft)
        draft.replace(file)
        sync(file.parent)
    finally:
        for path in (copy, draft):
            path.unlink(missing_ok=True)
    return manifest


def _copy(store: Path, copy: Path) -> dict[str, Any]:
    """A compacted copy of the database, and its entries in the manifest."""
    db = open_store(store, readonly=True)
    try:
        db.execute("VACUUM INTO ?", (str(copy),))
    except sqlite3.Error as error:
        raise damaged(store / FILE, error) from error
    finally:
        db.close()
    db = sqlite3.connect(copy)
    try:
        return _facts(db)
    finally:
        db.close()


def _facts(db: sqlite3.Connection) -> dict[str, Any]:
    """What the manifest says about a database."""
    return {
        "generation": generation(db),
        "documents": db.execute("SELECT count(*) FROM documents").fetchone()[0],
        "roots": [os.fsdecode(row[0]) for row in db.execute("SELECT path FROM roots ORDER BY id")],
        "models": orjson.loads(get_meta(db, "fingerprint", "{}")),
    }


def read_manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    """The manifest of a bundle. Raises BundleError if this version cannot read it."""
    try:
        if (size := archive.getinfo(MANIFEST).file_size) > _LONGEST_MANIFEST:
            raise ValueError(f"a manifest of {size:,} bytes")
        manifest: dict[str, Any] = orjson.loads(archive.read(MANIFEST))
        found = manifest["format"], manifest["store_format"]
        manifest["files"][FILE]["sha256"], int(manifest["files"][FILE]["size"])
        if not all(isinstance(root, str) for root in manifest["roots"]):
            raise TypeError("roots")
    except (KeyError, TypeError, ValueError, OSError, *_WRONG) as error:
        raise BundleError(f"{archive.filename} is not a bundle of ragcli", _AGAIN) from error
    if found != (BUNDLE_FORMAT, FORMAT):
        raise BundleError(
            f"{archive.filename} has format {found[0]}.{found[1]}; "
            f"this ragcli reads {BUNDLE_FORMAT}.{FORMAT}",
            "use the version of ragcli that wrote it, or export it with this one",
        )
    return manifest


def is_bundle(file: Path) -> bool:
    """Whether a file is a bundle that ragcli wrote, of any version."""
    try:
        with zipfile.ZipFile(file) as archive:
            return MANIFEST in archive.namelist()
    except (ValueError, *_WRONG):
        return False


@contextmanager
def opened(file: Path) -> Iterator[zipfile.ZipFile]:
    """The open archive. Raises BundleError if the file is not one."""
    try:
        archive = zipfile.ZipFile(file)
    except (*_WRONG, ValueError) as error:
        raise BundleError(f"{file} is damaged or not a bundle: {error}", _AGAIN) from error
    with archive:
        yield archive


def unpack(
    archive: zipfile.ZipFile,
    manifest: Mapping[str, Any],
    target: Path,
    prepare: Callable[[Path], None],
) -> None:
    """Write the archive's database to ``target`` after its checksum is verified.

    ``prepare`` may change it before it is moved there. Raises BundleError if its size, checksum or
    structure is wrong; ``target`` is then unchanged.
    """
    draft = target.with_name(f"{target.name}.import")
    expected = manifest["files"][FILE]
    try:
        with draft.open("wb") as out:
            _unpack_checked(archive, out, expected)
        _check_database(draft, manifest)
        prepare(draft)
        sync(draft)
        draft.replace(target)
        sync(target.parent)
    finally:
        draft.unlink(missing_ok=True)


def _unpack_checked(archive: zipfile.ZipFile, out: IO[bytes], expected: Mapping[str, Any]) -> None:
    """Copy at most the declared number of bytes, so that an archive cannot fill the disk."""
    stamp, left = sha256(), int(expected["size"])
    name = archive.filename
    try:
        packed = archive.open(FILE)
    except (KeyError, OSError, *_WRONG) as error:
        raise BundleError(f"{name} does not contain {FILE}: {error}", _AGAIN) from error
    with packed:
        try:
            while left > 0 and (block := packed.read(min(_BLOCK, left))):
                stamp.update(block)
                out.write(block)
                left -= len(block)
            whole = not left and not packed.read(1)
        except _WRONG as error:
            raise BundleError(f"{name}: {FILE} is damaged: {error}", _AGAIN) from error
    if not whole or stamp.hexdigest() != expected["sha256"]:
        raise BundleError(f"{name}: {FILE} does not have its checksum", _AGAIN)


def _check_database(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise BundleError unless the database is sound and is what the manifest says it is.

    The schema is compared before anything else is read: a view or a trigger runs SQL of whoever
    made the bundle.
    """
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        try:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA cell_size_check = ON")
            check_schema(db)
            found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            inner = None if found != "ok" else (get_meta(db, "format"), *_facts(db).values())
        except (sqlite3.DatabaseError, ValueError, TypeError, OverflowError) as error:
            found, inner = str(error), None
    if inner is None:
        raise BundleError(f"the store in the bundle is damaged: {found}", "export it again")
    told = (str(FORMAT), *(manifest.get(name) for name in ("generation", "documents", "roots")))
    if inner[:4] != told:
        raise BundleError(
            f"the manifest of the bundle does not describe its store: it names {told[1:]},"
            f" the store has {inner[1:4]}",
            "do not use it unless you know who made it",
        )


def free_for(manifest: Mapping[str, Any], folder: Path) -> None:
    """Raise BundleError if the disk has too little space for the store."""
    needed = int(manifest["files"][FILE]["size"])
    if (free := shutil.disk_usage(folder).free) < needed:
        raise BundleError(
            f"{folder} has {free:,} bytes free, the store needs {needed:,}", "free some space"
        )


def _hash_file(path: Path) -> str:
    stamp = sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            stamp.update(block)
    return stamp.hexdigest()
