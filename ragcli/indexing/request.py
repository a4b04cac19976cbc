"""The request to a run of ``index``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ENGINES = ("local", "ray")


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """What to index. ``only`` limits the run to changes below these paths; ``forget``: roots to
    remove with their documents.

    ``extractions``: a file of recorded extractions (JSON Lines). ``mode``: how chunks are read
    ("": as in earlier runs); ``minutes``: the most time that a language model is given.
    ``hierarchy``: build or rebuild one (True), remove it (False), no change (None);
    ``hierarchy_by``: who writes its texts from now on ("": no change; see ``WRITERS``).
    ``shard``: "I/N" for a store of one of N parts of the documents ("": that of the store).
    ``engine``: what runs the stages of documents (see ``ENGINES``); ``address``: its cluster.
    """

    store: Path
    paths: tuple[Path, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    only: tuple[Path, ...] = ()
    rebuild: bool = False
    extractions: Path | None = None
    mode: str = ""
    minutes: float | None = None
    hierarchy: bool | None = None
    hierarchy_by: str = ""
    forget: tuple[Path, ...] = ()
    shard: str = ""
    engine: str = "local"
    address: str = ""
