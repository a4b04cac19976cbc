"""index --dry-run: what a run would do and how long it would take."""

from __future__ import annotations

from dataclasses import dataclass

from ragcli.config import Settings
from ragcli.corpus.scan import scan
from ragcli.pipeline.changes import Fresh, Plan, plan, stream
from ragcli.pipeline.index import Request
from ragcli.pipeline.opening import reading
from ragcli.pipeline.prepare import prepare
from ragcli.pipeline.tools import Tools
from ragcli.store.connection import FILE, get_meta
from ragcli.store.write import Version, Writer
from ragcli.types import Event, Report, Skipped

# Seconds for a word on two cores of a 2023 server, and for loading the models.
_DEFAULT_RATE = 0.00016
_LOADING = 8.0
_DEFAULT = "default rate"


@dataclass(frozen=True, slots=True)
class Estimate:
    """``seconds`` by the rate that ``calibration`` names."""

    files: int
    documents: int
    chunks: int
    tokens: int
    llm_calls: int
    seconds: float
    calibration: str
    skipped: tuple[Skipped, ...]


def estimate(request: Request, settings: Settings, report: Report) -> Estimate:
    """Read and chunk all that a run would, without models and without writing."""
    tools = Tools(settings)
    todo, versions, found_skipped, rate, calibration = _look(request)
    skipped = list(found_skipped)
    documents = chunks = tokens = words = 0
    for item in stream(todo.read, versions):
        if isinstance(item, Skipped):
            skipped.append(item)
        elif isinstance(item, Fresh):
            ready = prepare(item, tools.offsets, tools.chunking)
            documents += 1
            chunks += len(ready.chunks)
            tokens += sum(c.tokens for c in ready.chunks)
            words += len(item.document.text.split())
            report(Event("read", documents, 0))
    seconds = words * rate + (_LOADING if words and calibration == _DEFAULT else 0.0)
    return Estimate(
        len(todo.read), documents, chunks, tokens, 0, seconds, calibration, tuple(skipped)
    )


def _look(
    request: Request,
) -> tuple[Plan, dict[str, Version], tuple[Skipped, ...], float, str]:
    """The work, and the rate: that of the store's last run, or the default."""
    given = [str(path.absolute()) for path in request.paths]
    if not (request.store / FILE).is_file():
        found = scan(given, request.include, request.exclude)
        return plan(found, {}, {}), {}, found.skipped, _DEFAULT_RATE, _DEFAULT
    with reading(request.store) as db:
        writer = Writer(db)
        roots = writer.roots()
        found = scan(
            dict.fromkeys((*roots, *given)),
            request.include or get_meta(db, "include").splitlines(),
            request.exclude or get_meta(db, "exclude").splitlines(),
        )
        versions = writer.versions()
        rate = float(get_meta(db, "seconds_per_word", "0"))
        todo = plan(found, writer.files(), versions)
    if rate:
        return todo, versions, found.skipped, rate, "rate of the last run"
    return todo, versions, found.skipped, _DEFAULT_RATE, _DEFAULT
