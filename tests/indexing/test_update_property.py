"""Two hundred random sequences of changes: after each, the store says what a fresh one would.

The text is real (the sample corpus), so are chunking, extraction, resolution and summaries. Made
up are the vectors only, which the digest does not cover. A fresh store is given the extractions
that earlier ones made, by hash of model and text: a wrong extraction under the right hash would go
unseen so, therefore the last fresh store of every life is given none.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from reading import reading

from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.store.connection import FILE, create
from ragcli.store.digest import digest
from ragcli.store.snapshot import open_snapshot

SETTINGS = Settings(workers=1)
# Lives of a store, each of so many sequences of changes with an update after them.
LIVES, SEQUENCES, MOST_CHANGES = 20, 10, 4
CORPUS = Path(__file__).parents[2] / "sample_corpus"
PARAGRAPHS = [
    paragraph
    for path in sorted(CORPUS.rglob("*.md")) + sorted(CORPUS.rglob("*.txt"))
    for paragraph in path.read_text(encoding="utf-8").split("\n\n")
    if 80 < len(paragraph) < 500
]
RECORDS = [json.loads(line) for line in (CORPUS / "observatory" / "helpdesk.jsonl").open()]
FOLDERS = ("", "north", "north/deep", "south")


class Life:
    """A folder of documents and random changes to it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.rng = random.Random(seed)
        folder.mkdir(parents=True)
        for _ in range(4):
            self.add()
        self.add_records()

    def files(self, *suffixes: str) -> list[Path]:
        found = [p for p in sorted(self.folder.rglob("*")) if p.is_file()]
        return [p for p in found if not suffixes or p.suffix in suffixes]

    def new_path(self, suffix: str) -> Path:
        place = self.folder / self.rng.choice(FOLDERS)
        place.mkdir(parents=True, exist_ok=True)
        return place / f"{self.rng.choice('abcdefgh')}{self.rng.randrange(1000)}{suffix}"

    def text(self) -> str:
        parts = self.rng.sample(PARAGRAPHS, self.rng.randint(1, 3))
        return "\n\n".join((f"# {parts[0].split('.')[0][:40]}", *parts)) + "\n"

    def add(self) -> None:
        self.new_path(self.rng.choice((".md", ".txt"))).write_text(self.text())

    def add_records(self) -> None:
        lines = [json.dumps(r) for r in self.rng.sample(RECORDS, 3)]
        self.new_path(".jsonl").write_text("\n".join(lines) + "\n")

    def one(self, *suffixes: str) -> Path:
        if not self.files(*suffixes):
            self.add_records() if suffixes == (".jsonl",) else self.add()
        return self.rng.choice(self.files(*suffixes))

    def edit(self, change: Callable[[list[str]], Sequence[str]]) -> None:
        """Change a document paragraph by paragraph."""
        path = self.one(".md", ".txt")
        parts = path.read_bytes().decode(errors="ignore").split("\n\n")
        path.write_text("\n\n".join(change(parts)))

    def edit_start(self) -> None:
        self.edit(lambda parts: [self.rng.choice(PARAGRAPHS), *parts])

    def edit_middle(self) -> None:
        at = self.rng.random()
        self.edit(lambda p: [*p[: int(at * len(p))], "One more.", *p[int(at * len(p)) + 1 :]])

    def edit_end(self) -> None:
        self.edit(lambda parts: [*parts, self.rng.choice(PARAGRAPHS)])

    def edit_heading(self) -> None:
        self.edit(lambda parts: [f"# Of {self.rng.randrange(100)} winters", *parts[1:]])

    def rename(self) -> None:
        path = self.one()
        path.rename(path.with_name(f"r{self.rng.randrange(10**6)}{path.suffix}"))

    def rename_by_case(self) -> None:
        path = self.one()
        path.rename(path.with_name(path.stem.swapcase() + path.suffix))

    def move(self) -> None:
        path = self.one()
        path.rename(self.new_path(path.suffix))

    def copy(self) -> None:
        path = self.one()
        shutil.copy(path, self.new_path(path.suffix))

    def delete(self) -> None:
        self.one().unlink()

    def empty(self) -> None:
        self.one().write_text("")

    def spoil(self) -> None:
        self.one().write_bytes(bytes(range(256)) * 4)

    def replace_by_folder(self) -> None:
        path = self.one(".md", ".txt")
        path.unlink()
        path.mkdir()
        (path / "inside.md").write_text(self.text())

    def replace_by_file(self) -> None:
        folders = [p for p in sorted(self.folder.rglob("*.*")) if p.is_dir()]
        for path in folders[:1]:
            shutil.rmtree(path)
            path.write_text(self.text())

    def edit_records(self) -> None:
        """Reorder, edit, add, take out, damage or mend records."""
        path = self.one(".jsonl")
        lines = path.read_bytes().decode(errors="ignore").splitlines() or ["{}"]
        at = self.rng.randrange(len(lines))
        way = self.rng.randrange(5)
        if way == 0:
            self.rng.shuffle(lines)
        elif way == 1:
            lines[at] = json.dumps({**self.rng.choice(RECORDS), "text": self.text()})
        elif way == 2:
            lines.append(json.dumps(self.rng.choice(RECORDS)))
        elif way == 3:
            lines[at] = "damaged" + lines[at]
        else:
            lines = [line.removeprefix("damaged") for line in lines[1:]]
        path.write_text("\n".join(lines) + "\n")

    def change(self) -> str:
        """Do something; returns what."""
        ways = (
            *(self.add, self.add_records, self.copy, self.delete, self.rename, self.move),
            *(self.edit_start, self.edit_middle, self.edit_end, self.edit_heading),
            *(self.rename_by_case, self.empty, self.spoil, self.edit_records, self.edit_records),
            *(self.replace_by_folder, self.replace_by_file),
        )
        way = self.rng.choice(ways)
        way()
        return way.__name__


def digest_of(store: Path) -> dict[str, str]:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)


def fresh(folder: Path, store: Path, extractions: dict[bytes, bytes]) -> dict[str, str]:
    """The digest of a new store of the folder; what it extracts is added to ``extractions``."""
    create(store)
    with sqlite3.connect(store / FILE) as db:
        db.executemany("INSERT INTO extractions VALUES (?, ?)", extractions.items())
    index(IndexRequest(store, (folder,)), SETTINGS)
    with reading(store) as db:
        extractions.update(db.execute("SELECT hash, data FROM extractions"))
    found = digest_of(store)
    shutil.rmtree(store)
    return found


def unreadable(life: Life, store: Path, patch: pytest.MonkeyPatch) -> None:
    """Update while a changed file cannot be read: its document stays; afterwards it is mended."""
    path = life.one(".md", ".txt")
    path.write_text(life.text())
    opened = os.open

    def refuse(name: str, *args: int, **more: int) -> int:
        if str(name) == str(path):
            raise PermissionError(13, "Permission denied", name)
        return opened(name, *args, **more)

    with patch.context() as inside:
        inside.setattr(os, "open", refuse)
        assert len(index(IndexRequest(store, (life.folder,)), SETTINGS).failed) >= 1


@pytest.mark.parametrize("seed", range(LIVES))
def test_a_store_lives_as_a_fresh_one(seed: int, tmp_path: Path, quick: pytest.MonkeyPatch) -> None:
    """One life: sequences of up to four changes; the seed is the test's name."""
    life, store = Life(tmp_path / "docs", seed), tmp_path / "store"
    extractions: dict[bytes, bytes] = {}
    index(IndexRequest(store, (life.folder,)), SETTINGS)
    for turn in range(SEQUENCES):
        if turn == seed % SEQUENCES:
            unreadable(life, store, quick)
        done = [life.change() for _ in range(life.rng.randint(1, MOST_CHANGES))]
        index(IndexRequest(store, (life.folder,)), SETTINGS)
        given = {} if turn == SEQUENCES - 1 else extractions
        expected = fresh(life.folder, tmp_path / "fresh", given)
        assert digest_of(store) == expected, f"seed {seed}, sequence {turn}: {done}"
