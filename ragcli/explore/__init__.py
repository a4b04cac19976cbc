"""The graph as an HTML page for a browser, or as GraphML for other programs.

In: a snapshot, and what an answer touched (``gather``). Out: a page that needs no network, or XML.
It may not search or answer.
"""

from __future__ import annotations

from ragcli.explore.gather import MarkedPassage, Picture, Trace, gather
from ragcli.explore.graphml import is_graphml, to_graphml
from ragcli.explore.page import to_html

__all__ = ["MarkedPassage", "Picture", "Trace", "gather", "is_graphml", "to_graphml", "to_html"]
