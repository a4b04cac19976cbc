"""Results as text, for clients and models that do not read structured results.

A long list of passages must not come twice in full, so its text is shorter than its structure.
"""

from __future__ import annotations

import orjson

from ragcli.asking.answer_json import maps_of, reply_of
from ragcli.asking.layout import Piece, laid_out
from ragcli.serve.jsonrpc import Json
from ragcli.text.words import counted

# Characters of all passages together in the text of a search; what does not fit is cut.
_PASSAGES = 8_000
# Characters that a passage keeps even then.
_LEAST = 100


def search(found: Json) -> str:
    """JSON with ``results``: the form that connectors of assistants read."""
    left = _PASSAGES
    rows = []
    for named, hit in zip(found["results"], found["hits"], strict=True):
        text = _cut(hit["text"], max(left, _LEAST))
        left -= len(text)
        rows.append({**named, "text": text})
    return whole({"results": rows, **({"folders": about} if (about := found["folders"]) else {})})


def ask(found: Json) -> str:
    """The answer and its passages, as lines."""
    if found["abstained"]:
        return f"The documents contain no answer. {found['note']}".strip()
    rows = ["".join(map(_words, row.pieces)) for row in laid_out(reply_of(found))]
    folders = [f"{one['folder']}: {one['about']}" for one in found["folders"]]
    return "\n".join([*rows, found["note"], *folders]).strip()


def mapped(found: Json) -> str:
    """The rows of a map."""
    rows = ["".join(map(_words, row.pieces)) for row in laid_out(maps_of(found))]
    return "\n".join([*rows, found["note"]]).strip()


def _words(piece: Piece) -> str:
    """A piece; the answering words are between marks."""
    if piece.found is not None:
        page = f" page {piece.found.page}" if piece.found.page else ""
        return f"{piece.found.path}:{piece.found.line_start}{page}"
    return f"**{piece.text}**" if piece.look == "answer" else piece.text


def document(found: Json) -> str:
    """The text itself; the structure says which part of the document it is."""
    return str(found["text"])


def documents(found: Json) -> str:
    """One line for each document."""
    rows = [f"{d['doc']} ({_state(d)})" for d in found["documents"]]
    more = found["next_offset"]
    rest = [] if more is None else [f"more documents from offset {more}"]
    return "\n".join([counted(found["total"], "document"), *rows, *rest])


def tables(found: Json) -> str:
    """One line for each table."""
    rows = [
        f"{t['id']} ({counted(t['rows'], 'row')}): {', '.join(t['heads'])}" for t in found["tables"]
    ]
    more = found["next_offset"]
    rest = [] if more is None else [f"more tables from offset {more}"]
    return "\n".join([counted(found["total"], "table"), *rows, *rest])


def result(found: Json) -> str:
    """The rows of a result with the places that they are from, as JSON lines."""
    places = {one["n"]: f"{one['path']}:{one['line_start']}" for one in found["citations"]}
    lines = [
        whole({"row": row["values"], "from": [places[n] for n in row["cited"]]})
        for row in found["rows"]
    ]
    units = [
        f"{column['name']} in {column['unit']}"
        for table in found["tables"]
        for column in table["columns"]
        if column["unit"]
    ]
    more = "there are more rows" if found["more"] else ""
    notes = filter(None, ("; ".join(units), found["note"], more))
    return "\n".join([whole(found["columns"]), *lines, *notes])


def neighbours(found: Json) -> str:
    """The names around each entity."""
    lines = []
    for entity in found["entities"]:
        lines.append(
            f"{entity['name']} ({entity['label']}): {counted(entity['mentions'], 'mention')}"
        )
        if entity["profile"]:
            lines.append(f"  {entity['profile']}")
        related = ", ".join(f"{r['name']} ({r['sentences']})" for r in entity["related"])
        lines.append(f"  shares sentences with: {related or 'none'}")
    return "\n".join(lines)


def whole(found: Json) -> str:
    """The result as JSON."""
    return orjson.dumps(found, default=str).decode()


def _state(document: Json) -> str:
    if document["status"] == "failed":
        return f"failed: {document['error']}"
    return f"{document['size']} characters"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"
