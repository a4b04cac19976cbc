"""bundle import: check -> unpack -> set the roots -> derive; and bundle export."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ragcli.errors import BundleError
from ragcli.search import derive
from ragcli.search.kept_vectors import carry_vectors
from ragcli.store import bundle
from ragcli.store.connection import FILE, connect, make_folder, remove_store
from ragcli.store.derived import DERIVED, VECTORS
from ragcli.store.lock import writer_lock
from ragcli.store.migrations import migrate
from ragcli.store.place import distrust
from ragcli.store.sources import SourceWriter
from ragcli.store.writer import open_writer
from ragcli.text.words import counted
from ragcli.types import Event, Report, silent

is_bundle = bundle.is_bundle


def export(store: Path, file: Path) -> dict[str, Any]:
    """Write the store as the bundle ``file``; returns the manifest. See ``bundle.export``."""
    return bundle.export(store, file, carry_vectors)


def import_(
    file: Path, store: Path, roots: Sequence[Path] = (), report: Report = silent
) -> dict[str, Any]:
    """Open a bundle as a new store; returns its manifest.

    ``roots`` are the folders on this machine that replace the store's roots, in the same order.
    Without them, the store can be read; an update asks to name the recorded folders once. Raises
    BundleError, also if ``store`` contains a store.
    """
    if (store / FILE).exists():
        raise BundleError(f"{store} already contains a store", "name another place with --store")
    with bundle.opened(file) as archive:
        manifest = bundle.read_manifest(archive)
        if roots and len(roots) != len(manifest["roots"]):
            raise BundleError(
                f"the store was built from {counted(len(manifest['roots']), 'folder')},"
                f" {len(roots)} given",
                "give --root once for each of: " + ", ".join(manifest["roots"]),
            )
        make_folder(store)
        # Not before the lock is held: the files may be those of an import in another process.
        with writer_lock(store), _cleared_if_stopped(store):
            for place in (DERIVED, VECTORS):
                (store / place).mkdir(exist_ok=True)
            bundle.free_for(manifest, store)
            bundle.unpack(archive, manifest, store, prepare=_pointing_at(roots))
            with open_writer(store) as writer:
                if not writer.is_first():
                    report(Event("derive", 0, 1))
                    with writer.transaction():
                        derive.derive_current(writer, None)
    return manifest


@contextmanager
def _cleared_if_stopped(store: Path) -> Iterator[None]:
    """Remove the files of a store after an error, Ctrl-C or SIGTERM."""
    try:
        yield
    except (Exception, KeyboardInterrupt, SystemExit):
        _clear(store)
        raise


def _clear(store: Path) -> None:
    """Remove only the files created for the failed store."""
    for place in (DERIVED, VECTORS):
        shutil.rmtree(store / place, ignore_errors=True)
    remove_store(store)


def _pointing_at(roots: Sequence[Path]) -> Callable[[Path], None]:
    """A function that replaces the roots of a database with ``roots``."""

    def point(path: Path) -> None:
        with closing(connect(path, readonly=False)) as db:
            migrate(db, path)
            SourceWriter(db, path.parent).move_roots(roots)
            if not roots:
                distrust(db)

    return point
