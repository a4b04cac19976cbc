"""Counts and listings for ``inspect``: plain rows, nothing computed twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from ragcli.errors import InputError
from ragcli.store.generations import LIVE
from ragcli.store.hierarchy import is_built
from ragcli.store.meta import generation, get_meta

# Weights of relations are kept in units of one in so many (graph.cooccur.SCALE).
WEIGHT_UNIT = 1 << 20


def stats(db: sqlite3.Connection, store: Path) -> dict[str, Any]:
    """What ``inspect stats --json`` prints."""
    current = generation(db)

    def count(query: str) -> int:
        return int(db.execute(query, {"g": current} if ":g" in query else {}).fetchone()[0])

    joined = f"JOIN documents d ON d.id = x.doc WHERE {LIVE}"
    files = [p for p in store.rglob("*") if p.is_file()]
    return {
        "documents": count(f"SELECT count(*) FROM documents d WHERE {LIVE}"),
        "failed_documents": count("SELECT count(*) FROM failures"),
        "chunks": count(f"SELECT count(*) FROM chunks x {joined}"),
        "passages": count(f"SELECT count(*) FROM passages x {joined}"),
        "entities": count("SELECT count(*) FROM entities"),
        "named_entities": count("SELECT count(*) FROM entities WHERE kind = 'name'"),
        "described_entities": count("SELECT count(*) FROM entity_profiles"),
        "relations": count("SELECT count(*) FROM relations"),
        "described_relations": count("SELECT count(*) FROM relation_profiles"),
        "tree_nodes": count(
            f"SELECT count(*) FROM nodes x LEFT JOIN documents d ON d.id = x.docrow"
            f" WHERE d.id IS NULL OR ({LIVE})"
        ),
        "hierarchy_levels": count("SELECT count(DISTINCT level) FROM hierarchy_nodes")
        if is_built(db)
        else 0,
        "bytes": sum(p.stat().st_size for p in files),
        "generation": current,
        "pending_documents": count("SELECT count(*) FROM documents WHERE born > :g"),
        "models": orjson.loads(get_meta(db, "fingerprint", "{}")),
        "llm_calls": int(get_meta(db, "llm_calls", "0")),
        "llm_tokens": int(get_meta(db, "llm_tokens", "0")),
        "stages": orjson.loads(get_meta(db, "stages", "{}")),
    }


def document(db: sqlite3.Connection, doc: str) -> dict[str, Any]:
    """The record of one document; raises InputError when there is none."""
    for found in documents(db):
        if found["doc"] == doc:
            return found
    raise InputError(f"no document '{doc}' in the store", "list them: ragcli inspect docs")


def documents(db: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """One record per document, read or failed, by id."""
    current = generation(db)
    failures = dict(db.execute("SELECT doc, error FROM failures"))
    rows = db.execute(
        "SELECT d.doc, (SELECT count(*) FROM chunks c WHERE c.doc = d.id), d.sha256, d.size,"
        " d.created_at, d.updated_at, (SELECT n.text FROM nodes n WHERE n.docrow = d.id"
        f" ORDER BY n.level DESC LIMIT 1) FROM documents d WHERE {LIVE} ORDER BY d.doc",
        {"g": current},
    ).fetchall()
    found = {row[0] for row in rows}
    failed = [
        (doc, 0, "", 0, at, at, "")
        for doc, at in db.execute("SELECT doc, at FROM failures")
        if doc not in found
    ]
    for doc, chunks, sha, size, created, updated, summary in sorted([*rows, *failed]):
        yield {
            "doc": doc,
            "status": "failed" if doc in failures else "ok",
            "chunks": chunks,
            "sha256": sha,
            "size": size,
            "created_at": created,
            "updated_at": updated,
            "error": failures.get(doc, ""),
            "summary": summary,
        }


def chunks(db: sqlite3.Connection, doc: str | None = None) -> Iterator[dict[str, Any]]:
    """One record per chunk, of one document or of all."""
    names = ("doc", "ordinal", "start", "end", "line_start", "line_end", "heading", "tokens")
    rows = db.execute(
        'SELECT d.doc, c.ordinal, c.start, c."end", c.line_start, c.line_end, c.heading, c.tokens,'
        f" c.text FROM chunks c JOIN documents d ON d.id = c.doc WHERE {LIVE}"
        " AND (:doc IS NULL OR d.doc = :doc) ORDER BY d.doc, c.ordinal",
        {"g": generation(db), "doc": doc},
    )
    for row in rows:
        values = dict(zip(names, row[:-1], strict=True))
        yield {"chunk": f"{row[0]}@{row[1]}", **values, "text": row[-1]}


def entities(db: sqlite3.Connection, limit: int) -> Iterator[dict[str, Any]]:
    """The entities with most mentions."""
    rows = db.execute(
        "SELECT name, label, kind, mentions, documents, (SELECT count(*) FROM relations"
        " WHERE a = e.id) + (SELECT count(*) FROM relations WHERE b = e.id) FROM entities e"
        " ORDER BY kind, mentions DESC, key LIMIT ?",
        (limit,),
    )
    names = ("name", "label", "kind", "mentions", "documents", "relations")
    for row in rows:
        yield dict(zip(names, row, strict=True))


def entity(db: sqlite3.Connection, row: int, neighbours: int) -> dict[str, Any]:
    """One entity: spellings, strongest relations, and the chunks that hold it most often."""
    name, label, kind, mentions, documents_ = db.execute(
        "SELECT name, label, kind, mentions, documents FROM entities WHERE id = ?", (row,)
    ).fetchone()
    spellings = db.execute(
        "SELECT text, sum(count) AS n FROM surfaces WHERE entity = ? GROUP BY text"
        " ORDER BY n DESC, text",
        (row,),
    ).fetchall()
    related = db.execute(
        "SELECT e.name, r.count, r.weight FROM"
        " (SELECT b AS other, count, weight FROM relations WHERE a = :row"
        "  UNION ALL SELECT a, count, weight FROM relations WHERE b = :row) r"
        " JOIN entities e ON e.id = r.other ORDER BY r.weight DESC, e.key LIMIT :n",
        {"row": row, "n": neighbours},
    ).fetchall()
    held = db.execute(
        "SELECT d.doc, c.ordinal, x.count FROM chunk_entities x JOIN chunks c ON c.id = x.chunk"
        " JOIN documents d ON d.id = c.doc WHERE x.entity = ?"
        " ORDER BY x.count DESC, d.doc, c.ordinal LIMIT ?",
        (row, neighbours),
    ).fetchall()
    type_, profile, by = db.execute(
        'SELECT type, text, "by" FROM entity_profiles WHERE entity = ?', (row,)
    ).fetchone() or ("", "", "")
    return {
        "name": name,
        "label": label,
        "kind": kind,
        "type": type_,
        "profile": profile,
        "profile_by": by,
        "mentions": mentions,
        "documents": documents_,
        "spellings": [{"text": t, "count": n} for t, n in spellings],
        "related": [{"name": n, "sentences": c} for n, c, _ in related],
        "chunks": [{"chunk": f"{d}@{o}", "mentions": n} for d, o, n in held],
        "statements": statements(db, row, neighbours),
    }


def statements(db: sqlite3.Connection, row: int, limit: int) -> list[dict[str, Any]]:
    """What a language model said of an entity and others, strongest first, with its chunk."""
    rows = db.execute(
        "SELECT a.name, b.name, x.keywords, x.strength, x.text, d.doc, c.ordinal"
        " FROM statements x JOIN entities a ON a.id = x.a JOIN entities b ON b.id = x.b"
        " JOIN chunks c ON c.id = x.chunk JOIN documents d ON d.id = c.doc"
        f" WHERE (x.a = :row OR x.b = :row) AND {LIVE}"
        " ORDER BY x.strength DESC, d.doc, c.ordinal, x.text, a.key, b.key LIMIT :n",
        {"row": row, "n": limit, "g": generation(db)},
    )
    return [
        {
            "source": source,
            "target": target,
            "keywords": orjson.loads(words),
            "strength": strength,
            "text": text,
            "chunk": f"{doc}@{ordinal}",
        }
        for source, target, words, strength, text, doc, ordinal in rows
    ]


def relations(db: sqlite3.Connection, entity_row: int | None, limit: int) -> list[dict[str, Any]]:
    """The strongest relations, of one entity or of all: described ones first."""
    among = "p.id IS NOT NULL OR (a.kind = 'name' AND b.kind = 'name')"
    rows = db.execute(
        "SELECT a.name, b.name, r.count, r.weight, p.keywords, p.strength, p.text"
        " FROM relations r JOIN entities a ON a.id = r.a JOIN entities b ON b.id = r.b"
        " LEFT JOIN relation_profiles p ON p.a = r.a AND p.b = r.b"
        f" WHERE {among if entity_row is None else 'r.a = :row OR r.b = :row'}"
        " ORDER BY p.strength IS NULL, p.strength DESC, r.weight DESC, a.key, b.key LIMIT :n",
        {"row": entity_row, "n": limit},
    )
    return [
        {
            "a": a,
            "b": b,
            "sentences": count,
            "weight": weight / WEIGHT_UNIT,
            "keywords": orjson.loads(words or "[]"),
            "strength": strength or 0,
            "text": text or "",
        }
        for a, b, count, weight, words, strength, text in rows
    ]


def tree(db: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    """All nodes of the summary tree, folders first, from the top down."""
    rows = db.execute(
        'SELECT n.id, n.doc, n.level, n.kind, n.title, n.text, n.children, n."by" FROM nodes n'
        f" LEFT JOIN documents d ON d.id = n.docrow WHERE d.id IS NULL OR ({LIVE})"
        " ORDER BY n.kind DESC, n.doc, n.level DESC, n.id",
        {"g": generation(db)},
    )
    names = ("id", "doc", "level", "kind", "title", "text", "children", "by")
    for row in rows:
        yield {**dict(zip(names, row, strict=True)), "children": orjson.loads(row[6])}
