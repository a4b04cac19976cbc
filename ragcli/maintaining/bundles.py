"""bundle import: check -> unpack -> set the roots -> derive; and bundle export."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ragcli.errors import BundleError, RagcliError
from ragcli.search.search_index import ensure_derived
from ragcli.store import bundle
from ragcli.store.connection import FILE, connect, make_folder, remove_files
from ragcli.store.lock import writer_lock
from ragcli.store.meta import Meta
from ragcli.store.migrations import migrate
from ragcli.store.snapshot import open_snapshot
from ragcli.store.sources import SourceWriter
from ragcli.types import Report, silent

export = bundle.export
is_bundle = bundle.is_bundle


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
                f"the store was built from {len(manifest['roots'])} folders, {len(roots)} given",
                "give --root once for each of: " + ", ".join(manifest["roots"]),
            )
        make_folder(store)
        try:
            (store / "derived").mkdir(exist_ok=True)
            with writer_lock(store):
                bundle.free_for(manifest, store)
                bundle.unpack(archive, manifest, store / FILE, prepare=_pointing_at(roots))
            with open_snapshot(store) as snapshot:
                if snapshot.generation:
                    ensure_derived(snapshot, report)
        except RagcliError:
            _clear(store)
            raise
    return manifest


def _clear(store: Path) -> None:
    """Remove only the files created for the failed store."""
    remove_files(store)
    for name in ("lock", "lock.pid", ".gitignore"):
        (store / name).unlink(missing_ok=True)
    shutil.rmtree(store / "derived")
    if not any(store.iterdir()):
        store.rmdir()


def _pointing_at(roots: Sequence[Path]) -> Callable[[Path], None]:
    """A function that replaces the roots of a database with ``roots``."""

    def point(path: Path) -> None:
        with closing(connect(path, readonly=False)) as db:
            migrate(db, path)
            SourceWriter(db, path.parent).move_roots(roots)
            Meta(db).unconfirmed = not roots

    return point
