"""Opening a store for questions: its index, and the models that retrieval needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ragcli.config import Settings
from ragcli.errors import StoreLocked, StoreVersion
from ragcli.models.embed import query_encoder
from ragcli.models.embedder_settings import embedder_print
from ragcli.models.locate import embedder_folder
from ragcli.retrieve import Helpers
from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot import Snapshot, open_snapshot
from ragcli.types import Report, silent

_TRIES = 4


@contextmanager
def open_index(
    store: Path, settings: Settings, report: Report = silent
) -> Iterator[tuple[SearchIndex, Helpers]]:
    """The committed generation of a store, and an encoder for questions; files open on first use.

    Raises StoreMissing (also for a store whose first run has not finished), StoreVersion (made
    with another embedder), ModelError.
    """
    with ExitStack() as opened:
        index = _newest(store, report, opened)
        yield index, helpers_for(index.snapshot, settings)


def _newest(store: Path, report: Report, opened: ExitStack) -> SearchIndex:
    """The index of the newest generation, which ``opened`` closes.

    Its files are gone if two commits end between the snapshot and their opening; then there is a
    newer generation to open. Raises StoreLocked if that happens ``_TRIES`` times.
    """
    for left in reversed(range(_TRIES)):
        with ExitStack() as attempt:
            snapshot = attempt.enter_context(open_snapshot(store))
            try:
                index = SearchIndex.open(snapshot, report)
            except StoreLocked:
                if not left:
                    raise
                continue
            opened.push(attempt.pop_all())
            return index
    raise AssertionError("the last try returns or raises")


def helpers_for(snapshot: Snapshot, settings: Settings) -> Helpers:
    """The query encoder for the model that the store's vectors were made with."""
    folder = embedder_folder(settings.embedder)
    made_with = snapshot.models.get("embedder")
    if made_with != (now := embedder_print(folder)):
        raise StoreVersion(
            f"the vectors of {snapshot.store} were made by embedder {made_with}; {folder} is {now}",
            "name the former model with --embedder, or run: ragcli index --rebuild",
        )
    encoder = query_encoder(folder)[0]
    return Helpers(encoder.encode, encode_passages=encoder.encode_passages)
