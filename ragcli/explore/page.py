"""The page: data, style and script in one file, which loads nothing and needs no network."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import orjson

from ragcli.explore.assets import BODY, SCRIPT, STYLE
from ragcli.explore.gather import Picture
from ragcli.explore.layout import pack

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def to_html(picture: Picture) -> str:
    """The whole page. The browser itself is told to load nothing, whatever a text may hold."""
    # "</script>" in a text would end the data; in JSON "<" may be written otherwise.
    data = orjson.dumps(as_json(picture)).decode().replace("<", "\\u003c")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>The graph of a store</title><style>{STYLE}</style></head>\n"
        f'<body>{BODY}<script type="application/json" id="data">{data}</script>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def as_json(picture: Picture) -> dict[str, Any]:
    """What the script reads: nodes with their circles, edges, chunks, and the trace by node."""
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
        "answer": picture.trace.answer,
        "seeds": seeds,
        "path": sorted(path),
    }
