"""The reader, loaded once in a process."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ragcli.models.locate import embedder_folder

if TYPE_CHECKING:
    from ragcli.models.reader import Reader


@lru_cache(maxsize=1)
def open_reader() -> Reader:
    """The reader with the weights of the package; 40 ms. Raises ModelError when they are damaged.

    It reads with the vocabulary of the default embedding model, whichever model embeds.
    """
    from ragcli.models.reader import Reader

    return Reader(embedder_folder("default"))
