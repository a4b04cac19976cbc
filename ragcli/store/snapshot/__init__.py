"""An open store at one generation: the only way to read it.

In: the folder of a store. Out: a ``Snapshot``, whose queries are grouped by subject and return
records. It shows live rows only, and never changes while it is open. It may not write.
"""

from ragcli.store.snapshot.snapshot import Snapshot, open_snapshot

__all__ = ["Snapshot", "open_snapshot"]
