"""The sets of vectors: the tables whose rows have one; the column ``vector`` has its hash.

To add a set, add a line to VECTOR_SETS, and what its texts are made of to ``vector_texts``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VectorSet:
    """A table whose rows have vectors. ``owner`` is the column with the row's document, if any.

    ``coded``: the files have codes instead, which only estimate products (search/level_codes.py).
    """

    name: str
    table: str
    key: str = "id"
    owner: str = ""
    coded: bool = False

    def query(self, changed: str = "") -> str:
        """Return a query for (row, hash), by row, of the generation of the ``live_*`` views.

        With ``changed``, the query returns only the rows in that table.
        """
        source = f"live_{self.table} x" if self.owner else f"{self.table} x"
        if changed:
            # CROSS: in this order. SQLite takes both tables for large, and would read the other.
            source = f"{changed} c CROSS JOIN {source} ON x.{self.key} = c.{self.key}"
        return (
            f"SELECT x.{self.key}, x.vector FROM {source} WHERE x.vector IS NOT NULL"
            f" ORDER BY x.{self.key}"
        )


VECTOR_SETS = (
    VectorSet("passages", "passages", owner="doc"),
    VectorSet("nodes", "nodes", key="rowid", owner="docrow"),
    VectorSet("names", "entities", coded=True),
    VectorSet("entity_profiles", "entity_profiles", key="entity"),
    VectorSet("relation_profiles", "relation_profiles"),
    VectorSet("themes", "themes"),
    VectorSet("members", "hierarchy_members", key="entity"),
)
