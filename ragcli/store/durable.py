"""Syncs files and folders to disk."""

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
