-- Fields of a document's front matter, in its order; names are in lower case. They belong to one
-- version of the document, and are deleted with it.
CREATE TABLE IF NOT EXISTS document_fields (
    docrow INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    n      INTEGER NOT NULL,
    name   TEXT NOT NULL,
    value  TEXT NOT NULL,
    PRIMARY KEY (docrow, n)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS document_fields_name ON document_fields (name, value);

-- When the file of a document was modified, as the system said when this version was read.
CREATE TABLE IF NOT EXISTS document_times (
    docrow      INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    modified_ns INTEGER NOT NULL
) WITHOUT ROWID;
