-- The truth. Everything under derived/ can be rebuilt from this file.
--
-- A document row lives from generation `born` to just before generation `died` (NULL: still
-- alive). Rows born after meta.generation are pending: a run wrote them and has not reached its
-- commit point yet. Readers look at one generation, so they see neither.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Folders and files the store was built from, in the order they were first given.
CREATE TABLE roots (
    id   INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE  -- as the system spells it: names need not be UTF-8
);

-- What the last scan saw of each file; lets an unchanged file be passed over without reading it.
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
    text       TEXT NOT NULL,
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

-- Passages for BM25; contentless: the text stands in chunks. Row ids are passage ids.
CREATE VIRTUAL TABLE lexical USING fts5 (
    title, body, content = '', tokenize = "porter unicode61 remove_diacritics 2"
);

-- What an extractor or a language model found in a text, by hash of model and text: never paid
-- for twice.
CREATE TABLE extractions (
    hash BLOB PRIMARY KEY,
    data BLOB NOT NULL
) WITHOUT ROWID;

-- Unit vectors in float16, by hash of embedder and text: never paid for twice.
CREATE TABLE vectors (
    hash   BLOB PRIMARY KEY,
    vector BLOB NOT NULL
) WITHOUT ROWID;

-- Summary tree: nodes of a document go with its row; folder nodes have no row (docrow NULL).
CREATE TABLE nodes (
    id       TEXT NOT NULL,
    docrow   INTEGER REFERENCES documents (id) ON DELETE CASCADE,
    doc      TEXT NOT NULL,
    level    INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    title    TEXT NOT NULL,
    text     TEXT NOT NULL,
    children TEXT NOT NULL,
    "by"     TEXT NOT NULL,
    vector   BLOB NOT NULL
);
CREATE INDEX nodes_docrow ON nodes (docrow);
CREATE INDEX nodes_id ON nodes (id);
CREATE INDEX nodes_vector ON nodes (vector);

-- Aggregates over the documents of the current generation. All are sums of integers, so that
-- adding a document and taking it away again leaves no trace.
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
-- Names that wait for their vectors, which no name does after a commit.
CREATE INDEX entities_bare ON entities (id) WHERE kind = 'name' AND vector IS NULL;

-- How often an entity was written how, and labelled what; own = 0 where an alias led to it.
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

-- Co-occurrence in a sentence, and relations that a language model describes; a < b. weight is in
-- units of 1 / cooccur.SCALE; count is of sentences, 0 where only a description joins the two.
CREATE TABLE relations (
    a      INTEGER NOT NULL,
    b      INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (a, b)
) WITHOUT ROWID;
CREATE INDEX relations_b ON relations (b, a);

CREATE TABLE chunk_entities (
    chunk  INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    entity INTEGER NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (chunk, entity)
) WITHOUT ROWID;
CREATE INDEX chunk_entities_entity ON chunk_entities (entity, chunk);

-- Names by passage: how often it is said there, and whether the document's title is that name.
CREATE TABLE passage_entities (
    passage INTEGER NOT NULL REFERENCES passages (id) ON DELETE CASCADE,
    entity  INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    title   INTEGER NOT NULL,
    PRIMARY KEY (passage, entity)
) WITHOUT ROWID;

-- What a language model says of an entity, or of two, in one chunk; they go with the chunk.
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

-- One text for each described entity and each described pair (a < b), made of all that is said of
-- it; "by" tells what wrote it. Rows of the current generation, like all sums.
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

-- Keywords of relations, each with a vector of its own: one theme leads to all its relations.
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

-- Records that stand on another line of their file than their chunks say, until the commit point.
CREATE TABLE moves (
    docrow INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    line   INTEGER NOT NULL
);

-- What changed with each generation, for "inspect diff": a document's content and chunks before
-- and after ('' and 0: not there), and names won or lost. Not part of the digest.
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
