"""What the user says about a folder: the text of the file ``.ragcli.md`` in it.

``ragcli describe`` writes it. It is given with what is found there and to assistants; it changes no
ranking. It is read when it is needed, so it is never out of date, and it travels with the folder.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ragcli.text.words import one_line
from ragcli.types.document_ids import path_of

if TYPE_CHECKING:
    from ragcli.store.snapshot import Snapshot

FILE = ".ragcli.md"
LONGEST = 500
"""Characters of a note that are given; it is read with every search."""


@dataclass(frozen=True, slots=True)
class FolderNote:
    """A folder as ids of documents name it, "." for the first root, and what is said about it."""

    folder: str
    about: str


def text_of(folder: Path) -> str:
    """The note in a folder on one line, cut; "" if there is none."""
    file = folder / FILE
    if file.is_symlink() or not file.is_file():  # a link might show another file of the user
        return ""
    with file.open("rb") as opened:
        read = opened.read(4 * LONGEST)
    return one_line(read.decode("utf-8", "replace"))[:LONGEST]


def note_of(path: str, file: Path, roots: Collection[str]) -> FolderNote | None:
    """The note of the nearest folder above a file, at most that of its root.

    ``path``: the file as ids name it; ``roots``: absolute paths of the store's roots.
    """
    below = PurePosixPath(path).parent
    for folder in file.parents:
        if about := text_of(folder):
            return FolderNote(str(below), about)
        if str(folder) in roots or below == below.parent:
            return None
        below = below.parent
    return None


def note_on_folder(snapshot: Snapshot, folder: str) -> str:
    """What is said about a folder of the store, or about its first root if ``folder`` is "".

    The file itself is looked for above a document of the folder, as ids say nothing of its place.
    """
    if not folder:
        roots = snapshot.facts.roots()
        return text_of(Path(roots[0])) if roots else ""
    for doc in snapshot.documents.beginning_with(f"{folder}/", 1):
        if file := snapshot.facts.file_of(doc):
            return text_of(file.parents[path_of(doc).removeprefix(f"{folder}/").count("/")])
    return ""
