"""The reader, loaded once in a process; on a second processor while a search is under way."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING

from ragcli.models.locate import embedder_folder

if TYPE_CHECKING:
    from ragcli.models.reader import Reader


def open_reader() -> Reader:
    """The reader with the weights of the package; 40 ms. Raises ModelError when they are damaged.

    It reads with the vocabulary of the default embedding model, whichever model embeds.
    """
    try:
        return _loading().result()
    except BaseException:
        _loading.cache_clear()  # the files may be mended while a server runs
        raise


def load_reader_ahead() -> None:
    """Begin to load the reader in a thread; ``open_reader`` waits for it, and raises its error."""
    _loading()


@lru_cache(maxsize=1)
def _loading() -> Future[Reader]:
    pool = ThreadPoolExecutor(1, "reader")
    loading = pool.submit(_load)
    pool.shutdown(wait=False)
    return loading


def _load() -> Reader:
    from ragcli.models.reader import Reader

    return Reader(embedder_folder("default"))
