"""ragcli describe: say what a folder holds, for those who search it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.api import as_path
from ragcli.asking.folder_notes import FILE, LONGEST, text_of
from ragcli.cli import inputs, render
from ragcli.errors import InputError


def describe(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", parser=as_path, help="A folder of documents.")
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="What it holds, in quotes or not; shown without it."),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Delete the description.")] = False,
) -> int:
    """Say in a sentence what a folder holds: "Minutes of the board, the newest is binding".

    The text is kept in the file .ragcli.md of the folder. search --json gives it with every passage
    from there, and serve gives it to assistants. It does not change what is found.

    Exit code 1 if there is no description to show or to delete.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder", "name a folder that holds documents")
    file, text = folder / FILE, (inputs.as_text(" ".join(words or [])) or "").strip()
    if file.is_symlink():
        raise InputError(f"{file} is a link", "put a file in its place")
    if remove:
        there = file.is_file()
        file.unlink(missing_ok=True)
        return 0 if there else inputs.NEGATIVE
    if len(text) > LONGEST:
        raise InputError(f"the text has {len(text)} characters", f"at most {LONGEST} are given")
    if text:
        file.write_text(f"{text}\n", encoding="utf-8")
        render.note(f"wrote {file}")
        return 0
    if found := text_of(folder):
        render.line(found)
    return 0 if found else inputs.NEGATIVE
