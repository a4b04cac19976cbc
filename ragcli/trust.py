"""Which settings files the user trusts: each by its path and its content, as direnv does it.

A record is an empty file named by a hash of both. So a file that changes or moves is not trusted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from ragcli.user_data import user_data


def is_trusted(file: Path, content: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the user trusts a file with this content in this place."""
    return _record(file, content, environ).is_file()


def trust(file: Path, content: str, environ: Mapping[str, str] = os.environ) -> None:
    """Trust a file with this content until it changes."""
    record = _record(file, content, environ)
    record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    record.touch()


def distrust(file: Path, content: str, environ: Mapping[str, str] = os.environ) -> None:
    """Trust it no longer."""
    _record(file, content, environ).unlink(missing_ok=True)


def _record(file: Path, content: str, environ: Mapping[str, str]) -> Path:
    named = os.fsencode(file.resolve()) + b"\0" + content.encode()
    return user_data(environ) / "trusted" / sha256(named).hexdigest()
