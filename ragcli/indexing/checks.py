"""What can be wrong with a request, found before anything is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ragcli.corpus.ignore import patterns
from ragcli.corpus.shard import Shard
from ragcli.enriching.chunk_reading import choose_model
from ragcli.enriching.cluster_naming import check_writer
from ragcli.enriching.recorded_extractions import check_file
from ragcli.errors import InputError
from ragcli.indexing.prepare import chunk_settings
from ragcli.indexing.request import ENGINES, IndexRequest
from ragcli.indexing.scan_plan import check_confirmed
from ragcli.models.model_set import ModelSet
from ragcli.store.rebuild import FormerStore


def taking_over(request: IndexRequest, former: FormerStore) -> IndexRequest:
    """A rebuild's request, completed by what the store was made from and how.

    Folders and patterns that are given take the place of the store's own.
    """
    if not request.rebuild:
        return request
    if not request.paths:
        if not former.roots:
            raise InputError(
                "the store does not record the folders that it was built from",
                "name them: ragcli index --rebuild FOLDER",
            )
        check_confirmed(former.unconfirmed, former.patterns)
        request = replace(
            request,
            paths=tuple(Path(root) for root in former.roots),
            include=request.include or former.patterns.include,
            exclude=request.exclude or former.patterns.exclude,
        )
    kept = former.hierarchy_by if request.hierarchy is not False else ""
    return replace(
        request,
        mode=request.mode or former.mode,
        hierarchy=request.hierarchy if request.hierarchy is not None else bool(kept) or None,
        hierarchy_by=request.hierarchy_by or kept,
        shard=request.shard or former.shard,
    )


def check_request(request: IndexRequest, models: ModelSet, stored_mode: str) -> None:
    """Raise InputError, ConfigError or ModelError for whatever would end the run later.

    ``stored_mode``: how the store's chunks are read, "" when there is no store yet.
    """
    for path in request.paths:
        if not path.exists():
            raise InputError(
                f"cannot open {path}: no such file or folder",
                "check the spelling; relative paths start at the current folder",
            )
    for globs in (request.include, request.exclude):
        patterns(globs)
    if request.engine not in ENGINES:
        raise InputError(
            f"--engine cannot be {request.engine!r}", f"it must be one of: {', '.join(ENGINES)}"
        )
    if request.address and request.engine == "local":
        raise InputError("--address needs a cluster", "add: --engine ray")
    if request.shard:
        Shard.parse(request.shard)
    chunk_settings(models.settings)
    models.prints()
    _ = models.offsets
    check_writer(request.hierarchy_by, models.settings)
    choose_model(request.mode or stored_mode, models)
    if request.extractions is not None:
        check_file(request.extractions)
