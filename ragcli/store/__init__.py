"""The store: one SQLite file has all data; everything in derived/ can be rebuilt from it."""
