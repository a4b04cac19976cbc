"""The stages of single documents, for a process that has no store: read, chunk, extract, embed.

An engine gives tasks to such workers, perhaps on other machines, and the only writer writes what
they return. The stages are those of ``index``, so the store has the same content.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ragcli.config import Settings
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.shard import Shard
from ragcli.errors import StoreVersion
from ragcli.extract.pool import make_extractor
from ragcli.indexing.changes import FreshDocument, ReadPlan, stream
from ragcli.indexing.prepare import Item, batches, chunk_settings, prepare, texts_of
from ragcli.models.model_set import ModelSet
from ragcli.store.content_keys import text_hash, unknown
from ragcli.store.documents import DocumentVersion
from ragcli.types import Source

# Passages in one result; a large file gives several.
PER_RESULT = 256
# A task ends after so many files or bytes: it is what a lost worker loses.
_FILES, _BYTES = 64, 1 << 20


@dataclass(frozen=True, slots=True)
class DocumentTask:
    """Files to read, and the known versions of their documents by id."""

    sources: tuple[Source, ...]
    versions: dict[str, DocumentVersion]
    limits: ReadLimits
    shard: Shard


@dataclass(frozen=True, slots=True)
class WorkedBatch:
    """Results to write in order, with the content that they refer to, by hash."""

    items: list[Item]
    extractions: dict[bytes, bytes]
    vectors: dict[bytes, bytes]


def tasks_of(
    plan: ReadPlan, versions: Mapping[str, DocumentVersion], limits: ReadLimits
) -> Iterator[DocumentTask]:
    """Divide the files to read, in their order."""
    known: dict[str, dict[str, DocumentVersion]] = {}
    for version in versions.values():
        known.setdefault(version.source, {})[version.doc] = version
    for sources in _groups(plan.read):
        mine = {doc: v for s in sources for doc, v in known.get(s.id, {}).items()}
        yield DocumentTask(tuple(sources), mine, limits, plan.shard)


def _groups(sources: Iterable[Source]) -> Iterator[list[Source]]:
    group: list[Source] = []
    size = 0
    for source in sources:
        group.append(source)
        size += source.size
        if len(group) == _FILES or size >= _BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


class DocumentWorker:
    """Works on tasks with models of its own, in one thread."""

    def __init__(self, settings: Settings, prints: Mapping[str, str]) -> None:
        """``prints``: the models and rules of the store. Raises StoreVersion for others."""
        self._models = models = ModelSet(replace(settings, workers=1))
        if (found := models.prints()) != prints:
            raise StoreVersion(
                f"the worker on {platform.node()} has {found}, the store {dict(prints)}",
                "install the same version and models on all machines",
            )
        self._extract = make_extractor(str(models.spacy_path), models.pipelines)

    def work(self, task: DocumentTask) -> Iterator[WorkedBatch]:
        """The results of a task, in the order of its files."""
        items = stream(task.sources, task.versions, task.limits, task.shard, readers=1)
        settings = chunk_settings(self._models.settings)
        ready = (
            prepare(item, self._models.offsets, settings)
            if isinstance(item, FreshDocument)
            else item
            for item in items
        )
        for batch in batches(ready, PER_RESULT):
            yield self._worked(batch)

    def _worked(self, batch: list[Item]) -> WorkedBatch:
        units, texts = texts_of(batch)
        keys, todo = _once(self._models.extractor_print, units)
        packed = self._extract([units[i] for i in todo])
        extractions = dict(zip((keys[i] for i in todo), packed, strict=True))
        keys, todo = _once(self._models.embedder_print, texts)
        rows = self._models.embed([texts[i] for i in todo]) if todo else ()
        vectors = {keys[i]: row.tobytes() for i, row in zip(todo, rows, strict=True)}
        return WorkedBatch(batch, extractions, vectors)


def _once(model: str, texts: Sequence[str]) -> tuple[list[bytes], list[int]]:
    """The hash of each text, and the positions of those that occur for the first time."""
    keys = [text_hash(model, text) for text in texts]
    return keys, unknown(keys, set())
