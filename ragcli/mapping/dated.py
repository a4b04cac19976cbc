"""From when to when documents are."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import replace

from ragcli.search.search_index import SearchIndex
from ragcli.store.snapshot.shelf import ShelvedDocument
from ragcli.types import WholeMap

_DATED = 0.2
"""The share of the documents whose fields, ids or titles must have a date."""

_DATE = re.compile(
    r"(?<!\d)((?:1[5-9]|20)\d\d)(?:[-_.]?(0[1-9]|1[0-2])(?:[-_.]?([0-3]\d))?)?(?!\d)"
)


def with_dates(
    index: SearchIndex, made: WholeMap, documents: Sequence[ShelvedDocument]
) -> WholeMap:
    """The map with the first and the last date: of fields and names, if enough documents have one,
    else of files."""
    found = {one.row: one for one in index.snapshot.facts.dates()}
    days = sorted(filter(None, (found[one.row].date[:10] or date_in(one) for one in documents)))
    if days and len(days) >= _DATED * len(documents):
        first = days[-1] if days[-1].startswith(days[0]) else days[0]
        return replace(made, since=first, until=days[-1], dated=True)
    files = sorted(filter(None, (found[one.row].modified_ns for one in documents)))
    if not files:
        return made
    return replace(made, since=_day(files[0]), until=_day(files[-1]))


def date_in(found: ShelvedDocument) -> str:
    """The date or the year in the id or the title of a document; "" for none.

    >>> date_in(ShelvedDocument(1, "a/minutes-2019-06-18.md", "")), date_in(
    ...     ShelvedDocument(1, "a/1984.txt", "Report 2022-23"))
    ('2019-06-18', '1984')
    """
    date = _DATE.search(f"{found.doc}\n{found.title}")
    return "-".join(filter(None, date.groups())) if date else ""


def _day(nanoseconds: int) -> str:
    return datetime.datetime.fromtimestamp(nanoseconds / 1e9, datetime.UTC).date().isoformat()
