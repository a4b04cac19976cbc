"""Sums over documents: entities, their spellings, aliases and relations.

A contribution is added with its document and subtracted when the document is removed. Only the rows
of these entities change. Everything happens inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter

import numpy as np
import orjson

from ragcli.store import relations, scratch
from ragcli.store.documents import StoredDocument
from ragcli.store.history import note_names
from ragcli.types import Contribution, EntityDescription, Relation

# Counts are gathered in memory and written when this many edges wait, of 32 bytes each.
_FLUSH_EDGES = 2_000_000

_RECOUNT = """
UPDATE entities SET
    mentions = s.mentions, label = s.label, name = s.name,
    kind = CASE WHEN s.label = '' THEN 'noun' ELSE 'name' END,
    vector = CASE WHEN entities.name = s.name AND s.label <> '' THEN entities.vector END
FROM (
    SELECT t.id AS id,
        (SELECT coalesce(sum(count), 0) FROM surfaces WHERE entity = t.id) AS mentions,
        coalesce((SELECT label FROM surfaces WHERE entity = t.id AND label <> ''
                  GROUP BY label ORDER BY sum(count) DESC, label LIMIT 1), '') AS label,
        coalesce((SELECT text FROM surfaces WHERE entity = t.id
                  GROUP BY own, text, label <> ''
                  ORDER BY own DESC, label <> '' DESC, sum(count) DESC, text LIMIT 1), '') AS name
    FROM touched t
) AS s WHERE entities.id = s.id
"""


class EntitySums:
    """Collects contributions and writes their sums. Call ``flush`` at the end."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._clear()

    def _clear(self) -> None:
        self._names: Counter[tuple[str, str, str, bool]] = Counter()
        self._aliases: Counter[tuple[str, str]] = Counter()
        self._documents: Counter[str] = Counter()
        # Edges, a number for each end and each value: (a, b, weight, count), again and again.
        self._edges = array("q")
        self._numbers: dict[str, int] = {}
        self._chunks: list[tuple[int, str, int]] = []
        self._passages: list[tuple[int, str, int, bool]] = []
        self._descriptions: list[tuple[int, EntityDescription]] = []
        self._statements: list[tuple[int, Relation]] = []

    def add(self, contribution: Contribution, document: StoredDocument) -> None:
        """Add what a document contributes."""
        chunk_rows = [chunk.row for chunk in document.chunks]
        passage_rows = [row for chunk in document.chunks for row in chunk.passage_rows]
        self._apply(contribution, 1)
        for row, entities in zip(chunk_rows, contribution.chunks, strict=True):
            self._chunks += [(row, key, count) for key, count in entities.items()]
        for row, said in zip(passage_rows, contribution.passages, strict=True):
            for key in dict.fromkeys((*said, *contribution.titles)):
                self._passages.append((row, key, said.get(key, 0), key in contribution.titles))
        self._descriptions += [(chunk_rows[at], said) for at, said in contribution.descriptions]
        self._statements += [(chunk_rows[at], said) for at, said in contribution.statements]
        self._flush_if_full()

    def subtract(self, contribution: Contribution) -> None:
        """Subtract what a document contributed; rows of its chunks and passages cascade."""
        self._apply(contribution, -1)
        self._flush_if_full()

    def clear(self, docrow: int) -> None:
        """Delete the rows of the chunks and passages of a document that is added again."""
        for table in ("chunk_entities", "descriptions", "statements"):
            self._db.execute(
                f"DELETE FROM {table} WHERE chunk IN (SELECT id FROM chunks WHERE doc = ?)",
                (docrow,),
            )
        self._db.execute(
            "DELETE FROM passage_entities WHERE passage IN (SELECT id FROM passages WHERE doc = ?)",
            (docrow,),
        )

    def _apply(self, c: Contribution, sign: int) -> None:
        for name, count in c.names.items():
            self._names[name] += sign * count
        for alias in c.aliases:
            self._aliases[alias] += sign
        for key in {name[0] for name in c.names}:
            self._documents[key] += sign
        numbers = self._numbers
        for (a, b), (weight, count) in c.edges.items():
            ends = numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers))
            self._edges.extend((*ends, sign * weight, sign * count))

    def _flush_if_full(self) -> None:
        if len(self._edges) > 4 * _FLUSH_EDGES:
            self._write()

    def flush(self) -> None:
        """Write what was gathered, and only then drop entities without mentions.

        An entity that moves from one document to another thus keeps its row. SQLite would also give
        the id of a deleted row to a new one, and the hierarchy refers to its members by id.
        """
        self._write()
        self._db.execute("DELETE FROM entities WHERE mentions = 0 AND id IN (SELECT id FROM bare)")
        scratch.drop(self._db, "bare")

    def _write(self) -> None:
        """Write what was gathered; note entities without mentions in ``bare``."""
        ids = self._ids()
        note_names(self._db)
        self._write_names(ids)
        self._write_relations(ids)
        self._db.executemany(
            "INSERT INTO chunk_entities VALUES (?, ?, ?)",
            ((row, ids[key], count) for row, key, count in self._chunks),
        )
        self._db.executemany(
            "INSERT INTO passage_entities VALUES (?, ?, ?, ?)",
            ((row, ids[key], count, title) for row, key, count, title in self._passages),
        )
        self._write_said(ids)
        self._db.execute(_RECOUNT)
        scratch.ensure(self._db, "bare")
        self._db.execute(
            "INSERT OR IGNORE INTO bare SELECT e.id FROM entities e JOIN touched t ON t.id = e.id"
            " WHERE e.mentions = 0"
        )
        scratch.drop(self._db, "touched")
        self._clear()

    def _ids(self) -> dict[str, int]:
        """Row ids of all touched entities, creating new ones; fills the table ``touched``."""
        db = self._db
        scratch.make(db, "touched")
        keys = sorted(self._documents.keys() | {key for _, key in self._aliases})
        db.executemany("INSERT INTO touched (key) VALUES (?)", ((k,) for k in keys))
        db.execute(
            "INSERT OR IGNORE INTO entities (key, name, label, kind, mentions, documents)"
            " SELECT key, '', '', 'noun', 0, 0 FROM touched"
        )
        db.execute(
            "UPDATE touched SET id = (SELECT e.id FROM entities e WHERE e.key = touched.key)"
        )
        return dict(db.execute("SELECT key, id FROM touched"))

    def _write_names(self, ids: dict[str, int]) -> None:
        db = self._db
        db.executemany(
            "INSERT INTO surfaces VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET count = count + excluded.count",
            (
                (ids[key], text, label, own, n)
                for (key, text, label, own), n in self._names.items()
                if n
            ),
        )
        db.executemany(
            "INSERT INTO aliases VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET count = count + excluded.count",
            ((alias, ids[key], n) for (alias, key), n in self._aliases.items() if n),
        )
        db.executemany(
            "UPDATE entities SET documents = documents + ? WHERE id = ?",
            ((n, ids[key]) for key, n in self._documents.items() if n),
        )
        for table in ("surfaces", "aliases"):
            db.execute(
                f"DELETE FROM {table} WHERE count = 0 AND entity IN (SELECT id FROM touched)"
            )

    def _write_said(self, ids: dict[str, int]) -> None:
        self._db.executemany(
            "INSERT INTO descriptions VALUES (?, ?, ?, ?)",
            ((row, ids[d.name], d.type, d.description) for row, d in self._descriptions),
        )
        self._db.executemany(
            "INSERT INTO statements VALUES (?, ?, ?, ?, ?, ?)",
            (
                (
                    row,
                    ids[s.source],
                    ids[s.target],
                    orjson.dumps(s.keywords).decode(),
                    s.weight,
                    s.description,
                )
                for row, s in self._statements
            ),
        )

    def _write_relations(self, ids: dict[str, int]) -> None:
        if not self._edges:
            return
        rows = np.array([ids[key] for key in self._numbers], dtype=np.int64)
        a, b, weights, counts = np.frombuffer(self._edges, np.int64).reshape(-1, 4).T
        ends = rows[a], rows[b]
        keys = np.minimum(*ends) << 32 | np.maximum(*ends)
        change = relations.summed(keys, weights, counts)
        relations.add(self._db, change.only((change.weights != 0) | (change.counts != 0)))
