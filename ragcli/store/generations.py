"""The SQL predicates that define which rows belong to a generation.

A document row lives from generation ``born`` to just before generation ``died``. Rows born after
the current generation are pending: a run wrote them and has not reached its commit point.
"""

from __future__ import annotations

# Documents of the generation :g, under the alias d.
LIVE = "d.born <= :g AND (d.died IS NULL OR d.died > :g)"
# Documents that the pending generation :pending adds, and those that it ends, under the alias d.
BORN = "d.born = :pending"
DIES = "d.died = :pending"
# The newest version of each document, pending ones included, under the alias d.
NEWEST = "d.died IS NULL"
