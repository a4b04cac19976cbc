"""The quotes of a map, numbered as they come."""

from __future__ import annotations

from ragcli.retrieve.context import line_at, page_at
from ragcli.search.search_index import SearchIndex
from ragcli.types import Citation


class Quotes:
    """Citations from the documents of one index; the first gets the number after ``before``."""

    def __init__(self, index: SearchIndex, store: str = "", before: int = 0) -> None:
        self.found: list[Citation] = []
        self._index = index
        self._store = store
        self._before = before

    def add(self, doc: str, start: int, end: int) -> int:
        """Cite ``[start:end]`` of a document; its number."""
        number = self._before + len(self.found) + 1
        self.found.append(self.cite(doc, start, end, number))
        return number

    def cite(self, doc: str, start: int, end: int, number: int = 0) -> Citation:
        """The citation of ``[start:end]`` of a document."""
        part = self._index.part_around(doc, start, end)
        return Citation(
            number,
            doc,
            self._index.snapshot.facts.path_here(doc),
            start,
            end,
            line_at(part, start),
            line_at(part, max(end - 1, start)),
            part.text[start - part.start : end - part.start],
            page_at(part, start),
            part.heading_at(start),
            self._store,
        )
