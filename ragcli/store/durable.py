"""Syncs files and folders to disk, and removes databases."""

from __future__ import annotations

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Flush a file, or (where the system can) a folder's entries, to the disk."""
    if path.is_dir() and os.name == "nt":  # Windows has no handle on a folder
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_database(file: Path) -> None:
    """Delete a database of SQLite and its log; no process may have it open."""
    for end in ("-wal", "-shm", ""):
        file.with_name(f"{file.name}{end}").unlink(missing_ok=True)
