"""Where ragcli keeps what belongs to a user and to no store."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def user_data(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of ragcli in the system's place for user data; it need not exist."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "ragcli"
