"""Runs that are stopped before a chosen write, and the folders that they work on."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ragcli.search import arrays, vector_set, vectors
from ragcli.store import derived, durable, rebuild
from ragcli.store.stoppable import StoppableConnection

NAMES = ("Mara Linde", "Jon Berg", "Port Vale", "Aurora", "Rome", "Genoa")


def write_folder(folder: Path, documents: int, seed: int) -> None:
    """A folder of small documents about the same few names."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(documents):
        said = " ".join(
            f"{rng.choice(NAMES)} wrote letter {rng.randint(1, 99)} to {rng.choice(NAMES)}."
            for _ in range(12)
        )
        (folder / f"doc{i}.md").write_text(f"# Letter box {i}\n\n{said}\n")


class Stop(BaseException):
    """Stands for the end of the process: no handler may catch it."""


class Countdown:
    """Raises Stop at the n-th step; ``steps`` counts those that came.

    ``files``: only steps that touch derived files count.
    """

    def __init__(self, at: int, files: bool = False) -> None:
        self.at = at
        self.steps = 0
        self.files = files

    def statement(self) -> None:
        if not self.files:
            self.step()

    def step(self) -> None:
        self.steps += 1
        if self.steps == self.at:
            raise Stop


class Watched(StoppableConnection):
    """A connection on which every statement that could write is a step."""

    countdown: Countdown

    def execute(self, sql: str, *more: object) -> Any:
        if not sql.lstrip().startswith(("SELECT", "PRAGMA")):
            self.countdown.statement()
        return super().execute(sql, *more)

    def executemany(self, sql: str, *more: object) -> Any:
        self.countdown.statement()
        return super().executemany(sql, *more)

    def executescript(self, sql: str) -> Any:
        self.countdown.statement()
        return super().executescript(sql)

    def backup(self, target: sqlite3.Connection, **more: object) -> None:
        self.countdown.step()
        super().backup(target, **more)  # type: ignore[arg-type]


@contextmanager
def stopping(countdown: Countdown, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Inside, every statement that could write and every step on files counts down."""
    real_connect, real_sync, real_replace = sqlite3.connect, durable.sync, Path.replace
    real_rmtree = shutil.rmtree
    real_save, real_index = arrays.save, vectors.write_index

    def connect(*args: object, **more: object) -> sqlite3.Connection:
        db: Watched = real_connect(*args, **{**more, "factory": Watched})  # type: ignore
        db.countdown = countdown
        return db

    def sync(path: Path) -> None:
        countdown.step()
        real_sync(path)

    def replace(self: Path, target: Path) -> Path:
        countdown.step()
        return real_replace(self, target)

    def save(path: Path, parts: dict[str, Any]) -> None:
        countdown.step()
        real_save(path, parts)

    def write_index(path: Path, rows: Any) -> None:
        countdown.step()
        real_index(path, rows)

    def rmtree(path: Path, *more: Any, **named: Any) -> None:
        countdown.step()
        real_rmtree(path, *more, **named)

    with patch.context() as inside:
        inside.setattr(sqlite3, "connect", connect)
        inside.setattr(arrays, "save", save)
        inside.setattr(vector_set, "write_index", write_index)
        inside.setattr(derived, "sync", sync)
        inside.setattr(Path, "replace", replace)
        inside.setattr(rebuild, "sync", sync)
        inside.setattr(shutil, "rmtree", rmtree)
        yield
