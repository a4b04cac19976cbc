"""The second stage of ``index --mode hybrid`` or ``light``: a language model reads the chunks.

    method -> unread chunks -> known findings -> ask, central chunks first -> commit

The fast index is committed first, so a stopped run leaves a complete store. Replies and findings
are kept as they come; the next run continues after them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

from ragcli.enriching.conversations import Conversations
from ragcli.enriching.reading_cost import (
    SAMPLE,
    ChunkCost,
    ModelSpeed,
    habit_of,
    prompt_cost,
    usual_share,
)
from ragcli.enriching.reading_progress import ReadingProgress, ReadingWork
from ragcli.errors import ModelError
from ragcli.extract.codec import pack_findings, unpack, unpack_findings
from ragcli.extract.llm.job import Job, Method, job
from ragcli.models.completion import Completer, Watch
from ragcli.models.reading_habits import keep_habit, kept_habit
from ragcli.stage_timer import has_passed
from ragcli.store.findings import ChunkFindings
from ragcli.store.snapshot import Snapshot
from ragcli.store.writer import StoreWriter
from ragcli.types import Findings, Report

# Seconds between commits of new findings; at least COMMIT_SHARE times as long as a commit takes.
COMMIT_EVERY = 15.0
COMMIT_SHARE = 20

ShowFindings = Callable[[Sequence[ChunkFindings]], None]


@dataclass(slots=True)
class DescribeOutcome:
    """Counts: chunks done and waiting, waiting profiles, calls and tokens of the model, and chunks
    without findings by reason."""

    done: int = 0
    waiting: int = 0
    profiles: int = 0
    calls: int = 0
    tokens: int = 0
    problems: Counter[str] = field(default_factory=Counter)

    def count(self, findings: Findings, chunks: int) -> None:
        """Count chunks that have these findings now."""
        self.done += chunks
        if findings.problem:
            self.problems[findings.problem] += chunks


@dataclass(frozen=True, slots=True)
class UnreadChunks:
    """Chunks with equal text and heading, read once; ``key`` is the hash of their findings."""

    key: bytes
    rows: tuple[int, ...]

    def found(self) -> list[ChunkFindings]:
        """The findings under the key, for each chunk."""
        return [ChunkFindings(row, self.key) for row in self.rows]


def describe(
    store: StoreWriter,
    model: Completer,
    method: Method,
    show: ShowFindings,
    report: Report,
    deadline: float | None = None,
) -> DescribeOutcome:
    """Ask ``model`` about every chunk without findings by ``method``, until ``deadline``
    (``time.monotonic``). ``show`` commits findings, chunk after chunk with a slow model; the model
    waits meanwhile. What is found is also shown when the run is interrupted."""
    outcome = DescribeOutcome()
    shown = _Showing(show)
    wanted = unread(store, method)
    known = store.extractions.known([w.key for w in wanted])
    for w in wanted:
        if w.key in known:
            shown.found += w.found()
            outcome.count(unpack_findings(store.extractions.get(w.key)), len(w.rows))
    todo = [w for w in wanted if w.key not in known]
    total = sum(len(w.rows) for w in wanted)
    habit = kept_habit(method.by)
    share = habit.share if habit else usual_share(method)
    work = ReadingWork(total, outcome.done, share, partial(mean_cost, store, method, todo, share))
    progress = ReadingProgress(report, work)
    watch = Watch(deadline, progress.tell)
    progress.begin(ModelSpeed(habit.read_speed, habit.write_speed) if habit else None, deadline)
    talks = Conversations(model, ((w, job_of(store, method, w.rows[0])) for w in todo))
    try:
        for w, findings in talks.go(partial(has_passed, deadline), watch):
            store.extractions.keep({w.key: pack_findings(findings)})
            shown.found += w.found()
            outcome.count(findings, len(w.rows))
            progress.has_read(len(w.rows), mean_cost(store, method, [w], share), watch)
            shown.when_due()
    except (KeyboardInterrupt, SystemExit, ModelError):
        shown.now()
        raise
    finally:
        if shows := habit_of(watch, share):
            keep_habit(method.by, shows)
    shown.now()
    outcome.waiting = total - outcome.done
    return outcome


class _Showing:
    """Commits what is found from time to time."""

    def __init__(self, show: ShowFindings) -> None:
        self.found: list[ChunkFindings] = []
        self._show = show
        self._due = time.monotonic() + COMMIT_EVERY

    def when_due(self) -> None:
        """Commit if the last time is long ago."""
        if time.monotonic() >= self._due:
            self.now()

    def now(self) -> None:
        """Commit what has been found since the last time, if anything."""
        if self.found:
            began = time.monotonic()
            self._show(self.found)
            cost = time.monotonic() - began
            self.found = []
            self._due = time.monotonic() + max(COMMIT_EVERY, COMMIT_SHARE * cost)


def mean_cost(
    store: StoreWriter, method: Method, todo: Sequence[UnreadChunks], share: float
) -> ChunkCost:
    """What a chunk takes, by the prompts of some of ``todo`` from its beginning to its end."""
    step = max(1, -(-len(todo) // SAMPLE))
    return prompt_cost([job_of(store, method, w.rows[0]) for w in todo[::step]], method, share)


def unread(store: StoreWriter, method: Method) -> list[UnreadChunks]:
    """Chunks without findings by this method; chunks with the most shared names come first.

    Recorded findings are not replaced.
    """
    groups: dict[bytes, list[int]] = {}
    for chunk in store.findings.in_order_of_reading():
        key = _key(method, chunk.extraction, chunk.heading)
        if chunk.findings == key:
            continue
        if chunk.findings is None or _is_a_models(store, chunk.findings):
            groups.setdefault(key, []).append(chunk.row)
    return [UnreadChunks(key, tuple(rows)) for key, rows in groups.items()]


def _is_a_models(store: StoreWriter, key: bytes) -> bool:
    """Whether a language model found it; another method may then replace it."""
    by = unpack_findings(store.extractions.get(key)).by
    return by.startswith(("hybrid.", "light."))


def _key(method: Method, extraction: bytes, heading: str) -> bytes:
    """Names the findings of a chunk: ``extraction`` identifies its owned text and mentions."""
    # Hybrid prompts do not show the heading.
    above = heading if method.mode == "light" else ""
    return blake2b(
        b"\0".join((method.by.encode(), above.encode(), extraction)), digest_size=16
    ).digest()


def job_of(store: StoreWriter, method: Method, chunk: int) -> Job:
    """The conversation about one chunk."""
    c = store.findings.text_of(chunk)
    return job(method, c.text, c.heading, unpack(c.extraction, c.text))


def described(snapshot: Snapshot) -> dict[str, Any]:
    """Counts of findings for ``inspect stats``."""
    problems: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    chunks = 0
    for data in snapshot.chunks.findings():
        findings = unpack_findings(data)
        chunks += 1
        problems.update([findings.problem] if findings.problem else [])
        dropped.update(dict(findings.dropped))
    return {
        "described_chunks": chunks,
        "nothing_found": dict(problems.most_common()),
        "dropped": dict(dropped.most_common()),
    }
