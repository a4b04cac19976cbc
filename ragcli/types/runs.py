"""What a run tells: its progress, and at its end what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ragcli.types.documents import Skipped


@dataclass(frozen=True, slots=True)
class Event:
    """Progress of one stage: ``done`` of ``total`` units (``total`` 0 when unknown)."""

    stage: str
    done: int
    total: int
    note: str = ""


Report = Callable[[Event], None]


def silent(_event: Event) -> None:
    """Report nothing: the default for callers that do not follow progress."""


@dataclass(frozen=True, slots=True)
class IndexResult:
    """What a run of ``index`` did: documents by kind of change, then what the store holds.

    ``stages`` are seconds and may overlap. ``unmatched``: (line, reason) of recorded extractions
    that belong to no chunk. A language model has read ``described`` chunks; ``waiting`` ones and
    ``waiting_profiles`` not yet; ``problems``: (reason, chunks) of those with nothing found.
    ``hierarchy_words``: what of the hierarchy it has "written", what is "waiting", and of how many
    replies something was "refused", by reason; {} when none was to write.
    ``failed``: documents that cannot be read, with the reason; ``failed_before``: those of files
    that have not changed since they last failed. ``missing_roots``: folders that cannot be opened;
    their documents stay. ``notes``: what else the user should know, a line each.
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
