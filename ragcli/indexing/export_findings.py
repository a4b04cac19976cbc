"""extract: writes a store's findings as lines that another store can read (docs/extractions.md)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ragcli.config import Settings
from ragcli.errors import ModelError
from ragcli.extract.codec import unpack_findings
from ragcli.extract.recorded import write
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.models.locate import llm_file
from ragcli.store.snapshot import open_snapshot
from ragcli.types import IndexResult, Report, silent

Lines = Iterator[dict[str, Any]]


def lines(store: Path) -> Lines:
    """One record for each chunk that has findings, by document and place."""
    with open_snapshot(store) as snapshot:
        for found in snapshot.chunks.with_findings():
            chunk = found.chunk
            text = chunk.text[chunk.owned - chunk.start :]
            yield write(text, chunk.doc, chunk.owned, chunk.end, unpack_findings(found.findings))


@contextmanager
def extracted(
    request: IndexRequest, given: Path | None, settings: Settings, report: Report = silent
) -> Iterator[tuple[IndexResult, Lines]]:
    """Index with a language model; the result, and the lines of all that was found.

    Without a ``given`` store a temporary one is used. A given one stays, so that a long run can be
    stopped and continued. Raises ModelError when there is no language model, unless the setting is
    "none": then the findings of the given store are written.
    """
    if settings.llm != "none" and llm_file(settings.llm) is None:
        raise ModelError(
            "no language model to extract with",
            'name a GGUF file with --llm, or run: pip install "ragcli[smollm2]"',
        )
    with _store(given) as store:
        result = index(replace(request, store=store), settings, report)
        yield result, lines(store)


@contextmanager
def _store(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with TemporaryDirectory(prefix="ragcli-") as folder:
        yield Path(folder) / "store"
