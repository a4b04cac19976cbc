"""Opening a store for reading: one generation from start to end, with its derived files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

from ragcli.config import Settings
from ragcli.errors import StoreDamaged, StoreLocked, StoreVersion
from ragcli.models.embed import query_encoder
from ragcli.models.locate import embedder_folder, fingerprint
from ragcli.retrieve.space import Encode, Space
from ragcli.search import derive
from ragcli.store import derived
from ragcli.store.lock import nothing_committed, writer_lock
from ragcli.store.meta import generation, get_meta
from ragcli.store.reading import reading
from ragcli.types import Event, Report, silent


@contextmanager
def open_space(store: Path, settings: Settings, report: Report = silent) -> Iterator[Space]:
    """Everything a question needs, models and arrays only once they are used.

    Raises StoreMissing (also for a store whose first run has not finished), StoreVersion (made
    with another embedder), ModelError.
    """
    with reading(store) as db:
        current = generation(db)
        if not current:
            raise nothing_committed(store)
        segments = ensure_derived(db, store, current, report)
        yield Space(db, current, segments, encoder_for(db, settings))


def encoder_for(db: sqlite3.Connection, settings: Settings) -> Encode:
    """The query encoder for the model that the store's vectors were made with."""
    folder = embedder_folder(settings.embedder)
    made_with = orjson.loads(get_meta(db, "fingerprint", "{}")).get("embedder")
    if made_with != (now := fingerprint(folder)):
        raise StoreVersion(
            f"the store's vectors were made by embedder {made_with}; {folder} is {now}",
            "name the former model with --embedder, or run: ragcli index --rebuild",
        )
    return query_encoder(folder)[0].encode


def ensure_derived(
    db: sqlite3.Connection, store: Path, current: int, report: Report = silent
) -> list[Path]:
    """The segments of a generation, oldest first, made again when they are missing or damaged."""
    found = derive.problem(store, current)
    if found:
        report(Event("derive", 0, 1, f"derived files are made again: {found}"))
        try:
            with writer_lock(store):
                derive.build(store, db, current)
        except StoreLocked as error:
            # The writer may have just replaced them: then they are complete by now.
            if derive.problem(store, current):
                raise error
        except OSError as error:
            raise StoreDamaged(
                f"derived files in {store}: {found}; they cannot be made again: {error.strerror}",
                "run as a user who may write there: ragcli inspect check",
            ) from error
    return derived.folders(store, current)
