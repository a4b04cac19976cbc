"""The sections of a document."""

from __future__ import annotations

from dataclasses import dataclass

from ragcli.search.search_index import SearchIndex
from ragcli.text.spans import Span


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text below it: ``[start:end]`` of the document."""

    name: str
    start: int
    end: int


def sections_of(index: SearchIndex, doc: str, within: Span) -> list[Section]:
    """The sections of the highest level that has several, in ``[start:end]`` of a document."""
    inside = [
        one
        for one in index.snapshot.shelf.headings(doc)
        if within[0] <= one.start < within[1] and one.path
    ]
    depths = [one.path.count(" > ") for one in inside]
    level = next((depth for depth in sorted(set(depths)) if depths.count(depth) > 1), None)
    if level is None:
        return []
    heads = [(one.start, one.path) for one in inside if one.path.count(" > ") == level]
    ends = [start for start, _ in heads[1:]] + [within[1]]
    return [
        Section(path.rpartition(" > ")[2], start, end)
        for (start, path), end in zip(heads, ends, strict=True)
    ]
