"""From folders to a committed generation of the store."""
