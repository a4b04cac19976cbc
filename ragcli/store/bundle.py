"""A store in one file with a checksum, for a machine that has no network.

A bundle is a zip archive of three members: ``store.sqlite``, a compacted copy of one generation and
the pending rows after it; ``vectors.sqlite``, all vectors by hash, as in a store whose vectors are
on their way; and ``bundle.json``, the manifest with the SHA-256 of both. The files of vectors and
the derived files are not included; the import makes them.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import file_digest, sha256
from pathlib import Path
from typing import IO, Any

import orjson

from ragcli.errors import BundleError
from ragcli.store.connection import FILE, FORMAT, UNPACKED, as_store_errors, open_store
from ragcli.store.durable import sync
from ragcli.store.fresh_vectors import FILE as FRESH
from ragcli.store.fresh_vectors import TABLE, FreshVectors
from ragcli.store.meta import generation, get_meta
from ragcli.store.rebuild import CarryVectors
from ragcli.store.schema_check import check_schema
from ragcli.version import VERSION

MANIFEST = "bundle.json"
BUNDLE_FORMAT = 2
_MEMBERS = (FILE, FRESH)
_BLOCK = 1 << 20
# For text and float16 vectors, higher levels take several times as long and save a few percent.
_LEVEL = 1
_LONGEST_MANIFEST = 1 << 20
_LARGEST = 1 << 62
"""Bytes of a member that a manifest may promise."""
_AGAIN = "copy or export the bundle again"
# Errors of zipfile for damaged data; RuntimeError: a member is marked as encrypted.
_WRONG = (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError)


def export(store: Path, file: Path, carry_vectors: CarryVectors) -> dict[str, Any]:
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
    copy, draft = (file.with_name(f".{file.name}.{os.getpid()}.{end}") for end in ("copy", "zip"))
    try:
        # Checked before SQLite, whose error would name the store instead of the target.
        copy.mkdir()
        (copy / FILE).open("xb").close()
        facts = _copy(store, copy, carry_vectors)
        manifest = {
            "format": BUNDLE_FORMAT,
            "ragcli": VERSION,
            "store_format": FORMAT,
            **facts,
            "files": {
                name: {"size": (copy / name).stat().st_size, "sha256": _hash_file(copy / name)}
                for name in _MEMBERS
            },
        }
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
            archive.writestr(MANIFEST, orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
            for name in _MEMBERS:
                archive.write(copy / name, name)
        sync(draft)
        draft.replace(file)
        sync(file.parent)
    finally:
        draft.unlink(missing_ok=True)
        shutil.rmtree(copy, ignore_errors=True)
    return manifest


def _copy(store: Path, copy: Path, carry_vectors: CarryVectors) -> dict[str, Any]:
    """A compacted copy of the database and all its vectors, and its entries in the manifest."""
    with as_store_errors(store / FILE), closing(open_store(store, readonly=True)) as db:
        db.execute("VACUUM INTO ?", (str(copy / FILE),))
    with (
        as_store_errors(copy / FRESH),
        closing(sqlite3.connect(copy / FILE, uri=True, isolation_level=None)) as db,
    ):
        vectors = FreshVectors(db, copy)
        carry_vectors(vectors, store)
        missing = vectors.missing()
        # One file, without a log beside it.
        db.execute("PRAGMA fresh.journal_mode = DELETE")
        facts = _facts(db)
    if missing:
        raise BundleError(
            f"{missing} vectors of {store} are missing, or it was changed at the same time",
            "export it again, or run: ragcli inspect check",
        )
    return facts


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
        version = int(manifest["format"])
        for name in _MEMBERS if version == BUNDLE_FORMAT else ():
            facts = manifest["files"][name]
            if not isinstance(facts["sha256"], str) or not 0 <= facts["size"] < _LARGEST:
                raise ValueError(f"{name}: {facts}")
        if not all(isinstance(root, str) for root in manifest["roots"]):
            raise TypeError("roots")
    except (KeyError, TypeError, ValueError, OverflowError, OSError, *_WRONG) as error:
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
    """Write the archive's databases to the folder ``target`` after their checksums are verified.

    ``prepare`` may change the store's before it is moved there. Raises BundleError if a size, a
    checksum or a structure is wrong; ``target`` is then unchanged.
    """
    drafts = {name: target / f"{name}{UNPACKED}" for name in _MEMBERS}
    try:
        for name, draft in drafts.items():
            with draft.open("wb") as out:
                _unpack_checked(archive, name, out, manifest["files"][name])
        _check_database(drafts[FILE], manifest)
        _check_vectors(drafts[FRESH])
        prepare(drafts[FILE])
        for name in (FRESH, FILE):
            sync(drafts[name])
            drafts[name].replace(target / name)
        sync(target)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def _unpack_checked(
    archive: zipfile.ZipFile, member: str, out: IO[bytes], expected: Mapping[str, Any]
) -> None:
    """Copy at most the declared number of bytes, so that an archive cannot fill the disk."""
    stamp, left = sha256(), int(expected["size"])
    name = archive.filename
    try:
        packed = archive.open(member)
    except (KeyError, OSError, *_WRONG) as error:
        raise BundleError(f"{name} does not contain {member}: {error}", _AGAIN) from error
    with packed:
        try:
            while left > 0 and (block := packed.read(min(_BLOCK, left))):
                stamp.update(block)
                out.write(block)
                left -= len(block)
            whole = not left and not packed.read(1)
        except _WRONG as error:
            raise BundleError(f"{name}: {member} is damaged: {error}", _AGAIN) from error
    if not whole or stamp.hexdigest() != expected["sha256"]:
        raise BundleError(f"{name}: {member} does not have its checksum", _AGAIN)


def _untrusted(path: Path) -> closing[sqlite3.Connection]:
    """A database from elsewhere, open for reading."""
    return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True))


def _harden(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")


def _check_database(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raise BundleError unless the database is sound and is what the manifest says it is.

    The schema is compared before anything else is read: a view or a trigger would run
    SQL from the bundle.
    """
    with _untrusted(path) as db:
        try:
            _harden(db)
            check_schema(db)
            found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
            inner = None if found != "ok" else (get_meta(db, "format"), *_facts(db).values())
        except (sqlite3.DatabaseError, ValueError, TypeError, OverflowError) as error:
            found, inner = str(error), None
    if inner is None:
        raise BundleError(f"the store in the bundle is damaged: {found}", "export it again")
    declared = (str(FORMAT), *(manifest.get(name) for name in ("generation", "documents", "roots")))
    if inner[:4] != declared:
        raise BundleError(
            f"the manifest of the bundle does not describe its store: it names {declared[1:]},"
            f" the store has {inner[1:4]}",
            "do not use it unless you know who made it",
        )


def _check_vectors(path: Path) -> None:
    """Raise BundleError unless a database has the one table, of vectors and codes of one length."""
    with _untrusted(path) as db:
        try:
            _harden(db)
            parts = db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
            if parts != [(TABLE,)]:
                raise ValueError("its schema is not ragcli's")
            (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
            kinds = db.execute(
                "SELECT DISTINCT typeof(hash), typeof(vector), length(vector) FROM vectors LIMIT 3"
            ).fetchall()
            sound = (hash_ == kind == "blob" and n and n % 2 == 0 for hash_, kind, n in kinds)
            # Vectors, and codes of names.
            if len(kinds) > 2 or not all(sound):
                raise ValueError("they are of several lengths")
        except (sqlite3.DatabaseError, ValueError) as error:
            found = str(error)
    if found != "ok":
        raise BundleError(f"the vectors in the bundle are damaged: {found}", "export it again")


def free_for(manifest: Mapping[str, Any], folder: Path) -> None:
    """Raise BundleError if the disk has too little space for the store."""
    needed = sum(int(manifest["files"][name]["size"]) for name in _MEMBERS)
    if (free := shutil.disk_usage(folder).free) < needed:
        raise BundleError(
            f"{folder} has {free:,} bytes free, the store needs {needed:,}", "free some space"
        )


def _hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
