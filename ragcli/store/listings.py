"""Listings of a snapshot for ``inspect`` and the server: counts, documents, chunks, entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import orjson

from ragcli.errors import InputError
from ragcli.store import relations as relation_blocks
from ragcli.store.hierarchy import is_built
from ragcli.store.meta import get_meta
from ragcli.store.relation_listing import PAIRS, keys, of_names, strongest
from ragcli.store.roots import roots
from ragcli.store.snapshot import Snapshot
from ragcli.store.snapshot.entities import SHOWN_LABEL
from ragcli.text.scripts import NAMES, language_of
from ragcli.types import Document

# Weights of relations are stored in units of 1 / this number (graph.cooccurrence.SCALE).
WEIGHT_UNIT = 1 << 20

LANGUAGES_LOOKED_AT = 1000
"""Documents whose language is looked at, about 0.2 ms each."""
_BEGINNING = 4000


@dataclass(frozen=True, slots=True)
class ListedChunk:
    """A chunk with its place; see ``types.Chunk``."""

    chunk: str
    doc: str
    ordinal: int
    start: int
    end: int
    line_start: int
    line_end: int
    heading: str
    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class ListedEntity:
    """An entity with its counts."""

    name: str
    label: str
    kind: str
    mentions: int
    documents: int
    relations: int


@dataclass(frozen=True, slots=True)
class Spelling:
    """A spelling of an entity, and its count."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A related entity, and the number of shared sentences."""

    name: str
    sentences: int


@dataclass(frozen=True, slots=True)
class MentioningChunk:
    """A chunk that mentions an entity, and the number of mentions."""

    chunk: str
    mentions: int


@dataclass(frozen=True, slots=True)
class ListedStatement:
    """A model's statement about two entities in a chunk."""

    source: str
    target: str
    keywords: tuple[str, ...]
    strength: int
    text: str
    chunk: str


@dataclass(frozen=True, slots=True)
class EntityDetails:
    """One entity with its spellings, relations, chunks and statements, strongest first."""

    name: str
    label: str
    kind: str
    type: str
    profile: str
    profile_by: str
    mentions: int
    documents: int
    spellings: tuple[Spelling, ...]
    related: tuple[Neighbour, ...]
    chunks: tuple[MentioningChunk, ...]
    statements: tuple[ListedStatement, ...]


@dataclass(frozen=True, slots=True)
class ListedRelation:
    """Two entities that share sentences, and the description of their relation, if any."""

    a: str
    b: str
    sentences: int
    weight: float
    keywords: tuple[str, ...]
    strength: int
    text: str


def counts(snapshot: Snapshot) -> dict[str, Any]:
    """The object that ``inspect stats --json`` prints, without the findings of models."""
    db = snapshot.db

    def count(what: str) -> int:
        return int(db.execute(f"SELECT count(*) FROM {what}").fetchone()[0])

    files = [p for p in snapshot.store.rglob("*") if p.is_file()]
    documents = count("live_documents")
    return {
        "documents": documents,
        "failed_documents": count("failures"),
        "chunks": count("live_chunks"),
        "passages": count("live_passages"),
        "entities": count("entities"),
        "named_entities": snapshot.entities.name_count(),
        "described_entities": count("entity_profiles"),
        "relations": relation_blocks.count(db),
        "described_relations": count("relation_profiles"),
        "tree_nodes": count("live_nodes"),
        "hierarchy_levels": int(
            db.execute("SELECT count(DISTINCT level) FROM hierarchy_nodes").fetchone()[0]
        )
        if is_built(db)
        else 0,
        "bytes": sum(p.stat().st_size for p in files),
        "generation": snapshot.generation,
        "pending_documents": count("pending_documents"),
        "roots": roots(db, snapshot.store),
        "include": get_meta(db, "include").splitlines(),
        "exclude": get_meta(db, "exclude").splitlines(),
        "shard": get_meta(db, "shard"),
        "models": snapshot.models,
        "llm_calls": int(get_meta(db, "llm_calls", "0")),
        "llm_tokens": int(get_meta(db, "llm_tokens", "0")),
        "stages": orjson.loads(get_meta(db, "stages", "{}")),
    }


def languages(snapshot: Snapshot) -> dict[str, int]:
    """The number of documents in each language that is recognised, the most frequent first.

    The beginning of a document says its language. Of a large store every n-th document is looked
    at, and the numbers are estimates.
    """
    documents = int(snapshot.db.execute("SELECT count(*) FROM live_documents").fetchone()[0])
    step = max(1, documents // LANGUAGES_LOOKED_AT)
    rows = snapshot.db.execute(
        "SELECT substr(c.text, 1, ?) FROM (SELECT id, row_number() OVER (ORDER BY id) AS n"
        " FROM live_documents) d JOIN live_chunks c ON c.doc = d.id AND c.ordinal = 0"
        " WHERE d.n % ? = 0",
        (_BEGINNING, step),
    )
    found = Counter(NAMES[language_of(text)] for (text,) in rows)
    return {name: n * step for name, n in sorted(found.items(), key=lambda i: (-i[1], i[0]))}


def language(snapshot: Snapshot, doc: str) -> str:
    """The language of one document, as its beginning says it."""
    return NAMES[language_of(snapshot.documents.text(doc, 0, _BEGINNING))]


def document(snapshot: Snapshot, doc: str) -> Document:
    """One document. Raises InputError if there is none."""
    found = document_or_none(snapshot, doc)
    if found is None:
        raise InputError(f"no document '{doc}' in the store", _near(snapshot, doc))
    return found


def _near(snapshot: Snapshot, doc: str) -> str:
    """The hint for an unknown document: the id that is most similar, or that contains it."""
    # Imported here because only errors need it.
    from difflib import get_close_matches

    known = {found.doc.casefold(): found.doc for found in documents(snapshot)}
    near = get_close_matches(doc.casefold(), known, 1, 0.6)
    inside = [name for name in known.values() if doc and doc.casefold() in name.casefold()]
    likely = [known[near[0]]] if near else inside[:1]
    return f"did you mean '{likely[0]}'?" if likely else "list them: ragcli inspect docs"


def document_or_none(snapshot: Snapshot, doc: str) -> Document | None:
    """One document, or None."""
    return next(_documents(snapshot, "d.doc = :doc", {"doc": doc}), None)


def documents(
    snapshot: Snapshot, prefix: str = "", after: str = "", limit: int = -1, offset: int = 0
) -> Iterator[Document]:
    """Documents, read or failed, by id: those with a prefix, after an id, at most ``limit``."""
    where = "d.doc > :after AND substr(d.doc, 1, length(:prefix)) = :prefix"
    return _documents(snapshot, where, {"prefix": prefix, "after": after}, limit, offset)


def document_count(snapshot: Snapshot, prefix: str = "") -> int:
    """The number of documents, read or failed, with a prefix."""
    found = snapshot.db.execute(
        "SELECT count(*) FROM (SELECT doc FROM live_documents UNION SELECT doc FROM failures)"
        " WHERE substr(doc, 1, length(:prefix)) = :prefix",
        {"prefix": prefix},
    )
    return int(found.fetchone()[0])


def _documents(
    snapshot: Snapshot, where: str, values: dict[str, Any], limit: int = -1, offset: int = 0
) -> Iterator[Document]:
    """The documents ``d`` for which a condition holds, by id."""
    for doc, error, chunks_, sha256, size, created, updated, summary in snapshot.db.execute(
        # Failed documents without a last good state have no row of their own.
        "SELECT d.doc, f.error, (SELECT count(*) FROM live_chunks c WHERE c.doc = d.id),"
        " d.sha256, d.size, coalesce(d.created_at, f.at), coalesce(d.updated_at, f.at),"
        " coalesce((SELECT n.text FROM live_nodes n WHERE n.docrow = d.id"
        " ORDER BY n.level DESC LIMIT 1), '')"
        " FROM (SELECT doc, id, sha256, size, created_at, updated_at FROM live_documents"
        " UNION ALL SELECT doc, NULL, '', 0, NULL, NULL FROM failures"
        " WHERE doc NOT IN (SELECT doc FROM live_documents)) d"
        f" LEFT JOIN failures f ON f.doc = d.doc WHERE {where}"
        " ORDER BY d.doc LIMIT :limit OFFSET :offset",
        {**values, "limit": limit, "offset": offset},
    ):
        status: Literal["ok", "failed"] = "ok" if error is None else "failed"
        yield Document(doc, status, chunks_, sha256, size, created, updated, error or "", summary)


def chunks(snapshot: Snapshot, doc: str | None = None) -> Iterator[ListedChunk]:
    """The chunks of one document or of all."""
    for row in snapshot.db.execute(
        "SELECT d.doc || '@' || c.ordinal, d.doc, c.ordinal, c.start, c.\"end\", c.line_start,"
        " c.line_end, c.heading, c.tokens, c.text FROM live_documents d"
        " JOIN live_chunks c ON c.doc = d.id WHERE :doc IS NULL OR d.doc = :doc"
        " ORDER BY d.doc, c.ordinal",
        {"doc": doc},
    ):
        yield ListedChunk(*row)


def entities(snapshot: Snapshot, limit: int) -> Iterator[ListedEntity]:
    """The entities with most mentions."""
    rows = snapshot.db.execute(
        f"SELECT id, name, {SHOWN_LABEL}, kind, mentions, documents FROM entities e"
        " ORDER BY kind, mentions DESC, key LIMIT ?",
        (limit,),
    ).fetchall()
    degrees: Counter[int] = Counter()
    wanted = np.array([row[0] for row in rows], dtype=np.int64)
    for block in relation_blocks.listed(snapshot.db):
        for ends in block.ends:
            degrees.update(ends[np.isin(ends, wanted)].tolist())
    for row, name, label, kind, mentions, documents_ in rows:
        yield ListedEntity(name, label, kind, mentions, documents_, degrees[row])


def entity(snapshot: Snapshot, row: int, limit: int) -> EntityDetails:
    """One entity; of each list, ``limit`` rows at most."""
    db = snapshot.db
    name, label, kind, mentions, documents_ = db.execute(
        f"SELECT name, {SHOWN_LABEL}, kind, mentions, documents FROM entities e WHERE id = ?",
        (row,),
    ).fetchone()
    spellings = db.execute(
        "SELECT text, sum(count) AS n FROM surfaces WHERE entity = ? GROUP BY text"
        " ORDER BY n DESC, text",
        (row,),
    )
    related = db.execute(
        f"SELECT e.name, r.count FROM ({PAIRS}) r"
        " JOIN entities e ON e.id = r.a + r.b - :row ORDER BY r.weight DESC, e.key LIMIT :n",
        {
            "pairs": strongest(relation_blocks.of_entity(db, row), limit),
            "row": row,
            "n": limit,
        },
    )
    mentioning = db.execute(
        "SELECT d.doc || '@' || c.ordinal, x.count FROM chunk_entities x"
        " JOIN live_chunks c ON c.id = x.chunk JOIN live_documents d ON d.id = c.doc"
        " WHERE x.entity = ? ORDER BY x.count DESC, d.doc, c.ordinal LIMIT ?",
        (row, limit),
    )
    type_, profile, by = db.execute(
        'SELECT type, text, "by" FROM entity_profiles WHERE entity = ?', (row,)
    ).fetchone() or ("", "", "")
    return EntityDetails(
        name,
        label,
        kind,
        type_,
        profile,
        by,
        mentions,
        documents_,
        tuple(Spelling(*found) for found in spellings),
        tuple(Neighbour(*found) for found in related),
        tuple(MentioningChunk(*found) for found in mentioning),
        tuple(_statements(snapshot, row, limit)),
    )


def _statements(snapshot: Snapshot, row: int, limit: int) -> Iterator[ListedStatement]:
    """A model's statements about an entity and others, strongest first."""
    for source, target, keywords, strength, text, chunk in snapshot.db.execute(
        "SELECT a.name, b.name, x.keywords, x.strength, x.text, d.doc || '@' || c.ordinal"
        " FROM statements x JOIN entities a ON a.id = x.a JOIN entities b ON b.id = x.b"
        " JOIN live_chunks c ON c.id = x.chunk JOIN live_documents d ON d.id = c.doc"
        " WHERE x.a = :row OR x.b = :row"
        " ORDER BY x.strength DESC, d.doc, c.ordinal, x.text, a.key, b.key LIMIT :n",
        {"row": row, "n": limit},
    ):
        words = tuple(orjson.loads(keywords))
        yield ListedStatement(source, target, words, strength, text, chunk)


def relations(snapshot: Snapshot, entity_row: int | None, limit: int) -> Iterator[ListedRelation]:
    """The strongest relations, of one entity or of all: described ones first."""
    db = snapshot.db
    known = of_names(db) if entity_row is None else relation_blocks.of_entity(db, entity_row)
    described = keys(db, "SELECT a << 32 | b FROM relation_profiles")
    for a, b, count, weight, keywords, strength, text in db.execute(
        "SELECT a.name, b.name, r.count, r.weight, p.keywords, p.strength, p.text"
        f" FROM ({PAIRS}) r JOIN entities a ON a.id = r.a JOIN entities b ON b.id = r.b"
        " LEFT JOIN relation_profiles p ON p.a = r.a AND p.b = r.b"
        " ORDER BY p.strength IS NULL, p.strength DESC, r.weight DESC, a.key, b.key LIMIT :n",
        {"pairs": strongest(known, limit, described), "n": limit},
    ):
        words = tuple(orjson.loads(keywords or "[]"))
        yield ListedRelation(a, b, count, weight / WEIGHT_UNIT, words, strength or 0, text or "")
