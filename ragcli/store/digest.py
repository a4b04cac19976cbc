"""One hash of what a store says: equal for equal content, however the store came about.

Row numbers, times, vectors and whatever is pending stay out of it. Everything is read in the
order of names, so the order in which documents were written does not show.
"""

from __future__ import annotations

import sqlite3
from hashlib import sha256

import orjson

# The documents of the generation :g.
_LIVE = "(SELECT * FROM documents WHERE born <= :g AND (died IS NULL OR died > :g))"

PARTS: dict[str, str] = {
    "documents": f"SELECT doc, source, sha256, title, size FROM {_LIVE} ORDER BY doc",
    "chunks": 'SELECT d.doc, c.ordinal, c.start, c."end", c.owned, c.line_start, c.line_end,'
    " c.page, c.heading, c.text, c.tokens, CAST(x.data AS TEXT)"
    f" FROM chunks c JOIN {_LIVE} d ON d.id = c.doc JOIN extractions x ON x.hash = c.extraction"
    " ORDER BY d.doc, c.ordinal",
    "passages": f'SELECT d.doc, p.start, p."end" FROM passages p JOIN {_LIVE} d ON d.id = p.doc'
    ' ORDER BY d.doc, p.start, p."end"',
    "nodes": 'SELECT n.id, n.doc, n.level, n.kind, n.title, n.text, n.children, n."by"'
    f" FROM nodes n LEFT JOIN {_LIVE} d ON d.id = n.docrow"
    " WHERE n.docrow IS NULL OR d.id IS NOT NULL ORDER BY n.id",
    "entities": "SELECT key, name, label, kind, mentions, documents FROM entities ORDER BY key",
    "surfaces": "SELECT e.key, s.text, s.label, s.own, s.count FROM surfaces s"
    " JOIN entities e ON e.id = s.entity ORDER BY e.key, s.text, s.label, s.own",
    "aliases": "SELECT a.alias, e.key, a.count FROM aliases a JOIN entities e ON e.id = a.entity"
    " ORDER BY a.alias, e.key",
    "relations": "SELECT min(a.key, b.key) AS low, max(a.key, b.key) AS high, r.weight, r.count"
    " FROM relations r JOIN entities a ON a.id = r.a JOIN entities b ON b.id = r.b"
    " ORDER BY low, high",
    "chunk_entities": "SELECT d.doc, c.ordinal, e.key, x.count FROM chunk_entities x"
    f" JOIN chunks c ON c.id = x.chunk JOIN {_LIVE} d ON d.id = c.doc"
    " JOIN entities e ON e.id = x.entity ORDER BY d.doc, c.ordinal, e.key",
    "passage_entities": 'SELECT d.doc, p.start, p."end", e.key, x.count, x.title'
    f" FROM passage_entities x JOIN passages p ON p.id = x.passage JOIN {_LIVE} d ON d.id = p.doc"
    ' JOIN entities e ON e.id = x.entity ORDER BY d.doc, p.start, p."end", e.key',
}


def digest(db: sqlite3.Connection, generation: int) -> dict[str, str]:
    """SHA-256 of each part, and "all" of them together, as hexadecimal."""
    out: dict[str, str] = {}
    for name, query in PARTS.items():
        stamp = sha256()
        for row in db.execute(query, {"g": generation} if ":g" in query else {}):
            stamp.update(orjson.dumps(row))
            stamp.update(b"\n")
        out[name] = stamp.hexdigest()
    out["all"] = sha256("".join(out.values()).encode()).hexdigest()
    return out
