"""Documents of a snapshot, and their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ragcli.store.queries import Queries
from ragcli.text.identifiers import holds
from ragcli.types import ScanPlace


class DocumentIdentity(NamedTuple):
    """A document's id, its title, and the hash of its content."""

    doc: str
    title: str
    sha256: str


class DocumentExtent(NamedTuple):
    """A document's title, and the length of its text in characters."""

    title: str
    length: int


class Documents(Queries):
    """Queries about documents."""

    def identities(self) -> list[DocumentIdentity]:
        """Every document, by id."""
        return self._records(
            DocumentIdentity, "SELECT doc, title, sha256 FROM live_documents ORDER BY doc"
        )

    def beginning_with(self, text: str, limit: int) -> list[str]:
        """The first ids that begin with a text."""
        return self._column(
            "SELECT DISTINCT doc FROM live_documents WHERE doc >= :t AND substr(doc, 1, :n) = :t"
            " ORDER BY doc LIMIT :k",
            {"t": text, "n": len(text), "k": limit},
        )

    def unread(self) -> list[tuple[str, str]]:
        """(file, reason) of the files that are not in the store, by id: skipped and failed ones."""
        return self._all(
            "SELECT source, reason FROM unread_files UNION"
            " SELECT doc, error FROM failures WHERE doc NOT IN (SELECT doc FROM live_documents)"
            " ORDER BY 1"
        )

    def extent(self, doc: str) -> DocumentExtent | None:
        """Title and length of a document; None if there is none with that id."""
        row = self._first(
            'SELECT d.title, max(c."end") FROM live_documents d'
            " LEFT JOIN live_chunks c ON c.doc = d.id WHERE d.doc = ? GROUP BY d.id",
            (doc,),
        )
        return None if row is None else DocumentExtent(row[0], row[1] or 0)

    def called(self, identifiers: Sequence[str], most: int) -> list[str]:
        """Return the ids of at most ``most`` documents with an identifier in their id or title."""
        found: dict[str, None] = {}
        for identifier in identifiers:
            signs = (c if c.isalnum() else "_" for c in identifier.strip("-()/"))
            like = f"%{''.join(signs)}%"
            rows = self._db.execute(
                "SELECT doc, title FROM live_documents WHERE doc LIKE :like OR title LIKE :like"
                " ORDER BY doc LIMIT :most",
                {"like": like, "most": most},
            )
            found.update((doc, None) for doc, title in rows if holds(f"{doc}\n{title}", identifier))
        return list(found)[:most]

    def scan(self, doc: str, start: int, end: int) -> ScanPlace | None:
        """Where ``[start:end]`` of a document is in a picture; None if it was not read from one."""
        confidence, *box = self._first(
            "SELECT min(s.confidence), min(s.left), min(s.top), max(s.right), max(s.bottom)"
            " FROM live_documents d JOIN live_scanned_lines s ON s.doc = d.id"
            ' WHERE d.doc = ? AND s.start < ? AND s."end" > ?',
            (doc, end, start),
        )
        if confidence is None:
            return None
        left, top, right, bottom = box
        return ScanPlace((left, top, right, bottom), confidence / 1000)

    def text(self, doc: str, start: int, end: int) -> str:
        """``text[start:end]`` of a document, assembled from its chunks."""
        rows = self._all(
            "SELECT c.start, c.owned, c.text FROM live_documents d"
            " JOIN live_chunks c ON c.doc = d.id"
            ' WHERE d.doc = ? AND c.owned < ? AND c."end" > ? ORDER BY c.ordinal',
            (doc, end, start),
        )
        if not rows:
            return ""
        joined = "".join(text[owned - base :] for base, owned, text in rows)
        first = rows[0][1]
        return joined[max(start - first, 0) : end - first]
