"""Documents as resources: ``ragcli://document/ID``, with the id of the document percent-encoded."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, quote, unquote

from ragcli.errors import InputError
from ragcli.serve.jsonrpc import INVALID_PARAMS, Json, RpcError
from ragcli.serve.protocol import NoResource
from ragcli.serve.served import Served
from ragcli.store import listings
from ragcli.store.snapshot import Snapshot, open_snapshot
from ragcli.types import Document

_PREFIX = "ragcli://document/"
WHOLE = _PREFIX + "{doc}"
PART = _PREFIX + "{doc}{?start,end}"
# Documents in one page of the list.
_PAGE = 100
# Completions in one reply; the protocol's limit.
_MOST_COMPLETIONS = 100
# Maximum characters of a document in one reply, so that one call cannot fill a model's context.
LONGEST_READ = 20_000
_SPAN = re.compile(r"@(\d{1,15})-(\d{1,15})\Z")


def uri_of(doc: str, start: int | None = None, end: int | None = None) -> str:
    """The URI of a document, or of ``text[start:end]`` of it.

    >>> uri_of("notes/a b.md"), uri_of("f.jsonl#7", 0, 20)
    ('ragcli://document/notes/a%20b.md', 'ragcli://document/f.jsonl%237?start=0&end=20')
    """
    part = "" if start is None else f"?start={start}&end={end}"
    return f"{_PREFIX}{quote(doc, safe='/')}{part}"


def place_of(uri: str) -> tuple[str, int | None, int | None]:
    """Document, start and end of a URI. Raises NoResource."""
    path, _, query = uri.partition("?")
    if not path.startswith(_PREFIX):
        raise NoResource("no such resource", f"the URIs of documents begin with {_PREFIX}")
    found = {name: values[-1] for name, values in parse_qs(query).items()}
    try:
        # More digits than any text has characters would make int() slow.
        start, end = (int(found[n][:16]) if n in found else None for n in ("start", "end"))
    except ValueError:
        raise NoResource("no such part of a document", "start and end are offsets") from None
    return unquote(path.removeprefix(_PREFIX)), start, end


def span_id(doc: str, start: int, end: int) -> str:
    """The id of a passage for ``fetch``."""
    return f"{doc}@{start}-{end}"


def read(snapshot: Snapshot, doc: str, start: int = 0, end: int = LONGEST_READ) -> Json:
    """At most LONGEST_READ characters of a document, with its state.

    Raises InputError if the store has no text of it, and says why if the document failed.
    """
    listed = listings.document_or_none(snapshot, doc)
    if listed is None:
        raise InputError(f"no document {doc[:300]!r}", "list_documents shows their ids")
    known = snapshot.documents.extent(doc)
    if known is None:
        raise InputError(
            f"the document {doc!r} could not be read: {listed.error}",
            "the store has no text of it; list_documents shows it as failed",
        )
    title, length = known
    end = min(end, length, start + LONGEST_READ)
    text = snapshot.documents.text(doc, start, end) if start < end else ""
    place = {"doc": doc, "title": title, "start": start, "end": start + len(text)}
    state = {"status": listed.status, "error": listed.error}
    return {**place, "length": length, **state, "uri": uri_of(doc), "text": text}


def around(snapshot: Snapshot, given: str, most: int = LONGEST_READ) -> Json:
    """What ``read`` returns for an id of a document or of a passage; the text around a passage.

    The text has at most ``most`` characters.
    """
    span = _SPAN.search(given)
    if span is None or listings.document_or_none(snapshot, given) is not None:
        return read(snapshot, given, 0, most)
    doc, start, end = given[: span.start()], int(span[1]), int(span[2])
    middle = (min(start, end) + end) // 2
    found = read(snapshot, doc, 0, 0)
    first = max(0, min(middle - most // 2, found["length"] - most))
    return read(snapshot, doc, first, first + most)


def shares(wanted: Sequence[int], budget: int) -> list[int]:
    """Divide a budget equally; what one does not need is left to those that want more.

    >>> shares([100, 900, 900], 1000)
    [100, 450, 450]
    """
    given = [0] * len(wanted)
    waiting = sorted(range(len(wanted)), key=wanted.__getitem__)
    while waiting:
        given[waiting[0]] = min(wanted[waiting[0]], budget // len(waiting))
        budget -= given[waiting.pop(0)]
    return given


class Resources:
    """The documents of the stores. Each call opens a store, so it reads the newest generation."""

    def __init__(self, stores: Served) -> None:
        self._stores = stores

    def templates(self) -> list[Json]:
        """The forms of URIs."""
        plain = {"mimeType": "text/plain"}
        whole = f"The text of a document, at most {LONGEST_READ} characters of it."
        part = "The text of a document from one offset to another, as in hits and citations."
        return [
            {"uriTemplate": WHOLE, "name": "document", "title": "Document", "description": whole}
            | plain,
            {"uriTemplate": PART, "name": "part", "title": "Part", "description": part} | plain,
        ]

    def page(self, cursor: str) -> tuple[list[Json], str]:
        """A page of the list, and the cursor of the next one ("" after the last).

        A cursor is the last id of a page, so changes of the store between two pages move nothing.
        """
        first, after = self._stores.split(_decoded(cursor))
        names = list(self._stores.folders)
        found: list[tuple[str, Document]] = []
        for name in names[names.index(first) :]:
            with open_snapshot(self._stores.folders[name]) as snapshot:
                left = _PAGE + 1 - len(found)
                page = listings.documents(snapshot, after=after, limit=left)
                found += [(self._stores.shown(name, document.doc), document) for document in page]
            after = ""
            if len(found) > _PAGE:
                break
        listed = [
            {
                "uri": uri_of(id_),
                "name": id_,
                "mimeType": "text/plain",
                "description": (d.summary or d.error)[:300],
                "annotations": {"lastModified": d.updated_at},
            }
            for id_, d in found[:_PAGE]
        ]
        return listed, _encoded(found[_PAGE - 1][0]) if len(found) > _PAGE else ""

    def read(self, uri: str) -> list[Json]:
        """The text of a resource, in one piece. Raises NoResource."""
        doc, start, end = place_of(uri)
        with self._stores.snapshot(doc) as (snapshot, own):
            first = 0 if start is None else start
            last = first + LONGEST_READ if end is None else end
            try:
                found = read(snapshot, own, first, last)
            except InputError as error:
                raise NoResource(error.message, error.hint) from None
        place = {name: found[name] for name in ("start", "end", "length")}
        return [{"uri": uri, "mimeType": "text/plain", "text": found["text"], "_meta": place}]

    def completions(self, uri_template: str, argument: str, begun: str) -> Json:
        """Ids of documents that begin with a text."""
        if uri_template not in (WHOLE, PART):
            raise RpcError(INVALID_PARAMS, "unknown resource template")
        if argument != "doc":
            return {"values": [], "total": 0, "hasMore": False}
        found: list[str] = []
        for name, rest in self._stores.those_with(begun):
            with open_snapshot(self._stores.folders[name]) as snapshot:
                listed = listings.documents(snapshot, prefix=rest, limit=_MOST_COMPLETIONS + 1)
                found += [self._stores.shown(name, document.doc) for document in listed]
        return {"values": found[:_MOST_COMPLETIONS], "hasMore": len(found) > _MOST_COMPLETIONS}


def _encoded(doc: str) -> str:
    return base64.urlsafe_b64encode(doc.encode()).decode()


def _decoded(cursor: Any) -> str:
    try:
        return base64.b64decode(cursor.encode(), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise RpcError(INVALID_PARAMS, "unknown cursor") from None
