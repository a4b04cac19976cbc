"""What stands above the documents: entities, and the nodes of trees and hierarchies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EntityKind = Literal["name", "noun"]
NodeKind = Literal["document", "folder", "aggregate"]


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing under its many spellings.

    ``key`` is the normalised name that all spellings share; ``mentions`` and ``documents`` count.
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

    ``doc`` is the document or folder it stands for; ``by`` tells what wrote ``text``.
    """

    id: str
    level: int
    kind: NodeKind
    doc: str
    title: str
    text: str
    children: tuple[str, ...]
    by: str = "extractive"
