"""Assigns findings to chunks; they enter the graph at the commit point.

Chunks of pending documents are not visible yet and get their findings at once. A chunk of an
unchanged document is part of the sums already: its new findings wait for the commit, which
subtracts the document's contribution with the old findings first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b

from ragcli.extract.codec import pack_findings, unpack_findings
from ragcli.extract.recorded import text_sha256
from ragcli.store.findings import ChunkFindings
from ragcli.store.former_findings import FormerFindings
from ragcli.store.writer import StoreWriter
from ragcli.types import Findings


def carry_over(store: StoreWriter) -> None:
    """Give pending chunks what was found in the same text under the same heading before.

    A document's own earlier version, which is deleted only at the commit point, takes precedence.
    Findings that are bound to a place (``Findings.placed``) stay in their document. The work grows
    with the number of pending chunks and of chunks with equal text, not with their product.
    """
    if not store.findings.are_there():
        return
    own: dict[tuple[bytes, str, str], bytes] = {}
    anywhere: dict[tuple[bytes, str], bytes] = {}
    placed = cache(lambda key: unpack_findings(store.extractions.get(key)).placed)
    for f in store.findings.for_texts_of_pending():
        own[f.extraction, f.heading, f.doc] = f.key
        if not placed(f.key):
            text = f.extraction, f.heading
            anywhere[text] = min(f.key, anywhere.get(text, f.key))
    found = []
    for c in store.findings.unread_pending():
        text = c.extraction, c.heading
        if key := own.get((*text, c.doc)) or anywhere.get(text):
            found.append(ChunkFindings(c.row, key))
    store.findings.give(found)


def keep_recorded(store: StoreWriter, found: Mapping[int, Findings]) -> list[ChunkFindings]:
    """Keep recorded findings by chunk row, each under a hash of its content."""
    packed = {row: pack_findings(findings) for row, findings in found.items()}
    keys = {row: _recorded_key(data) for row, data in packed.items()}
    store.extractions.keep({keys[row]: data for row, data in packed.items()})
    return [ChunkFindings(row, key) for row, key in keys.items()]


def are_recorded(key: bytes, data: bytes) -> bool:
    """Whether packed findings under a key come from a recorded file, and not from a model here."""
    return key == _recorded_key(data)


def _recorded_key(data: bytes) -> bytes:
    return blake2b(b"recorded\0" + data, digest_size=16).digest()


def take_back(
    store: StoreWriter, former: Sequence[FormerFindings]
) -> tuple[dict[int, Findings], int]:
    """Recorded findings of the store that is rebuilt: by chunk row, and how many have none.

    They belong to their text, in the same document if it has that text. Those that are bound to a
    place go nowhere else. The model's own are not needed here: its replies are kept.
    """
    if not former:
        return {}, 0
    here: dict[tuple[str, str], list[int]] = {}
    anywhere: dict[str, list[int]] = {}
    for document in store.documents.newest().values():
        for part in store.documents.owned_texts(document.row):
            text = text_sha256(part.whole)
            here.setdefault((document.doc, text), []).append(part.chunk)
            anywhere.setdefault(text, []).append(part.chunk)
    found: dict[int, Findings] = {}
    lost = 0
    for one in former:
        findings, text = unpack_findings(one.data), text_sha256(one.text)
        rows = here.get((one.doc, text), [])
        if not rows and not findings.placed:
            rows = anywhere.get(text, [])
        lost += not rows
        found.update(dict.fromkeys(rows, findings))
    return found, lost


def attach(store: StoreWriter, found: Sequence[ChunkFindings]) -> list[ChunkFindings]:
    """Set the findings of pending chunks; returns those left for the commit point, if new."""
    at_once = store.findings.of_pending(found)
    store.findings.give(at_once)
    now = {f.chunk for f in at_once}
    return store.findings.that_differ([f for f in found if f.chunk not in now])
