"""Records of a run: progress events, and the final result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ragcli.types.documents import Skipped


@dataclass(frozen=True, slots=True)
class Event:
    """Progress of one stage: ``done`` of ``total`` units (``total`` is 0 when unknown).

    ``notice``: the note is of lasting interest, not only while it is true.
    """

    stage: str
    done: int
    total: int
    note: str = ""
    notice: bool = False


Report = Callable[[Event], None]


def silent(_event: Event) -> None:
    """Report nothing: the default for callers that do not follow progress."""


@dataclass(frozen=True, slots=True)
class IndexResult:
    """The result of an index run: documents by kind of change, then the size of the store.

    ``stages`` maps stages to seconds; stages may overlap. ``unmatched`` are (line, reason) of
    recorded extractions that match no chunk. ``described`` counts chunks that a language model
    has read; ``waiting`` counts chunks, and ``waiting_profiles`` profiles, that still need one.
    ``problems`` are (reason, chunks) of chunks whose reading failed. ``hierarchy_words`` counts
    the hierarchy's texts: "written" by the model, still "waiting", and "refused" parts of
    replies, by reason; it is {} when there was nothing to write.
    ``failed`` are documents that cannot be read, with the reason; ``failed_before`` are those of
    files that have not changed since they last failed. ``missing_roots`` are folders that cannot
    be opened; their documents stay in the store. ``notes`` are further messages for the user.
    """

    added: int
    changed: int
    renamed: int
    removed: int
    unchanged: int
    failed: tuple[tuple[str, str], ...]
    skipped: tuple[Skipped, ...]
    documents: int
    chunks: int
    entities: int
    relations: int
    words: int
    seconds: float
    generation: int
    stages: dict[str, float]
    llm_calls: int = 0
    llm_tokens: int = 0
    unmatched: tuple[tuple[int, str], ...] = ()
    described: int = 0
    waiting: int = 0
    waiting_profiles: int = 0
    problems: tuple[tuple[str, int], ...] = ()
    hierarchy_words: dict[str, Any] = field(default_factory=dict)
    failed_before: tuple[tuple[str, str], ...] = ()
    missing_roots: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
