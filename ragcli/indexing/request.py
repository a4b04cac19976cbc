"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """What to index. ``only`` limits the run to changes below these paths.

    ``extractions``: recorded ones, as JSON Lines, to be given to their chunks. ``mode``: how to
    extract ("": as the store was made); ``minutes``: for which a language model is asked at most.
    ``hierarchy``: make one or cluster it anew (True), have none (False), go on as before (None);
    ``hierarchy_by``: who writes its words from now on ("": as before; see ``author.WRITERS``).
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
