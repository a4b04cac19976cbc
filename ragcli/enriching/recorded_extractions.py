"""Assigns recorded extractions to chunks, by hash of the text, else by document and offsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from ragcli.corpus.normalised_text import normalise
from ragcli.errors import InputError
from ragcli.extract.recorded import Record, merge, parse, share_out, text_sha256
from ragcli.store.documents import OwnedText
from ragcli.store.writer import StoreWriter
from ragcli.types import Findings


@dataclass(frozen=True, slots=True)
class RecordedFindings:
    """Findings by chunk row, and (line, reason) of those without a chunk."""

    findings: dict[int, Findings]
    unmatched: list[tuple[int, str]]


class Matcher:
    """Finds the chunks of a recorded line, in the newest versions of all documents."""

    def __init__(self, store: StoreWriter) -> None:
        self._docs: dict[str, int] = {}
        self._by_hash: dict[str, list[tuple[int, int | None]]] = {}
        # Lines are mostly grouped by document, so each document is read once.
        self._parts = lru_cache(maxsize=1)(store.documents.owned_texts)
        self._text = lru_cache(maxsize=1)(self._read_text)
        for document in store.documents.newest().values():
            self._docs[document.doc] = document.row
            parts = self._parts(document.row)
            names: dict[tuple[str, int | None], None] = {}
            for p in parts:
                names |= dict.fromkeys([(text_sha256(t), p.chunk) for t in (p.text, p.whole)])
            if len(parts) > 1:
                names[text_sha256("".join(p.text for p in parts)), None] = None
            for name, chunk in names:
                self._by_hash.setdefault(name, []).append((document.row, chunk))

    def find(self, record: Record) -> tuple[list[list[OwnedText]], bool]:
        """The chunks that hold the line's text, and whether the line is bound to that place.

        Raises LookupError with the reason when there is none.
        """
        if record.sha256 and (places := self._by_hash.get(record.sha256)):
            return [[p for p in self._parts(d) if c in (None, p.chunk)] for d, c in places], False
        docrow = self._docs.get(record.doc)
        if docrow is None:
            raise LookupError(
                f"no document {record.doc!r}" if record.doc else "no such text in the store"
            )
        parts = self._parts(docrow)
        start, end = _stretch(record, self._text(docrow))
        return [[p for p in parts if p.owned < end and start < p.end]], True

    def _read_text(self, docrow: int) -> str:
        return "".join(p.text for p in self._parts(docrow))


def _stretch(record: Record, document: str) -> tuple[int, int]:
    """The offsets that a line covers. Raises LookupError when its text is not there."""
    if record.text:
        text = normalise(record.text)[0].strip()
        start = document.find(text)
        if start < 0:
            raise LookupError(f"its text is not in {record.doc!r}")
        return start, start + len(text)
    start = record.start or 0
    end = len(document) if record.end is None else record.end
    if record.sha256 and text_sha256(document[start:end]) != record.sha256:
        raise LookupError(f"the text of {record.doc!r} has changed")
    if not start < end <= len(document):
        raise LookupError(f"{record.doc!r} has no text at {start}:{end}")
    return start, end


def match(store: StoreWriter, file: Path) -> RecordedFindings:
    """Give the lines of a file to their chunks.

    Raises InputError when the file cannot be read or a line is not of the format.
    """
    matcher = Matcher(store)
    found: dict[int, Findings] = {}
    unmatched: list[tuple[int, str]] = []
    for record in _records(file):
        try:
            places, placed = matcher.find(record)
        except LookupError as error:
            unmatched.append((record.number, str(error.args[0])))
            continue
        findings = replace(record.findings, placed=placed)
        for parts in places:
            shares = share_out(findings, [p.text for p in parts])
            for part, share in zip(parts, shares, strict=True):
                known = found.get(part.chunk)
                found[part.chunk] = merge(known, share) if known else share
    return RecordedFindings(found, unmatched)


def check_file(file: Path) -> None:
    """Raise InputError when the file cannot be read or a line is not of the format."""
    for _ in _records(file):
        pass


def _records(file: Path) -> Iterator[Record]:
    try:
        with file.open("rb") as lines:
            yield from parse(lines)
    except OSError as error:
        raise InputError(
            f"cannot read {file}: {error.strerror}",
            "name a file of JSON Lines that you may read; the format: docs/extractions.md",
        ) from error
