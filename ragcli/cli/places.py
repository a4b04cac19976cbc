"""Places in documents: how they are written, and links that terminals and editors open."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ragcli.types import Located
from ragcli.types.document_ids import path_of
from ragcli.types.places import place_of

# What is shown -> the file of its document on this machine, None if it is not there.
FileOf = Callable[[Located], Path | None]

_BRACKET = re.compile(r"(?<!\\)(\\*+)([\[\]])")
_ROUND = str.maketrans("[]", "()")


@dataclass(frozen=True, slots=True)
class Place:
    """Lines, or a page, of a document's file; ``path`` opens it (see ``Citation``)."""

    doc: str
    path: str
    line_start: int
    line_end: int
    page: int | None

    @classmethod
    def of(cls, found: Located) -> Place:
        """The place of a citation, a hit or a passage."""
        lines = found.line_start, found.line_end
        return cls(found.doc, found.path or path_of(found.doc), *lines, found.page)

    def __str__(self) -> str:
        """As editors and viewers read it: ``a.md:3``, ``a.md:3-5``, ``a.pdf#page=3``; otherwise as
        people name it: ``a.pptx, slide 3``."""
        if self.is_page:
            return f"{self.path}{self._fragment('')}"
        if self.named:
            return f"{self.path}, {self.named}"
        if self.line_start == self.line_end:
            return f"{self.path}:{self.line_start}"
        return f"{self.path}:{self.line_start}-{self.line_end}"

    @property
    def is_page(self) -> bool:
        """Whether it is a page that viewers of PDF files open."""
        return self.doc == path_of(self.doc) and _is_pdf(self.path)

    @property
    def named(self) -> str:
        """A slide, a sheet and its rows, or the like; "" for lines of the file."""
        return place_of(self.doc, self.page, self.line_start, self.line_end)

    @property
    def first(self) -> str:
        """The place with its first line only, as grep writes it."""
        return str(self) if self.named else f"{self.path}:{self.line_start}"

    def link(self, file: Path | None) -> str:
        """The address of the place, "" if the file is not on this machine."""
        if file is None:
            return ""
        return file.absolute().as_uri() + self._fragment("")

    def org_link(self, file: Path | None) -> str:
        """The place as a link of Org mode, which opens at the line or the page.

        Brackets are escaped in the address, and round in what is shown: they would end the link.
        """
        path = str(file.absolute()) if file is not None else self.path
        target, shown = _BRACKET.sub(r"\1\1\\\2", path), str(self).translate(_ROUND)
        if self.named and not self.is_page:
            return f"[[file:{target}][{shown}]]"
        kind, at = ("docview", self.page or 1) if self.is_page else ("file", self.line_start)
        return f"[[{kind}:{target}::{at}][{shown}]]"

    def markdown_link(self, file: Path | None) -> str:
        """The place as a link of Markdown, relative if the file is not on this machine."""
        target = self.link(file) if file is not None else quote(self.path) + self._fragment("L")
        label = str(self).replace("[", "\\[").replace("]", "\\]")
        return f"[{label}]({target})"

    def _fragment(self, line: str) -> str:
        """The page or, after the text ``line``, the line; "" in other files than texts and PDF."""
        if self.is_page:
            return f"#page={self.page or 1}"
        return "" if self.named else f"#{line}{self.line_start}"


def _is_pdf(path: str) -> bool:
    return path.casefold().endswith(".pdf")
