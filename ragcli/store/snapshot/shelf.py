"""What a map of the documents is made from: their names, headings and the entities in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from ragcli.store.queries import Queries
from ragcli.text.words import fold


class ShelvedDocument(NamedTuple):
    """A document's row, its id and its title."""

    row: int
    doc: str
    title: str


class PlacedHeading(NamedTuple):
    """A heading: its document's id, its offset there, and its path."""

    doc: str
    start: int
    path: str


class NamedThing(NamedTuple):
    """An entity in some documents: mentions and documents there, documents of the store.

    ``noun``: it is one, or some text spells it without a capital.
    """

    name: str
    label: str
    noun: bool
    mentions: int
    documents: int
    everywhere: int


class Shelf(Queries):
    """Queries about many documents at once."""

    def documents(self) -> list[ShelvedDocument]:
        """Every document, by id."""
        return self._records(
            ShelvedDocument, "SELECT id, doc, title FROM live_documents ORDER BY doc"
        )

    def headings(self, doc: str) -> list[PlacedHeading]:
        """The headings of a document in order."""
        return self._records(
            PlacedHeading,
            "SELECT d.doc, h.start, h.path FROM live_documents d JOIN live_headings h"
            " ON h.doc = d.id WHERE d.doc = ? ORDER BY h.start",
            (doc,),
        )

    def repeated_headings(self, documents: Sequence[int]) -> set[str]:
        """The last headings of paths, folded, that several of some documents (by row) have: they
        name parts of a form."""
        rows = self._db.execute(
            "SELECT DISTINCT h.doc, h.path FROM json_each(?) r JOIN live_headings h"
            " ON h.doc = r.value",
            (orjson.dumps(documents).decode(),),
        )
        found = Counter(
            last for _, last in {(doc, fold(path.split(" > ")[-1])) for doc, path in rows}
        )
        return {heading for heading, count in found.items() if count > 1}

    def headings_with(self, text: str, limit: int) -> list[PlacedHeading]:
        """The first headings whose path has a text, in any case."""
        return self._records(
            PlacedHeading,
            "SELECT d.doc, h.start, h.path FROM live_headings h JOIN live_documents d"
            " ON d.id = h.doc WHERE instr(lower(h.path), lower(?)) ORDER BY d.doc, h.start LIMIT ?",
            (text, limit),
        )

    def named_in(self, documents: Sequence[int]) -> list[NamedThing]:
        """The entities in some documents, given by their rows; most mentions first."""
        return self._records(
            NamedThing,
            "SELECT e.name, e.label, e.kind = 'noun' OR EXISTS (SELECT 1 FROM surfaces s"
            " WHERE s.entity = e.id AND s.text = lower(s.text)), f.n, f.docs, e.documents FROM"
            " (SELECT x.entity, sum(x.count) AS n, count(DISTINCT c.doc) AS docs"
            " FROM json_each(?) r JOIN live_chunks c ON c.doc = r.value"
            " JOIN chunk_entities x ON x.chunk = c.id GROUP BY x.entity) f"
            " JOIN entities e ON e.id = f.entity ORDER BY f.n DESC, e.key",
            (orjson.dumps(documents).decode(),),
        )

    def summarised(self, documents: Sequence[int]) -> list[tuple[int, int]]:
        """(document row, row of the node that summarises it) of some documents."""
        return self._all(
            "SELECT d.value, (SELECT n.rowid FROM live_nodes n WHERE n.docrow = d.value"
            " ORDER BY n.level DESC LIMIT 1) AS node FROM json_each(?) d WHERE node IS NOT NULL",
            (orjson.dumps(documents).decode(),),
        )
