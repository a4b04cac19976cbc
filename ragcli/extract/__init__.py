"""Text in, mentions (and relations) out: one module per extractor."""
