"""Updates the sums over documents: subtracts what goes and adds what comes.

A document's contribution depends only on its own text, extractions and findings. When a language
model has read more of an unchanged document, its old contribution is subtracted and its new
contribution is added.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from ragcli.extract.codec import unpack, unpack_findings
from ragcli.graph.contribution import contribution
from ragcli.search import lexical
from ragcli.search.lexical import IndexedPassage
from ragcli.store.documents import StoredDocument
from ragcli.store.findings import ChunkFindings
from ragcli.store.profiles import TouchedProfiles
from ragcli.store.records import StoredChunk
from ragcli.store.writer import StoreWriter
from ragcli.types import Contribution, Event, Extraction, Report

# Documents between two reports of progress.
_REPORT_EVERY = 64


def bring_sums_in_line(
    store: StoreWriter,
    found: Sequence[ChunkFindings],
    touched: TouchedProfiles,
    report: Report,
) -> None:
    """Update entities, relations, the lexical index and descriptions for the next generation.

    ``found`` are the new findings of chunks, of pending and of unchanged documents.
    """
    pending = store.documents.pending()
    born = [d.row for d in pending.born]
    dying = [d.row for d in pending.dying]
    changed = store.findings.documents_with(store.findings.that_differ(found))
    again = sorted(changed - set(born) - set(dying))
    touched.gather([*dying, *again])
    sums = store.sums()
    for row in dying:
        document = store.documents.stored(row)
        sums.subtract(_contribution(document))
        lexical.remove(store, _indexed(document))
    for row in again:
        sums.subtract(_contribution(store.documents.stored(row)))
        sums.clear(row)
    store.findings.replace(found)
    for done, row in enumerate([*born, *again]):
        document = store.documents.stored(row)
        sums.add(_contribution(document), document)
        if done < len(born):
            lexical.add(store, _indexed(document))
        if done % _REPORT_EVERY == 0:
            report(Event("graph", done, len(born) + len(again)))
    sums.flush()
    touched.gather([*born, *again])


def mentions_of(chunk: StoredChunk) -> Extraction:
    """What the English pipeline found in the owned text of a chunk."""
    c = chunk.chunk
    return unpack(chunk.extraction, c.text[c.owned - c.start :])


def _contribution(document: StoredDocument) -> Contribution:
    """What a document adds to the graph."""
    return contribution(
        [c.chunk for c in document.chunks],
        [mentions_of(c) for c in document.chunks],
        document.title,
        [unpack_findings(c.findings) if c.findings else None for c in document.chunks],
    )


def _indexed(document: StoredDocument) -> list[IndexedPassage]:
    """A document's passages as the lexical index takes them, each with the headings above it."""
    starts = [start for start, _ in document.headings]
    out = []
    for stored in document.chunks:
        c = stored.chunk
        for row, p in zip(stored.passage_rows, c.passages, strict=True):
            at = bisect_right(starts, p.start)
            heading = document.headings[at - 1][1] if at else ""
            text = c.text[p.start - c.start : p.end - c.start]
            out.append(IndexedPassage(row, f"{document.title}\n{heading}", text))
    return out
