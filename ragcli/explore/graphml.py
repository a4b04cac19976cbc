"""GraphML, a format that many graph programs read."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from ragcli.explore.gather import Picture
from ragcli.overwriting import head
from ragcli.text.xml_characters import xml_writable

_KEYS = (("name", "string"), ("level", "int"), ("label", "string"), ("mentions", "int"),
         ("text", "string"))  # fmt: skip


_OPENING = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    "<!-- written by ragcli -->\n"
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
)


def is_graphml(file: Path) -> bool:
    """Whether a file is a graph that ragcli wrote."""
    return head(file).startswith(_OPENING.encode())


def to_graphml(picture: Picture) -> str:
    """The picture as a GraphML document: edges are of kind "relation" or "member"."""
    keys = "".join(
        f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n'
        for name, kind in _KEYS
    )
    nodes = "".join(
        f'<node id="n{i}">'
        + "".join(
            f'<data key="{name}">{_text(node[name])}</data>' for name, _ in _KEYS if name in node
        )
        + "</node>\n"
        for i, node in enumerate(picture.nodes)
    )
    edges = [_edge(a, b, "relation", weight) for a, b, weight in picture.edges]
    edges += [
        _edge(i, node["parent"], "member", 1)
        for i, node in enumerate(picture.nodes)
        if node["parent"] >= 0
    ]
    return (
        f"{_OPENING}{keys}"
        '<key id="kind" for="edge" attr.name="kind" attr.type="string"/>\n'
        '<key id="weight" for="edge" attr.name="weight" attr.type="int"/>\n'
        f'<graph edgedefault="undirected">\n{nodes}{"".join(edges)}</graph>\n</graphml>\n'
    )


def _text(value: object) -> str:
    return escape(xml_writable(str(value)))


def _edge(a: int, b: int, kind: str, weight: int) -> str:
    ends = f"source={quoteattr(f'n{a}')} target={quoteattr(f'n{b}')}"
    return f'<edge {ends}><data key="kind">{kind}</data><data key="weight">{weight}</data></edge>\n'
