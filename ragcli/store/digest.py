"""One hash of a store's content: equal for equal content, independent of its history.

It excludes row numbers, times, vectors and pending rows. All rows are read in the order of names,
so the hash does not depend on the order in which documents were written. A hierarchy has its own
hash and is not part of "all", because its clusters depend on vectors (docs/adr/hierarchy.md).
"""

from __future__ import annotations

import sqlite3
from hashlib import sha256

import orjson

from ragcli.store import relations, scratch
from ragcli.store.snapshot import Snapshot

PARTS: dict[str, str] = {
    "documents": "SELECT doc, source, sha256, title, size FROM live_documents ORDER BY doc",
    "fields": "SELECT d.doc, f.n, f.name, f.value FROM live_document_fields f"
    " JOIN live_documents d ON d.id = f.docrow ORDER BY d.doc, f.n",
    "chunks": 'SELECT d.doc, c.ordinal, c.start, c."end", c.owned, c.line_start, c.line_end,'
    " c.page, c.heading, c.text, c.tokens, CAST(plain_data(x.data) AS TEXT),"
    " CAST(plain_data(f.data) AS TEXT)"
    " FROM live_chunks c JOIN live_documents d ON d.id = c.doc"
    " JOIN extractions x ON x.hash = c.extraction"
    " LEFT JOIN extractions f ON f.hash = c.findings"
    " ORDER BY d.doc, c.ordinal",
    "passages": 'SELECT d.doc, p.start, p."end" FROM live_passages p'
    ' JOIN live_documents d ON d.id = p.doc ORDER BY d.doc, p.start, p."end"',
    "headings": "SELECT d.doc, h.start, h.path FROM live_headings h"
    " JOIN live_documents d ON d.id = h.doc ORDER BY d.doc, h.start",
    "lines": "SELECT d.doc, l.start, l.line FROM live_line_marks l"
    " JOIN live_documents d ON d.id = l.doc ORDER BY d.doc, l.start",
    "blocks": "SELECT d.doc, b.start, CAST(b.data AS TEXT) FROM live_blocks b"
    " JOIN live_documents d ON d.id = b.doc ORDER BY d.doc, b.start",
    "scans": 'SELECT d.doc, s.start, s."end", s.confidence, s.left, s.top, s.right, s.bottom'
    " FROM live_scanned_lines s JOIN live_documents d ON d.id = s.doc ORDER BY d.doc, s.start",
    "nodes": 'SELECT n.id, n.doc, n.level, n.kind, n.title, n.text, n.children, n."by"'
    " FROM live_nodes n ORDER BY n.id",
    "entities": "SELECT key, name, label, kind, mentions, documents FROM entities ORDER BY key",
    "surfaces": "SELECT e.key, s.text, s.label, s.own, s.count FROM surfaces s"
    " JOIN entities e ON e.id = s.entity ORDER BY e.key, s.text, s.label, s.own",
    "aliases": "SELECT a.alias, e.key, a.count FROM aliases a JOIN entities e ON e.id = a.entity"
    " ORDER BY a.alias, e.key",
    "relations": "SELECT min(a.key, b.key) AS low, max(a.key, b.key) AS high, r.weight, r.count"
    " FROM relations r JOIN entities a ON a.id = r.a JOIN entities b ON b.id = r.b"
    " ORDER BY low, high",
    "chunk_entities": "SELECT d.doc, c.ordinal, e.key, x.count FROM chunk_entities x"
    " JOIN live_chunks c ON c.id = x.chunk JOIN live_documents d ON d.id = c.doc"
    " JOIN entities e ON e.id = x.entity ORDER BY d.doc, c.ordinal, e.key",
    "passage_entities": 'SELECT d.doc, p.start, p."end", e.key, x.count, x.title'
    " FROM passage_entities x JOIN live_passages p ON p.id = x.passage"
    " JOIN live_documents d ON d.id = p.doc"
    ' JOIN entities e ON e.id = x.entity ORDER BY d.doc, p.start, p."end", e.key',
    "descriptions": "SELECT d.doc, c.ordinal, e.key, x.type, x.text FROM descriptions x"
    " JOIN live_chunks c ON c.id = x.chunk JOIN live_documents d ON d.id = c.doc"
    " JOIN entities e ON e.id = x.entity ORDER BY d.doc, c.ordinal, e.key, x.type, x.text",
    "statements": "SELECT d.doc, c.ordinal, a.key AS source, b.key AS target, x.keywords,"
    " x.strength, x.text FROM statements x JOIN live_chunks c ON c.id = x.chunk"
    " JOIN live_documents d ON d.id = c.doc"
    " JOIN entities a ON a.id = x.a JOIN entities b ON b.id = x.b"
    " ORDER BY d.doc, c.ordinal, source, target, x.text, x.keywords, x.strength",
    "entity_profiles": 'SELECT e.key, p.type, p.text, p."by" FROM entity_profiles p'
    " JOIN entities e ON e.id = p.entity ORDER BY e.key",
    "relation_profiles": "SELECT min(a.key, b.key) AS low, max(a.key, b.key) AS high, p.keywords,"
    ' p.strength, p.text, p."by" FROM relation_profiles p JOIN entities a ON a.id = p.a'
    " JOIN entities b ON b.id = p.b ORDER BY low, high",
    "themes": "SELECT t.text, min(a.key, b.key) AS low, max(a.key, b.key) AS high"
    " FROM relation_themes x JOIN themes t ON t.id = x.theme"
    " JOIN relation_profiles p ON p.id = x.relation JOIN entities a ON a.id = p.a"
    " JOIN entities b ON b.id = p.b ORDER BY t.text, low, high",
}

HIERARCHY: tuple[str, ...] = (
    "SELECT e.key, n.name, m.text, m.late FROM hierarchy_members m"
    " JOIN entities e ON e.id = m.entity LEFT JOIN hierarchy_nodes n ON n.id = m.parent"
    " ORDER BY e.key",
    'SELECT n.level, n.name, n.text, n.findings, n."by", p.name FROM hierarchy_nodes n'
    " LEFT JOIN hierarchy_nodes p ON p.id = n.parent ORDER BY n.level, n.name",
    "SELECT r.level, min(a.name, b.name) AS low, max(a.name, b.name) AS high, r.links, r.weight,"
    " r.text FROM hierarchy_relations r JOIN hierarchy_nodes a ON a.id = r.a"
    " JOIN hierarchy_nodes b ON b.id = r.b ORDER BY r.level, low, high",
)


def digest(snapshot: Snapshot) -> dict[str, str]:
    """SHA-256 of each part, and of "all" parts together, as hexadecimal.

    "hierarchy" is present if the store has one; "all" excludes it. "lines" is absent where there
    are none.
    """
    relations.unfold(snapshot.db)
    out = {name: _stamp(snapshot.db, (query,)) for name, query in PARTS.items()}
    if out["lines"] == sha256().hexdigest():
        del out["lines"]  # each line of the texts is one of the files
    scratch.drop(snapshot.db, relations.TABLE)
    out["all"] = sha256("".join(out.values()).encode()).hexdigest()
    if snapshot.hierarchy.is_built():
        out["hierarchy"] = _stamp(snapshot.db, HIERARCHY)
    return out


def _stamp(db: sqlite3.Connection, queries: tuple[str, ...]) -> str:
    stamp = sha256()
    for query in queries:
        for row in db.execute(query):
            stamp.update(orjson.dumps(row))
            stamp.update(b"\n")
    return stamp.hexdigest()
