"""The store: one SQLite file is the truth, everything in derived/ can be rebuilt from it."""
