"""The stores that are served: one, or several under ids that say which store a document is in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragcli.api import Store, Stores
from ragcli.asking.several import names_of
from ragcli.config import Settings
from ragcli.serve.jsonrpc import Json
from ragcli.store.snapshot import Snapshot, open_snapshot
from ragcli.types import Located, Scope


class Served:
    """Opens the stores, and translates between ids of clients and ids of documents.

    With one store they are the same. With several, a client's id is the name of the store, a colon,
    and the id of the document.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        """``folders``: of the stores, at least one, each once."""
        self.folders = dict(zip(names_of(folders), folders, strict=True))

    @property
    def several(self) -> bool:
        """Whether there is more than one store."""
        return len(self.folders) > 1

    def open(self, settings: Settings) -> Store | Stores:
        """The stores, open for questions."""
        first, *others = self.folders.values()
        return Stores.open([first, *others], settings) if others else Store.open(first, settings)

    def freshen(self, settings: Settings) -> list[str]:
        """Bring the stores up to date, if the settings say so; what was done, or was left."""
        if settings.fresh == "false":
            return []
        from ragcli.indexing.freshness import freshen

        notes = {name: freshen(folder, settings) for name, folder in self.folders.items()}
        return [f"{name}: {note}" if self.several else note for name, note in notes.items() if note]

    def notes_on(self, opened: Store | Stores, found: Iterable[Located]) -> list[Json]:
        """What the user says about the folders of what was found, each folder once."""
        names = {str(folder): name for name, folder in self.folders.items()}
        notes: dict[str, str] = {}
        for one in found:
            if note := opened.note_on(one):
                notes[self.shown(names.get(one.store, ""), note.folder)] = note.about
        return [{"folder": folder, "about": about} for folder, about in notes.items()]

    def shown(self, name: str, doc: str) -> str:
        """The id that clients know for a document of a store."""
        return f"{name}:{doc}" if self.several else doc

    def split(self, given: str) -> tuple[str, str]:
        """The name of the store that a client's id begins with, and the rest.

        An id without one is looked for in the first store.
        """
        name, colon, rest = given.partition(":")
        if self.several and colon and name in self.folders:
            return name, rest
        return next(iter(self.folders)), given

    @contextmanager
    def snapshot(self, given: str) -> Iterator[tuple[Snapshot, str]]:
        """The open snapshot of the store of a client's id, and the id in that store."""
        name, rest = self.split(given)
        with open_snapshot(self.folders[name]) as snapshot:
            yield snapshot, rest

    def tables(self, opened: Store | Stores, scope: Scope) -> list[Json]:
        """The tables of the stores in a scope, with ids that clients know."""
        names = {str(folder): name for name, folder in self.folders.items()}
        found = [asdict(table) for table in opened.tables(scope=scope)]
        for table in found:
            table["doc"] = self.shown(names.get(table.pop("store"), ""), table["doc"])
        return found

    def those_with(self, prefix: str) -> list[tuple[str, str]]:
        """The stores in which ids of clients may begin with a prefix, and its rest in each."""
        if not self.several:
            return [(name, prefix) for name in self.folders]
        name, rest = self.split(prefix)
        if prefix.startswith(f"{name}:"):
            return [(name, rest)]
        if prefix:
            return [(name, "") for name in self.folders if f"{name}:".startswith(prefix)]
        return [(name, "") for name in self.folders]

    def translated(self, found: dict[str, Any]) -> dict[str, Any]:
        """An answer as JSON with the ids and names that clients know."""
        if not self.several:
            return found
        names = {str(folder): name for name, folder in self.folders.items()}
        by_citation: dict[int | None, str] = {}
        quoted = (one for each in found["maps"] for one in (*each["dates"], *each["figures"]))
        shown = (*found.get("passages", ()), *found.get("also", ()), *found.get("hits", ()))
        for part in (*shown, *found["citations"], *quoted):
            part["store"] = names[part["store"]]
            part["doc"] = self.shown(part["store"], part["doc"])
            if "n" in part:
                by_citation[part["n"]] = part["doc"]
        if short := found.get("short"):
            for part in (short, *short.get("items", ())):
                part["doc"] = by_citation[part["n"]]
        for part in (*found.get("stores", ()), *found["maps"]):
            part["store"] = names[part["store"]]
        return found
