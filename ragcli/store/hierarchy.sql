-- The hierarchy over the entities (LeanRAG), if requested. Rows of the current generation, like all
-- sums. Additive to schema.sql: created whenever a store is opened for writing.

-- Entities of the hierarchy, each with its description; late = 1: added to its cluster after the
-- last clustering.
CREATE TABLE IF NOT EXISTS hierarchy_members (
    entity INTEGER PRIMARY KEY,
    parent INTEGER,           -- node of level 1; NULL when there is none above
    chunk  INTEGER,           -- whose document the text was taken from; NULL: from its profile
    text   TEXT NOT NULL,
    late   INTEGER NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS hierarchy_members_parent ON hierarchy_members (parent);
CREATE INDEX IF NOT EXISTS hierarchy_members_vector ON hierarchy_members (vector);

-- Aggregated entities, level 1 upward.
CREATE TABLE IF NOT EXISTS hierarchy_nodes (
    id       INTEGER PRIMARY KEY,
    level    INTEGER NOT NULL,
    parent   INTEGER,         -- NULL at the top
    name     TEXT NOT NULL,
    text     TEXT NOT NULL,
    findings TEXT NOT NULL,   -- JSON list
    "by"     TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS hierarchy_nodes_parent ON hierarchy_nodes (parent);

-- Aggregated relations, a < b of one level: the number of relations of the level below and of
-- their sentences; text only if a language model wrote one.
CREATE TABLE IF NOT EXISTS hierarchy_relations (
    a      INTEGER NOT NULL,
    b      INTEGER NOT NULL,
    level  INTEGER NOT NULL,
    links  INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    text   TEXT,
    PRIMARY KEY (a, b)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS hierarchy_relations_b ON hierarchy_relations (b);
