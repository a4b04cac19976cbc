"""Counts what a run of ``index`` does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ragcli.enriching.cluster_naming import NamingOutcome
from ragcli.enriching.describing import DescribeOutcome
from ragcli.stage_timer import StageTimer
from ragcli.store.writer import StoreWriter
from ragcli.types import IndexResult, Skipped

_BLOCK = 1_000_000


def count_words(text: str, block: int = _BLOCK) -> int:
    """Return ``len(text.split())``, without holding the words of 50 MB in memory at once.

    A word on the border of two blocks is counted in both, and taken off again.
    """
    words = 0
    for at in range(0, len(text), block):
        words += len(text[at : at + block].split())
        words -= at > 0 and not (text[at - 1].isspace() or text[at].isspace())
    return words


@dataclass(slots=True)
class RunReport:
    """What a run has done so far."""

    added: dict[str, str] = field(default_factory=dict)
    removed: dict[str, str] = field(default_factory=dict)
    changed: int = 0
    unchanged: int = 0
    words: int = 0
    bytes: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    failed_before: list[tuple[str, str]] = field(default_factory=list)
    missing_roots: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    unmatched: list[tuple[int, str]] = field(default_factory=list)

    def remember(self, store: StoreWriter, clock: StageTimer) -> None:
        """Keep the seconds of the stages for ``inspect stats`` and the rate for ``--dry-run``."""
        if self.words:
            fast = clock.total - clock.stages.get("describe", 0.0)
            store.meta.keep_run(clock.stages, fast / self.words)

    def result(
        self,
        store: StoreWriter,
        clock: StageTimer,
        described: DescribeOutcome,
        words: NamingOutcome,
    ) -> IndexResult:
        """The counts of the run, and of the store after it."""
        renamed = sum((Counter(self.added.values()) & Counter(self.removed.values())).values())
        counts = store.counts()
        return IndexResult(
            added=len(self.added) - renamed,
            changed=self.changed,
            renamed=renamed,
            removed=len(self.removed) - renamed,
            unchanged=self.unchanged,
            failed=tuple(self.failed),
            failed_before=tuple(self.failed_before),
            missing_roots=self.missing_roots,
            notes=tuple(self.notes),
            skipped=tuple(self.skipped),
            documents=counts.documents,
            chunks=counts.chunks,
            entities=counts.entities,
            relations=counts.relations,
            words=self.words,
            seconds=clock.total,
            generation=store.generation,
            stages=dict(clock.stages),
            unmatched=tuple(self.unmatched),
            llm_calls=described.calls + words.calls,
            llm_tokens=described.tokens + words.tokens,
            described=described.done,
            waiting=described.waiting,
            waiting_profiles=described.profiles,
            problems=tuple(described.problems.most_common()),
            hierarchy_words=words.listing(),
        )
