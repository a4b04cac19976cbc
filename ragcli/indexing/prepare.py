"""Prepares a changed document for the store: chunks, the texts to embed, its summary tree.

Extractions and vectors are kept under a hash of the model and the text. Unchanged text therefore
costs nothing, wherever it is now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragcli.config import Settings
from ragcli.corpus.chunk import ChunkSettings, chunk
from ragcli.corpus.read.ocr import BUILT_IN, is_installed
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.units import Offsets
from ragcli.graph.summary_tree import document_tree
from ragcli.indexing.changes import FinishedSource, FreshDocument, MovedRecord, ReadFailure
from ragcli.text.embedded_text import embedded_text
from ragcli.types import Chunk, Node, ParsedDocument, Skipped


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document with everything that can be known without a model.

    ``units[i]`` is the text of ``chunks[i]`` to extract from; ``passages[i][j]`` and ``nodes``'
    texts are to be embedded as they are.
    """

    fresh: FreshDocument
    chunks: tuple[Chunk, ...]
    units: tuple[str, ...]
    passages: tuple[tuple[str, ...], ...]
    nodes: tuple[Node, ...]
    node_texts: tuple[str, ...]


def chunk_settings(settings: Settings) -> ChunkSettings:
    """The sizes of chunks and passages, in tokens, from the settings."""
    s = settings
    return ChunkSettings(s.chunk_size, s.chunk_overlap, s.passage_size, s.passage_overlap)


def read_limits(settings: Settings) -> ReadLimits:
    """What reading one file may cost, from the settings."""
    return ReadLimits(
        settings.read_seconds,
        settings.read_megabytes,
        ocr_of(settings.ocr),
        settings.ocr_seconds,
        settings.ocr_pictures == "all",
    )


def ocr_of(setting: str) -> str:
    """What reads scanned pages, as ``ReadLimits`` has it."""
    if setting == "auto":
        return BUILT_IN if is_installed() else ""
    return "" if setting == "none" else setting


def prepare(fresh: FreshDocument, offsets: Offsets, settings: ChunkSettings) -> Prepared:
    """Chunk a document and sum it up."""
    document = fresh.document
    chunks = chunk(document, offsets, settings)
    nodes = tuple(document_tree(document.id, document.title, chunks))
    return Prepared(
        fresh,
        chunks,
        tuple(c.text[c.owned - c.start :] for c in chunks),
        tuple(tuple(_passage_texts(document, c)) for c in chunks),
        nodes,
        tuple(embedded_text(document.title, "", n.text) for n in nodes),
    )


def _passage_texts(document: ParsedDocument, c: Chunk) -> Iterator[str]:
    heading = c.heading.rpartition(" > ")[2]
    for p in c.passages:
        yield embedded_text(document.title, heading, c.text[p.start - c.start : p.end - c.start])


Item = Prepared | ReadFailure | Skipped | MovedRecord | FinishedSource
"""What becomes of one thing that the scan found."""


def texts_of(batch: Sequence[Item]) -> tuple[list[str], list[str]]:
    """The texts to extract from, and those to embed, of the documents of a batch."""
    documents = [item for item in batch if isinstance(item, Prepared)]
    units = [unit for d in documents for unit in d.units]
    embedded = [text for d in documents for passages in d.passages for text in passages]
    embedded += [text for d in documents for text in d.node_texts]
    return units, embedded


def batches(items: Iterable[Item], passages: int) -> Iterator[list[Item]]:
    """Cut a stream into batches of about ``passages`` passages."""
    batch: list[Item] = []
    count = 0
    for item in items:
        batch.append(item)
        if isinstance(item, Prepared):
            count += sum(len(p) for p in item.passages)
        if count >= passages:
            yield batch
            batch, count = [], 0
    if batch:
        yield batch
