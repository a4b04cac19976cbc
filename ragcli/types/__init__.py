"""Frozen records that all packages share.

In: values. Out: records with their checks, and offsets that count characters (Python ``str``
indices) of a document's *normalised text* (see ``corpus.read``). Line numbers are 1-based and refer
to the original file. Ids are derived from paths and content, never from a counter, so they are the
same on every machine. Nothing here opens a file, runs a model or reads a clock.
"""

from ragcli.types.answers import (
    Answer,
    Citation,
    Hit,
    Located,
    MapKind,
    MapPart,
    PassageHead,
    ReadPlace,
    Reply,
    ScanPlace,
    ShortAnswer,
    ShortItem,
    ShortKind,
    ShownPassage,
    Via,
    WholeMap,
    overlap,
)
from ragcli.types.context import Context, Fact, Part
from ragcli.types.documents import (
    Chunk,
    Document,
    ParsedDocument,
    Passage,
    ScannedLine,
    Skipped,
    Source,
)
from ragcli.types.extraction import (
    Contribution,
    EntityDescription,
    Extraction,
    Findings,
    Mention,
    Relation,
)
from ragcli.types.graph import Entity, EntityKind, Node, NodeKind
from ragcli.types.runs import Event, IndexResult, Report, silent
from ragcli.types.scope import Scope

__all__ = [
    "Answer",
    "Chunk",
    "Citation",
    "Context",
    "Contribution",
    "Document",
    "Entity",
    "EntityDescription",
    "EntityKind",
    "Event",
    "Extraction",
    "Fact",
    "Findings",
    "Hit",
    "IndexResult",
    "Located",
    "MapKind",
    "MapPart",
    "Mention",
    "Node",
    "NodeKind",
    "ParsedDocument",
    "Part",
    "Passage",
    "PassageHead",
    "ReadPlace",
    "Relation",
    "Reply",
    "Report",
    "ScanPlace",
    "ScannedLine",
    "Scope",
    "ShortAnswer",
    "ShortItem",
    "ShortKind",
    "ShownPassage",
    "Skipped",
    "Source",
    "Via",
    "WholeMap",
    "overlap",
    "silent",
]
