"""A read-only Model Context Protocol server for a store, over standard input and output."""
