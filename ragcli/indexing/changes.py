"""Compares the files of the folders with the store, and streams what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.read_pool import ReadPool
from ragcli.corpus.scan import Scan, part_of, scan
from ragcli.corpus.scan_limit import EVERYWHERE, ScanLimit
from ragcli.corpus.shard import WHOLE, Shard
from ragcli.errors import ReadError
from ragcli.models.cpu import usable_cpus
from ragcli.store.documents import DocumentVersion
from ragcli.store.meta import Patterns
from ragcli.store.roots import is_below
from ragcli.types import ParsedDocument, Skipped, Source


@dataclass(frozen=True, slots=True)
class FreshDocument:
    """A document that is new or has changed."""

    document: ParsedDocument
    source: Source
    known: bool


@dataclass(frozen=True, slots=True)
class ReadFailure:
    """A file or record that could not be read."""

    doc: str
    source: Source
    error: str


@dataclass(frozen=True, slots=True)
class MovedRecord:
    """A record that did not change but is on another line of its file."""

    version: DocumentVersion
    line: int


@dataclass(frozen=True, slots=True)
class FinishedSource:
    """All documents of a file have been streamed.

    ``same`` counts the unchanged documents; ``gone`` are those that the file no longer holds.
    ``complete`` is False when the file could not be read to its end. ``failed`` are the ids of its
    parts that could not be read.
    """

    source: Source
    gone: tuple[DocumentVersion, ...]
    same: int
    complete: bool
    failed: tuple[str, ...] = ()


@dataclass(slots=True)
class ReadPlan:
    """The files that must be read and those that are gone; ``unchanged`` counts the documents in
    all other files.

    ``stopped`` are (id, reason) of files that are not read again: reading them was stopped at a
    limit that is the same now, and they have not changed. ``shard``: of the files to read, only its
    documents count; ``scanned``: the fingerprint of a whole scan that was divided into shards.
    """

    read: list[Source] = field(default_factory=list)
    stopped: list[tuple[str, str]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    unchanged: int = 0
    shard: Shard = WHOLE
    scanned: str = ""


def scan_within(
    limit: ScanLimit,
    roots: Sequence[str],
    patterns: Patterns,
    files: Mapping[str, Source],
    may_miss: Sequence[str] = (),
) -> Scan:
    """Scan what the limit covers; ``files`` are those that the store knows.

    When an id now belongs to another file, everything is scanned: two files may claim that id.
    """
    include, exclude = patterns.include, patterns.exclude
    found = scan(roots, include, exclude, limit, may_miss)
    if limit and any(s.id in files and files[s.id].path != s.path for s in found.sources):
        return part_of(scan(roots, include, exclude, may_miss=may_miss), limit)
    return found


def plan(
    found: Scan,
    files: Mapping[str, Source],
    versions: Mapping[str, DocumentVersion],
    limit: ScanLimit = EVERYWHERE,
) -> ReadPlan:
    """Compare a scan with the store by size and time, within the ``limit``."""
    result = ReadPlan()
    documents = Counter(v.source for v in versions.values())
    for source in found.sources:
        if files.get(source.id) == source:
            result.unchanged += documents[source.id]
        else:
            result.read.append(source)
    present = {source.id for source in found.sources}
    held = [s.id for s in found.skipped if s.unreadable]
    for source in files.values():
        if source.id in present or not limit.covers(source.path) or _held(source.id, held):
            continue
        if not any(is_below(source.path, root) for root in found.missing):
            result.gone.append(source.id)
    return result


def _held(source: str, unreadable: Sequence[str]) -> bool:
    """Whether a file is missing only because its folder cannot be read now."""
    return any(source == u or source.startswith(u.rstrip("/") + "/") for u in unreadable)


def stream(
    sources: Sequence[Source],
    versions: Mapping[str, DocumentVersion],
    limits: ReadLimits | None = None,
    shard: Shard = WHOLE,
    readers: int = 0,
) -> Iterator[FreshDocument | ReadFailure | Skipped | MovedRecord | FinishedSource]:
    """Read the files one after another and yield what differs from the store.

    Of their documents and failures, only those of the ``shard`` count. ``readers``: processes that
    read (0: one per usable CPU).
    """
    wanted = {source.id for source in sources}
    by_source: dict[str, dict[str, DocumentVersion]] = {}
    for version in versions.values():
        if version.source in wanted:
            by_source.setdefault(version.source, {})[version.doc] = version
    with ReadPool(limits, readers or usable_cpus()) as pool:
        for source, found in pool.each(sources):
            yield from _one(source, found, by_source.get(source.id, {}), versions, shard)


def _one(
    source: Source,
    found: Iterator[ParsedDocument | Skipped],
    former: Mapping[str, DocumentVersion],
    versions: Mapping[str, DocumentVersion],
    shard: Shard,
) -> Iterator[FreshDocument | ReadFailure | Skipped | MovedRecord | FinishedSource]:
    seen: set[str] = set()
    same = 0
    bad: list[Skipped] = []
    try:
        for item in found:
            if isinstance(item, Skipped):
                bad.append(item)
                continue
            seen.add(item.id)
            if not shard.holds(source.id, item.id):
                continue
            known = versions.get(item.id)
            if known is None or known.sha256 != item.sha256 or known.source != source.id:
                yield FreshDocument(item, source, known is not None)
            else:
                same += 1
                # Records of several lines know them, and hash them if they can move.
                if len(item.line_starts) == 1 and known.line not in (0, item.first_line):
                    yield MovedRecord(known, item.first_line)
    except ReadError as error:
        yield ReadFailure(source.id, source, error.message)
        yield FinishedSource(source, (), len(former), complete=False)
        return
    judged = [
        item
        for item in _judge(source, bad, found_some=bool(seen))
        if isinstance(item, Skipped) or shard.holds(source.id, item.doc)
    ]
    yield from judged
    failed = tuple(item.doc for item in judged if isinstance(item, ReadFailure))
    gone = tuple(version for doc, version in former.items() if doc not in seen)
    yield FinishedSource(source, gone, same, complete=True, failed=failed)


def _judge(
    source: Source, bad: Sequence[Skipped], found_some: bool
) -> Iterator[ReadFailure | Skipped]:
    """Bad records among good ones are failures; a file without one good record is just skipped."""
    if found_some:
        yield from (ReadFailure(item.id, source, item.reason) for item in bad)
    elif bad and bad[0].id == source.id:
        yield bad[0]
    elif bad:
        yield Skipped(source.id, f"no records in {len(bad)} lines; {bad[0].id}: {bad[0].reason}")
