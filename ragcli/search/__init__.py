"""Finding rows by vector, by word and by graph."""
