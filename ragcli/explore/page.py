"""The page: one file with data, style and script that loads nothing and needs no network."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

from ragcli.explore.gather import Picture
from ragcli.explore.layout import pack
from ragcli.html_page import render

_TEMPLATES = Path(__file__).parent / "templates"


def to_html(picture: Picture) -> str:
    """The whole page: data, style and script in one file."""
    return render(
        _TEMPLATES / "graph.html.j2",
        _TEMPLATES / "graph.css",
        _TEMPLATES / "graph.js",
        data=as_json(picture),
    )


def as_json(picture: Picture) -> dict[str, Any]:
    """The data for the script: nodes with their circles, edges, chunks, and the trace by node."""
    children: dict[int, list[int]] = defaultdict(list)
    for i, node in enumerate(picture.nodes):
        children[node["parent"]].append(i)
    sizes = {i: 2 + math.sqrt(n.get("mentions", 1)) for i, n in enumerate(picture.nodes)}
    sizes[-1] = 10.0
    circles = pack(children, sizes)
    nodes = []
    for i, node in enumerate(picture.nodes):
        x, y, r = (round(value, 1) for value in circles[i])
        shown = {k: v for k, v in node.items() if k != "row" and v not in ("", [])}
        nodes.append({**shown, "x": x, "y": y, "r": r})
    return {
        "nodes": nodes,
        "edges": picture.edges,
        "chunks": picture.chunks,
        "entities": picture.entities,
        "radius": round(circles[-1][2], 1),
        "trace": _trace(picture),
    }


def _trace(picture: Picture) -> dict[str, Any] | None:
    if picture.trace is None:
        return None
    at = {(n["level"], n["row"]): i for i, n in enumerate(picture.nodes)}
    seeds = [at[0, row] for row in picture.trace.seeds if (0, row) in at]
    path = {at[key] for key in picture.trace.path if key in at}
    return {
        "question": picture.trace.question,
        "short": picture.trace.short,
        "answer": picture.trace.answer,
        "passages": [[p.place, p.heading, p.text] for p in picture.trace.passages],
        "seeds": seeds,
        "path": sorted(path),
    }
