"""Embeds texts and stores the vectors by hash of model and text: no text is embedded twice."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from ragcli.models.model_set import ModelSet
from ragcli.search.level_codes import encoded
from ragcli.store.content_keys import code_hash, text_hash, unknown
from ragcli.types import Event, Report, silent

if TYPE_CHECKING:
    from ragcli.store.writer import StoreWriter

# Vectors are stored after every so many texts.
_KEEP_EVERY = 512
# Seconds that a thread may keep the interpreter while another waits. The embedder needs it a
# hundred times a batch, each time for microseconds; Python's default is 5 ms.
_TURN = 0.0005


def keep_vectors(store: StoreWriter, models: ModelSet, texts: Sequence[str]) -> list[bytes]:
    """Embed the texts that have no vector yet; return the hash of every text, in order."""
    keys = [text_hash(models.embedder_print, t) for t in texts]
    for part in _unkept(store, keys, silent):
        vectors = models.embed([texts[i] for i in part])
        store.vectors.keep({keys[i]: v.tobytes() for i, v in zip(part, vectors, strict=True)})
    return keys


def keep_codes(
    store: StoreWriter, models: ModelSet, texts: Sequence[str], report: Report = silent
) -> list[bytes]:
    """The same for texts of a coded set: keep codes of their vectors.

    Vectors that are fresh, as those that a store of an earlier format had, are not made again. New
    ones stay fresh until the end of the run: a hierarchy has the same texts.
    """
    keys = [code_hash(models.embedder_print, t) for t in texts]
    for part in _unkept(store, keys, report):
        whole = {i: text_hash(models.embedder_print, texts[i]) for i in part}
        found = store.vectors.of(list(whole.values()))
        missing = [i for i in part if whole[i] not in found]
        made = models.embed([texts[i] for i in missing]) if missing else ()
        new = {whole[i]: v.tobytes() for i, v in zip(missing, made, strict=True)}
        store.vectors.keep(new)
        found |= new
        vectors = np.frombuffer(b"".join(found[whole[i]] for i in part), np.float16)
        codes = encoded(vectors.reshape(len(part), -1))
        store.vectors.keep({keys[i]: c.tobytes() for i, c in zip(part, codes, strict=True)})
    return keys


def _unkept(store: StoreWriter, keys: Sequence[bytes], report: Report) -> Iterator[list[int]]:
    """Positions of the keys that have nothing yet, as many at a time as are embedded together."""
    todo = unknown(keys, store.vectors.known(keys))
    for at in range(0, len(todo), _KEEP_EVERY):
        if len(todo) > _KEEP_EVERY:
            report(Event("embed", at, len(todo)))
        yield todo[at : at + _KEEP_EVERY]


class EmbedQueue:
    """Embeds texts in a thread, in the order given, while the caller reads and chunks the next.

    The store is used in the caller's thread only. Use it as a context manager.
    """

    def __init__(self, store: StoreWriter, models: ModelSet, report: Report = silent) -> None:
        """``report`` receives events of stage "embed" for many texts at once."""
        self._store = store
        self._models = models
        self._report = report
        self._thread = ThreadPoolExecutor(1, "embed")
        self._coming: set[bytes] = set()
        self._turn = sys.getswitchinterval()
        self._ended = threading.Event()

    def __enter__(self) -> EmbedQueue:
        sys.setswitchinterval(_TURN)
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._ended.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
        if error is not None:
            self._models.close()  # the thread may be waiting for a process that loads its model
        self._thread.shutdown()
        sys.setswitchinterval(self._turn)

    def submit(self, texts: Sequence[str]) -> Callable[[], None]:
        """Start to embed the texts that have no vector and are not on their way.

        The returned function waits and stores the vectors; call these functions in order.
        """
        keys = [text_hash(self._models.embedder_print, t) for t in texts]
        todo = unknown(keys, self._store.vectors.known(keys) | self._coming)
        parts = [todo[at : at + _KEEP_EVERY] for at in range(0, len(todo), _KEEP_EVERY)]
        self._coming |= {keys[i] for i in todo}
        started = [
            self._thread.submit(self._models.embed, [texts[i] for i in part], self._go_on)
            for part in parts
        ]

        def keep() -> None:
            for number, (part, vectors) in enumerate(zip(parts, started, strict=True)):
                if len(parts) > 1:
                    self._report(Event("embed", number * _KEEP_EVERY, len(todo)))
                rows = zip(part, vectors.result(), strict=True)
                self._store.vectors.keep({keys[i]: v.tobytes() for i, v in rows})
            self._coming -= {keys[i] for i in todo}

        return keep

    def _go_on(self, _event: Event) -> None:
        """After each batch: Ctrl-C need not wait until all texts of a part are embedded."""
        if self._ended.is_set():
            raise CancelledError
