"""The schemas of the tools' results."""

from __future__ import annotations

from dataclasses import fields

from ragcli.asking.answer_json import HIT_NAMES, SHORT_NAMES
from ragcli.serve.jsonrpc import Json
from ragcli.serve.schemas import COUNT, NUMBER, TEXT, TEXTS, record, rows, table
from ragcli.store.listings import EntityDetails
from ragcli.types import Citation, Document, Hit, ShortAnswer, ShownPassage, WholeMap
from ragcli.types.tables import StoredTable, TableResult


def _without(kind: type, *names: str) -> tuple[str, ...]:
    """The names of the other fields; "store" is there only if several stores are served."""
    return tuple(field.name for field in fields(kind) if field.name not in names)


_COUNT_OR_NULL: Json = {"anyOf": [COUNT, {"type": "null"}]}
_HIT = record(Hit, HIT_NAMES, place=TEXT, via=TEXTS, why=TEXTS, text=TEXT)
_SHORT = {"anyOf": [record(ShortAnswer, SHORT_NAMES) | {"title": "ShortAnswer"}, {"type": "null"}]}
_CITATION = record(Citation, _without(Citation, "store"), place=TEXT) | {"title": "Citation"}
_SHOWN = _without(ShownPassage, "store", "code")
_PASSAGE = record(ShownPassage, _SHOWN, place=TEXT) | {"title": "Passage"}
_MAP = record(
    WholeMap,
    _without(WholeMap, "types", "dates", "figures"),
    types=rows(table({"suffix": TEXT, "documents": COUNT})),
    dates=rows(_CITATION),
    figures=rows(_CITATION),
) | {"title": "Map"}
_FLAG: Json = {"type": "boolean"}

# What the user says about folders (``ragcli describe``).
FOLDERS = rows(table({"folder": TEXT, "about": TEXT}))

SEARCH = table(
    {
        "results": rows(table({"id": TEXT, "title": TEXT, "url": TEXT})),
        "question": TEXT,
        "mode": TEXT,
        "hits": rows(_HIT),
        "entities": TEXTS,
        "note": TEXT,
        "folders": FOLDERS,
        "generation": COUNT,
        "next_offset": _COUNT_OR_NULL,
    }
)
ASK = table(
    {
        "question": TEXT,
        "mode": TEXT,
        "answer": TEXT,
        "short": _SHORT,
        "abstained": _FLAG,
        "answer_by": TEXT,
        "note": TEXT,
        "folders": FOLDERS,
        "sentences": table({"written": COUNT, "kept": COUNT}),
        "citations": rows(_CITATION),
        "passages": rows(_PASSAGE),
        "also": rows(_CITATION),
        "maps": rows(_MAP),
        "entities": TEXTS,
        "facts": TEXTS,
        "context_tokens": COUNT,
        "timings_ms": {"type": "object", "additionalProperties": NUMBER},
        "generation": COUNT,
    }
)
MAP = table({"maps": rows(_MAP), "citations": rows(_CITATION), "note": TEXT})
DOCUMENT = table(
    {
        "doc": TEXT,
        "title": TEXT,
        "start": COUNT,
        "end": COUNT,
        "length": COUNT,
        "status": {"type": "string", "enum": ["ok", "failed"]},
        "error": TEXT,
        "uri": TEXT,
        "text": TEXT,
    }
)
DOCUMENTS = table(
    {
        "total": COUNT,
        "documents": rows(record(Document)),
        "next_offset": _COUNT_OR_NULL,
    }
)
TABLES = table(
    {
        "total": COUNT,
        "tables": rows(record(StoredTable, _without(StoredTable, "store"))),
        "note": TEXT,
        "next_offset": _COUNT_OR_NULL,
    }
)
TABLE_RESULT = record(
    TableResult,
    _without(TableResult, "citations"),
    citations=rows(_CITATION),
)
NEIGHBOURS = table({"entities": rows(record(EntityDetails))})
STATUS = table(
    {
        "documents": COUNT,
        "failed_documents": COUNT,
        "chunks": COUNT,
        "passages": COUNT,
        "entities": COUNT,
        "relations": COUNT,
        "generation": COUNT,
        "pending_documents": COUNT,
        "roots": TEXTS,
        "models": {"type": "object"},
    }
)
