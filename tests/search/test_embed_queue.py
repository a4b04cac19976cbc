"""Texts are embedded in a thread, each once, and kept by the thread that asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from ragcli.models.model_set import ModelSet
from ragcli.search import vector_cache
from ragcli.search.vector_cache import EmbedQueue, keep_vectors
from ragcli.store.connection import create
from ragcli.store.content_keys import text_hash
from ragcli.store.writer import StoreWriter, open_writer
from ragcli.types import Event, Report, silent


class CountedModel:
    """Embeds a text as its length, and notes what it was given."""

    embedder_print = "counted"

    def __init__(self, held: threading.Event | None = None) -> None:
        self.given: list[list[str]] = []
        self._held = held
        self.closed = False

    def embed(self, texts: Sequence[str], report: Report = silent) -> Any:
        """Vectors (n, 2)."""
        assert self._held is None or self._held.wait(20)
        self.given.append(list(texts))
        return np.array([[len(text), 1] for text in texts], dtype=np.float16)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StoreWriter]:
    """An empty store; another thread may not use its connection."""
    create(tmp_path)
    with open_writer(tmp_path) as writer:
        yield writer


def kept(store: StoreWriter, text: str) -> list[float]:
    """The vector of a text."""
    blob = store.vectors.get(text_hash("counted", text))
    return cast(list[float], np.frombuffer(blob, np.float16).tolist())


def test_each_text_is_embedded_once(store: StoreWriter) -> None:
    """Also while it is on its way for an earlier batch, and when it was there before."""
    model = CountedModel()
    models = cast(ModelSet, model)
    keep_vectors(store, models, ["a"])
    with EmbedQueue(store, models) as queue:
        first, second = queue.submit(["a", "bb", "bb"]), queue.submit(["bb", "ccc"])
        first()
        second()
        queue.submit(["ccc"])()
    assert model.given == [["a"], ["bb"], ["ccc"]]
    assert [kept(store, text)[0] for text in ("a", "bb", "ccc")] == [1, 2, 3]


def test_the_caller_goes_on(store: StoreWriter) -> None:
    """Nothing waits before the result is asked for."""
    held = threading.Event()
    with EmbedQueue(store, cast(ModelSet, CountedModel(held))) as queue:
        keep = queue.submit(["harbour"])
        assert not store.vectors.known([text_hash("counted", "harbour")])
        held.set()
        keep()
    assert kept(store, "harbour") == [7, 1]


def test_many_texts_are_kept_in_parts(store: StoreWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    """A huge document shows progress, and a killed run loses one part."""
    monkeypatch.setattr(vector_cache, "_KEEP_EVERY", 2)
    events: list[Event] = []
    model = CountedModel()
    with EmbedQueue(store, cast(ModelSet, model), events.append) as queue:
        queue.submit(["a", "bb", "ccc", "dddd", "eeeee"])()
    assert model.given == [["a", "bb"], ["ccc", "dddd"], ["eeeee"]]
    assert [(e.done, e.total) for e in events] == [(0, 5), (2, 5), (4, 5)]


def test_a_failure_reaches_the_caller(store: StoreWriter) -> None:
    """And what waits behind it is not computed."""

    class Broken(CountedModel):
        def embed(self, texts: Sequence[str], report: Report = silent) -> Any:
            raise RuntimeError("no memory")

    with (
        pytest.raises(RuntimeError, match="no memory"),
        EmbedQueue(store, cast(ModelSet, Broken())) as queue,
    ):
        queue.submit(["harbour"])()
    assert not store.vectors.known([text_hash("counted", "harbour")])


def test_the_part_under_way_ends_early(store: StoreWriter) -> None:
    """Ctrl-C in the caller ends it after a batch."""
    begun = threading.Event()

    class Endless(CountedModel):
        def embed(self, texts: Sequence[str], report: Report = silent) -> Any:
            for _ in range(2000):
                begun.set()
                time.sleep(0.01)
                report(Event("embed", 1, 2000))
            self.given.append(list(texts))

    model = Endless()
    with (
        pytest.raises(KeyboardInterrupt),
        EmbedQueue(store, cast(ModelSet, model)) as queue,
    ):
        queue.submit(["harbour"])
        assert begun.wait(20)
        raise KeyboardInterrupt
    assert not model.given
    assert model.closed
