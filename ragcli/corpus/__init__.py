"""From folders to documents to chunks: scan, read, split into sentences, cut."""
