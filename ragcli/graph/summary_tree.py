"""Builds the summary tree: one tree per document, and the folders above the documents.

In a document every ``group`` consecutive chunks get a summary, then every ``group`` summaries,
until at most ``group`` remain; the root summarises those (E2GraphRAG, section 3.2). The folder
tree continues above the documents. A folder may contain any number of files, so its children are
first divided into groups, whose borders depend only on the children's names. Adding or removing a
file changes only its own group, so only that group and its ancestors are summarised again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from types import MappingProxyType

from ragcli.graph.summary import summarise
from ragcli.types import Chunk, Node
from ragcli.types.document_ids import folder_of

GROUP = 5
# Groups of a folder's children have 8 members on average, and between 2 and 32.
_BORDER = 8
_MAX_GROUP = 32


@dataclass(frozen=True, slots=True)
class Leaf:
    """The root of a document's or folder's tree, as input for the folder above."""

    node: str
    doc: str
    text: str


def document_tree(
    doc: str,
    title: str,
    chunks: Sequence[Chunk],
) -> list[Node]:
    """Return all summary nodes of one document, bottom up; the last is its root."""
    ids = [c.id for c in chunks]
    # Chunks overlap; each contributes its owned part.
    texts = [c.text[c.owned - c.start :] for c in chunks]
    nodes: list[Node] = []
    level = 0
    while not nodes or len(ids) > 1:
        level += 1
        step = GROUP if len(ids) > GROUP else len(ids)
        made = []
        for at in range(0, len(ids), step):
            text = summarise(texts[at : at + step])
            name = f"{doc}^{level}.{at // step}"
            made.append(Node(name, level, "document", doc, title, text, tuple(ids[at : at + step])))
        nodes += made
        ids, texts = [n.id for n in made], [n.text for n in made]
    return nodes


def folder_nodes(
    leaves: Iterable[Leaf],
    known: Mapping[str, Node],
    tops: Mapping[str, Leaf] = MappingProxyType({}),
) -> list[Node]:
    """Return all nodes above the documents, deepest folders first; the last is the store's root.

    A node's id contains a hash of its children, so a node found in ``known`` is reused without
    making its text again. ``tops`` are folders that have not changed: they are passed to their
    parents as they are.
    """
    children: dict[str, list[Leaf]] = defaultdict(list)
    for leaf in leaves:
        children[folder_of(leaf.doc)].append(leaf)
    for folder, leaf in tops.items():
        children[folder.rpartition("/")[0]].append(leaf)
    for folder in list(children):
        while folder:
            folder = folder.rpartition("/")[0]
            children.setdefault(folder, [])
    nodes: list[Node] = []
    for folder in sorted(children, key=lambda f: (-_depth(f), f)):
        made = _folder(folder, children[folder], known)
        nodes += made
        if folder and made:
            top = made[-1]
            children[folder.rpartition("/")[0]].append(Leaf(top.id, folder + "/", top.text))
    return nodes


def _depth(folder: str) -> int:
    return folder.count("/") + 1 if folder else 0


def _folder(
    folder: str,
    below: Sequence[Leaf],
    known: Mapping[str, Node],
) -> list[Node]:
    nodes: list[Node] = []
    row = sorted(below, key=lambda leaf: leaf.doc)
    level = 0
    while row and (not nodes or len(row) > 1):
        level += 1
        groups = _groups(row, level)
        made = [_node(folder, level, group, known) for group in groups]
        nodes += made
        row = [Leaf(n.id, g[0].doc, n.text) for n, g in zip(made, groups, strict=True)]
    return nodes


def _groups(row: Sequence[Leaf], level: int) -> list[list[Leaf]]:
    """Split a sorted row at children whose name and level mark a border; keep short rows whole."""
    if len(row) <= _BORDER:
        return [list(row)]
    groups: list[list[Leaf]] = [[]]
    for leaf in row:
        last = groups[-1]
        if len(last) >= _MAX_GROUP or (len(last) >= 2 and _is_border(leaf.doc, level)):
            groups.append([])
        groups[-1].append(leaf)
    return groups


def _is_border(name: str, level: int) -> bool:
    # The hash includes the level, because the first child of every group is a border one level
    # below.
    return blake2b(f"{level}:{name}".encode(), digest_size=4).digest()[0] % _BORDER == 0


def _node(
    folder: str,
    level: int,
    group: Sequence[Leaf],
    known: Mapping[str, Node],
) -> Node:
    below = tuple(leaf.node for leaf in group)
    stamp = blake2b(digest_size=12)
    for leaf in group:
        stamp.update(f"{len(leaf.node)}:{leaf.node}{len(leaf.text)}:{leaf.text}".encode())
    name = f"{folder}/^{level}.{stamp.hexdigest()}"
    if name in known:
        return replace(known[name], children=below)
    text = summarise([leaf.text for leaf in group])
    return Node(name, level, "folder", folder, folder, text, below)
