"""An open store at one generation: the only way to read it."""

from ragcli.store.snapshot.snapshot import Snapshot, open_snapshot

__all__ = ["Snapshot", "open_snapshot"]
