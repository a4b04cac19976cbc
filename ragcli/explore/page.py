"""The page: one file with data, style and script that loads nothing and needs no network."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

from ragcli.explore.gather import Picture
from ragcli.explore.layout import Circle, pack
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
    flat = all(node["parent"] < 0 for node in picture.nodes)
    circles, _ = _laid_out(picture, "community" if flat else "")
    by_folder, folders = _laid_out(picture, "folder")
    nodes = []
    for i, node in enumerate(picture.nodes):
        x, y, r = _rounded(circles[i])
        shown = {k: v for k, v in node.items() if k != "row" and v not in ("", [])}
        nodes.append({**shown, "x": x, "y": y, "r": r, "folder_at": _rounded(by_folder[i])[:2]})
    return {
        "nodes": nodes,
        "edges": picture.edges,
        "chunks": picture.chunks,
        "entities": picture.entities,
        "radius": round(circles[-1][2], 1),
        "folder_radius": round(by_folder[-1][2], 1),
        "folders": [[name or "/", *_rounded(circle)] for name, circle in folders],
        "trace": _trace(picture),
    }


def _laid_out(picture: Picture, by: str) -> tuple[dict[int, Circle], list[tuple[str, Circle]]]:
    """The circles of all nodes, and of what groups them.

    ``by`` is the value that entities of a group share; "": the nodes are inside of their parents.
    """
    children: dict[int, list[int]] = defaultdict(list)
    groups: dict[Any, int] = {}
    for i, node in enumerate(picture.nodes):
        parent = node["parent"]
        if by and node["level"] == 0 and by in node:
            parent = groups.setdefault(node[by], -2 - len(groups))
        elif by:
            parent = -1
        children[parent].append(i)
    children[-1] += groups.values()
    sizes = {i: 2 + math.sqrt(n.get("mentions", 1)) for i, n in enumerate(picture.nodes)}
    sizes[-1] = 10.0
    circles = pack(children, sizes)
    return circles, [(str(name), circles[group]) for name, group in groups.items()]


def _rounded(circle: Circle) -> list[float]:
    return [round(value, 1) for value in circle]


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
