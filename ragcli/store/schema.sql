-- All data of a store but its vectors, which are in the files of vectors/ (search/derive.py).
-- Everything under derived/ can be rebuilt from this file.
--
-- A document row is live from generation `born` until before generation `died` (NULL: still
-- live). Rows born after meta.generation are pending: a run wrote them and has not reached its
-- commit point yet. Readers read one generation, so they see neither pending nor ended rows.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Folders and files that the store is built from, in order of first use.
CREATE TABLE roots (
    id   INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE  -- as the system spells it: names need not be UTF-8
);

-- Size and time of each file at the last scan, so that unchanged files are not read again.
CREATE TABLE files (
    source   TEXT PRIMARY KEY,
    path     BLOB NOT NULL,
    size     INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL
) WITHOUT ROWID;

-- Records and files that could not be read, with the reason.
CREATE TABLE failures (
    doc    TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    error  TEXT NOT NULL,
    at     TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE documents (
    id         INTEGER PRIMARY KEY,
    doc        TEXT NOT NULL,
    source     TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    title      TEXT NOT NULL,
    size       INTEGER NOT NULL,
    born       INTEGER NOT NULL,
    died       INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (doc, born)
);
CREATE INDEX documents_source ON documents (source);
CREATE INDEX documents_sha ON documents (sha256);
CREATE INDEX documents_born ON documents (born);
CREATE INDEX documents_died ON documents (died) WHERE died IS NOT NULL;

CREATE TABLE chunks (
    id         INTEGER PRIMARY KEY,
    doc        INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    start      INTEGER NOT NULL,
    "end"      INTEGER NOT NULL,
    owned      INTEGER NOT NULL,
    line_start INTEGER NOT NULL,
    line_end   INTEGER NOT NULL,
    page       INTEGER,
    heading    TEXT NOT NULL,
    text       TEXT NOT NULL,  -- packed if that is shorter (packing.py)
    tokens     INTEGER NOT NULL,
    extraction BLOB NOT NULL,
    findings   BLOB,  -- what a language model made of it (extractions.hash); NULL: not asked yet
    UNIQUE (doc, ordinal)
);
CREATE INDEX chunks_extraction ON chunks (extraction);
CREATE INDEX chunks_findings ON chunks (findings) WHERE findings IS NOT NULL;

CREATE TABLE passages (
    id     INTEGER PRIMARY KEY,
    chunk  INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    doc    INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    start  INTEGER NOT NULL,
    "end"  INTEGER NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX passages_chunk ON passages (chunk);
CREATE INDEX passages_doc ON passages (doc);
CREATE INDEX passages_vector ON passages (vector);

-- Passages for BM25; contentless, because the text is in chunks. Row ids are passage ids.
CREATE VIRTUAL TABLE lexical USING fts5 (
    title, body, content = '', tokenize = "porter unicode61 remove_diacritics 2"
);

-- A cache of extractions and findings, by hash of model and text; data is packed (packing.py).
-- Not "without rowid": rows in the order of hashes would leave a third of each page empty.
CREATE TABLE extractions (
    hash BLOB PRIMARY KEY,
    data BLOB NOT NULL
);

-- Summary tree: the nodes of a document belong to its row; folder nodes have docrow NULL.
CREATE TABLE nodes (
    "row"    INTEGER PRIMARY KEY,  -- named, so that it never changes: vectors are found by it
    id       TEXT NOT NULL,
    docrow   INTEGER REFERENCES documents (id) ON DELETE CASCADE,
    doc      TEXT NOT NULL,
    level    INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    title    TEXT NOT NULL,
    text     TEXT NOT NULL,  -- packed if that is shorter (packing.py)
    children TEXT NOT NULL,
    "by"     TEXT NOT NULL,
    vector   BLOB NOT NULL
);
CREATE INDEX nodes_docrow ON nodes (docrow);
CREATE INDEX nodes_id ON nodes (id);
CREATE INDEX nodes_vector ON nodes (vector);

-- Aggregates over the documents of the current generation. All are sums of integers, so adding and
-- removing a document restores the former values exactly.
CREATE TABLE entities (
    id        INTEGER PRIMARY KEY,
    key       TEXT NOT NULL UNIQUE,
    name      TEXT NOT NULL,
    label     TEXT NOT NULL,
    kind      TEXT NOT NULL,
    mentions  INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    vector    BLOB
);
CREATE INDEX entities_vector ON entities (vector) WHERE vector IS NOT NULL;
-- Names without vectors; there are none after a commit.
CREATE INDEX entities_bare ON entities (id) WHERE kind = 'name' AND vector IS NULL;

-- Spellings and labels of an entity, with counts; own = 0 if the text resolved through an alias.
CREATE TABLE surfaces (
    entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    text   TEXT NOT NULL,
    label  TEXT NOT NULL,
    own    INTEGER NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (entity, text, label, own)
) WITHOUT ROWID;

-- Other normalised names under which an entity is known (parts of a person's name, acronyms).
CREATE TABLE aliases (
    alias  TEXT NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    count  INTEGER NOT NULL,
    PRIMARY KEY (alias, entity)
) WITHOUT ROWID;
CREATE INDEX aliases_entity ON aliases (entity);

-- Co-occurrence in a sentence, and relations that a language model describes, in packed blocks
-- (relations.py); a < b. A weight is in units of 1 / cooccurrence.SCALE; a count is the number of
-- sentences, 0 if there is only a description.
CREATE TABLE relation_blocks (
    first INTEGER PRIMARY KEY,  -- a << 32 | b of the first pair in the block
    data  BLOB NOT NULL
);

CREATE TABLE chunk_entities (
    chunk  INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    entity INTEGER NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (chunk, entity)
) WITHOUT ROWID;
CREATE INDEX chunk_entities_entity ON chunk_entities (entity, chunk);

-- Names by passage: the number of mentions, and whether the document's title is that name.
CREATE TABLE passage_entities (
    passage INTEGER NOT NULL REFERENCES passages (id) ON DELETE CASCADE,
    entity  INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    title   INTEGER NOT NULL,
    PRIMARY KEY (passage, entity)
) WITHOUT ROWID;

-- A language model's statements about one or two entities in a chunk; deleted with the chunk.
CREATE TABLE descriptions (
    chunk  INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    entity INTEGER NOT NULL,
    type   TEXT NOT NULL,
    text   TEXT NOT NULL
);
CREATE INDEX descriptions_chunk ON descriptions (chunk);
CREATE INDEX descriptions_entity ON descriptions (entity);

CREATE TABLE statements (
    chunk    INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    a        INTEGER NOT NULL,  -- source
    b        INTEGER NOT NULL,  -- target
    keywords TEXT NOT NULL,     -- JSON list
    strength INTEGER NOT NULL,
    text     TEXT NOT NULL
);
CREATE INDEX statements_chunk ON statements (chunk);
CREATE INDEX statements_pair ON statements (a, b);
CREATE INDEX statements_b ON statements (b);

-- One text for each described entity and each described pair (a < b), from all statements about
-- it; "by" names its author. Rows of the current generation, like all sums.
CREATE TABLE entity_profiles (
    entity INTEGER PRIMARY KEY,
    type   TEXT NOT NULL,
    text   TEXT NOT NULL,
    "by"   TEXT NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX entity_profiles_vector ON entity_profiles (vector);

CREATE TABLE relation_profiles (
    id       INTEGER PRIMARY KEY,
    a        INTEGER NOT NULL,
    b        INTEGER NOT NULL,
    keywords TEXT NOT NULL,     -- JSON list
    strength INTEGER NOT NULL,  -- sum over the statements
    text     TEXT NOT NULL,
    "by"     TEXT NOT NULL,
    vector   BLOB NOT NULL,
    UNIQUE (a, b)
);
CREATE INDEX relation_profiles_b ON relation_profiles (b);
CREATE INDEX relation_profiles_vector ON relation_profiles (vector);

-- Keywords of relations, each with its own vector: a theme leads to all its relations.
CREATE TABLE themes (
    id     INTEGER PRIMARY KEY,
    text   TEXT NOT NULL UNIQUE,
    vector BLOB NOT NULL
);
CREATE INDEX themes_vector ON themes (vector);

CREATE TABLE relation_themes (
    theme    INTEGER NOT NULL REFERENCES themes (id),
    relation INTEGER NOT NULL REFERENCES relation_profiles (id) ON DELETE CASCADE,
    PRIMARY KEY (theme, relation)
) WITHOUT ROWID;
CREATE INDEX relation_themes_relation ON relation_themes (relation);

-- Replies of a language model by hash of model, prompt, grammar and sampling.
CREATE TABLE replies (
    hash BLOB PRIMARY KEY,
    data BLOB NOT NULL
) WITHOUT ROWID;

-- New line numbers of moved records, until the commit point writes them into their chunks.
CREATE TABLE moves (
    docrow INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    line   INTEGER NOT NULL
);

-- The changes of each generation, for "inspect diff": a document's content and chunks before and
-- after ('' and 0: absent), and names gained or lost. Not part of the digest.
CREATE TABLE history (
    generation    INTEGER NOT NULL,
    doc           TEXT NOT NULL,
    former_sha256 TEXT NOT NULL,
    sha256        TEXT NOT NULL,
    former_chunks INTEGER NOT NULL,
    chunks        INTEGER NOT NULL,
    at            TEXT NOT NULL,
    PRIMARY KEY (generation, doc)
) WITHOUT ROWID;

CREATE TABLE name_history (
    generation INTEGER NOT NULL,
    key        TEXT NOT NULL,
    name       TEXT NOT NULL,
    won        INTEGER NOT NULL,
    PRIMARY KEY (generation, key)
) WITHOUT ROWID;
