"""The second stage of ``index --mode hybrid`` or ``light``: a language model reads the chunks.

    method -> unread chunks -> known findings -> ask, central chunks first -> commit

The fast index is committed before, so a run that is stopped leaves a store that answers. Replies
and findings are kept as they come; the next run goes on behind them.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

from ragcli.enriching.conversations import Conversations
from ragcli.extract.codec import pack_findings, unpack, unpack_findings
from ragcli.extract.llm.job import Job, Method, job
from ragcli.models.completion import Completer
from ragcli.stage_timer import over
from ragcli.store.writer import StoreWriter
from ragcli.types import Event, Findings, Report

# Seconds of asking after which what was found is shown to readers; a commit costs a share of it.
COMMIT_EVERY = 300.0
COMMIT_SHARE = 20

Show = Callable[[dict[int, bytes]], None]


@dataclass(slots=True)
class DescribeOutcome:
    """Chunks that have their findings now, those that wait, what went wrong, by reason, what the
    model itself was asked, and profiles that wait to be summed up by it."""

    done: int = 0
    waiting: int = 0
    profiles: int = 0
    calls: int = 0
    tokens: int = 0
    problems: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class UnreadChunks:
    """Chunks of equal text under equal headings: asked about once. ``key``: of their findings."""

    key: bytes
    rows: tuple[int, ...]


def describe(
    db: sqlite3.Connection,
    model: Completer,
    method: Method,
    show: Show,
    report: Report,
    deadline: float | None = None,
) -> DescribeOutcome:
    """Ask ``model`` about every chunk that has no findings by ``method``, until ``deadline``
    (``time.monotonic``). ``show`` makes findings (chunk row -> hash) a part of the graph; the
    model is asked nothing meanwhile."""
    writer = StoreWriter(db)
    outcome = DescribeOutcome()
    found: dict[int, bytes] = {}
    wanted = unread(db, method)
    known = writer.known("extractions", [w.key for w in wanted])
    for w in wanted:
        if w.key in known:
            found |= dict.fromkeys(w.rows, w.key)
            _count(outcome, _read(db, w.key), len(w.rows))
    todo = [w for w in wanted if w.key not in known]
    total = sum(len(w.rows) for w in wanted)
    talks = Conversations(model, ((w, job_of(db, method, w.rows[0])) for w in todo))
    cost = 0.0
    while True:
        pause = time.monotonic() + max(COMMIT_EVERY, COMMIT_SHARE * cost)
        until = pause if deadline is None else min(pause, deadline)
        for w, findings in talks.go(partial(over, until)):
            writer.keep("extractions", {w.key: pack_findings(findings)})
            found |= dict.fromkeys(w.rows, w.key)
            _count(outcome, findings, len(w.rows))
            report(Event("describe", outcome.done, total))
        if found:
            began = time.monotonic()
            show(found)
            found, cost = {}, time.monotonic() - began
        if talks.done or over(deadline):
            break
    outcome.waiting = total - outcome.done
    return outcome


def unread(db: sqlite3.Connection, method: Method) -> list[UnreadChunks]:
    """What has no findings by this method, those with the names that most documents share first.

    Recorded findings stay: somebody gave them.
    """
    rows = db.execute(
        "SELECT c.id, c.extraction, c.heading, c.findings FROM chunks c"
        " JOIN documents d ON d.id = c.doc WHERE d.died IS NULL"
        " ORDER BY (SELECT coalesce(sum(e.documents), 0) FROM chunk_entities x"
        "  JOIN entities e ON e.id = x.entity AND e.kind = 'name' WHERE x.chunk = c.id) DESC,"
        " d.doc, c.ordinal"
    ).fetchall()
    groups: dict[bytes, list[int]] = {}
    for row, extraction, heading, findings in rows:
        key = _key(method, extraction, heading)
        if findings == key:
            continue
        if findings is None or _read(db, findings).by.startswith(("hybrid.", "light.")):
            groups.setdefault(key, []).append(row)
    return [UnreadChunks(key, tuple(rows_)) for key, rows_ in groups.items()]


def _key(method: Method, extraction: bytes, heading: str) -> bytes:
    """Names the findings of a chunk: ``extraction`` stands for its owned text and mentions."""
    # Hybrid prompts do not show the heading.
    above = heading if method.mode == "light" else ""
    return blake2b(
        b"\0".join((method.by.encode(), above.encode(), extraction)), digest_size=16
    ).digest()


def _read(db: sqlite3.Connection, key: bytes) -> Findings:
    row = db.execute("SELECT data FROM extractions WHERE hash = ?", (key,)).fetchone()
    return unpack_findings(row[0])


def _count(outcome: DescribeOutcome, findings: Findings, chunks: int) -> None:
    outcome.done += chunks
    if findings.problem:
        outcome.problems[findings.problem] += chunks


def job_of(db: sqlite3.Connection, method: Method, row: int) -> Job:
    """The conversation about one chunk."""
    text, heading, data = db.execute(
        "SELECT substr(c.text, c.owned - c.start + 1), c.heading, x.data FROM chunks c"
        " JOIN extractions x ON x.hash = c.extraction WHERE c.id = ?",
        (row,),
    ).fetchone()
    return job(method, text, heading, unpack(data, text))


def described(db: sqlite3.Connection) -> dict[str, Any]:
    """What ``inspect stats`` says of all that language models and others found so far."""
    rows = db.execute(
        "SELECT x.data FROM chunks c JOIN documents d ON d.id = c.doc"
        " JOIN extractions x ON x.hash = c.findings WHERE d.died IS NULL"
    )
    problems: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    chunks = 0
    for (data,) in rows:
        findings = unpack_findings(data)
        chunks += 1
        problems.update([findings.problem] if findings.problem else [])
        dropped.update(dict(findings.dropped))
    return {
        "described_chunks": chunks,
        "nothing_found": dict(problems.most_common()),
        "dropped": dict(dropped.most_common()),
    }
