"""Tells of each quote whether it was read from a picture, where it is there, and how surely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragcli.corpus.normalised_text import PAGE
from ragcli.store.snapshot import Snapshot
from ragcli.types import Citation, Reply


def with_scans(reply: Reply, snapshots: Mapping[str, Snapshot]) -> Reply:
    """The reply whose citations know their pictures; ``snapshots`` by the name of their store."""

    def seen(cited: Citation) -> Citation:
        first_page = cited.quote.partition(PAGE)[0]
        end = cited.start + len(first_page)
        documents = snapshots[cited.store].documents
        return replace(cited, scan=documents.scan(cited.doc, cited.start, end))

    citations, also = (tuple(map(seen, cited)) for cited in (reply.citations, reply.also))
    return replace(reply, citations=citations, also=also)
