"""Searches a store by vector, by word and by graph, and writes the derived files for it."""
