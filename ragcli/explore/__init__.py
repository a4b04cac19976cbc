"""Views of the graph: an HTML page for a browser, or GraphML for other programs."""

from __future__ import annotations

from ragcli.explore.gather import MarkedPassage, Picture, Trace, gather
from ragcli.explore.graphml import is_graphml, to_graphml
from ragcli.explore.page import to_html

__all__ = ["MarkedPassage", "Picture", "Trace", "gather", "is_graphml", "to_graphml", "to_html"]
