"""Records of the graph: entities, and the nodes of the summary tree and of the hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EntityKind = Literal["name", "noun"]
NodeKind = Literal["document", "folder", "aggregate"]


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing that the documents mention, with all its spellings.

    ``key`` is the normalised name. ``mentions`` and ``documents`` count its mentions and the
    documents that mention it.
    """

    id: str
    key: str
    name: str
    label: str
    kind: EntityKind
    mentions: int
    documents: int
    aliases: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the summary tree or of the hierarchy. ``children`` are node or chunk ids.

    ``doc`` is the document or folder that the node summarises. ``by`` names the author of
    ``text``: "extractive" or a language model.
    """

    id: str
    level: int
    kind: NodeKind
    doc: str
    title: str
    text: str
    children: tuple[str, ...]
    by: str = "extractive"
