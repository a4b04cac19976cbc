"""Files that a command writes at a path the user names: never over somebody else's file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ragcli.errors import InputError

GENERATOR = '<meta name="generator" content="ragcli"'
"""Stands in the head of every page that ragcli writes."""

_HEAD = 4096


def refuse_to_lose(file: Path, is_ours: Callable[[Path], bool], what: str) -> None:
    """InputError if ``file`` holds something that ragcli has not written; ``what`` names ours.

    A file that is not there, or empty, may be written.
    """
    if not file.is_file() or not file.stat().st_size or is_ours(file):
        return
    raise InputError(
        f"{file} exists and is not {what} that ragcli wrote",
        "name another file, or replace this one with --force",
    )


def is_page(file: Path) -> bool:
    """Whether a file is a page that ragcli wrote."""
    return GENERATOR.encode() in head(file)


def head(file: Path) -> bytes:
    """The first bytes of a file."""
    with file.open("rb") as stream:
        return stream.read(_HEAD)
