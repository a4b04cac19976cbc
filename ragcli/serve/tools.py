"""The tools for clients: search, fetch, ask, read documents, and inspect the graph; none writes.

Each call opens the store, so it reads the newest generation. The store is closed between calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any

from ragcli.api import TABLE_ROWS, Store, Stores, search_answer
from ragcli.asking.answer_json import answer_json, map_reply_json
from ragcli.asking.tables import table_result_json
from ragcli.config import MODES, Settings
from ragcli.errors import InputError
from ragcli.retrieve.question import find_entities
from ragcli.search.tables import LONGEST_QUERY
from ragcli.serve import brief, results
from ragcli.serve.call import Call
from ragcli.serve.jsonrpc import Json
from ragcli.serve.resources import LONGEST_READ, around, read, shares, span_id, uri_of
from ragcli.serve.served import Served
from ragcli.serve.tool import Tool
from ragcli.store import listings
from ragcli.store.snapshot import open_snapshot
from ragcli.types import Document, Scope

INSTRUCTIONS = (
    "A local index of the user's own documents; no call writes or uses a network. Use `search` for "
    "passages and `fetch` for the text around one (by its id), `ask` for a short answer with exact "
    "quotes, `query_tables` for counts and sums over rows of a table (`list_tables`), and "
    "`get_document` to read a document from one offset to another. Every document is also a "
    "resource."
)
# Longest question in characters; a longer text is a document, not a question.
LONGEST_QUESTION = 4_000
_LONGEST_ID = 8_192
# Maximum passages in one reply, so that one call cannot fill a model's context.
_MOST_HITS = 100

_MOST_ROWS = 1_000

_ID: Json = {"type": "string", "maxLength": _LONGEST_ID}
_QUESTION: Json = {"type": "string", "maxLength": LONGEST_QUESTION}
_MODE: Json = {"type": "string", "enum": list(MODES), "description": "The retrieval mode."}

_TEXTS: Json = {"type": "array", "items": _ID, "maxItems": 50}
# Which documents to search; the names are those of the options of ``ragcli ask``.
_SCOPE: dict[str, Json] = {
    "in": {**_TEXTS, "description": "Only documents in these folders or that match these globs."},
    "type": {**_TEXTS, "description": "Only documents with these suffixes, e.g. pdf."},
    "since": {**_ID, "description": "Only documents since a date (2026-01-31) or an age (7d)."},
    "where": {**_TEXTS, "description": "Only documents with these fields: FIELD=VALUE."},
}


def _number(low: int, high: int, default: int, text: str) -> Json:
    return {
        "type": "integer",
        "minimum": low,
        "maximum": high,
        "default": default,
        "description": text,
    }


class Tools:
    """The tools of one store, or of several at once."""

    def __init__(self, stores: Served, settings: Settings) -> None:
        self._stores = stores
        self._settings = settings

    def all(self) -> list[Tool]:
        """Every tool with its schemas."""
        return [*self._questions(), *self._documents(), *self._tables(), *self._graph()]

    def _questions(self) -> list[Tool]:
        usual = self._settings.top_k
        top_k = _number(1, max(_MOST_HITS, usual), usual, "Maximum number of passages.")
        how = {"mode": _MODE, "top_k": top_k, **_SCOPE}
        offset = _number(0, _MOST_HITS, 0, "Number of passages to skip, for the next page.")
        query = {"query": {**_QUESTION, "description": "What to look for: words or a question."}}
        question = {"question": {**_QUESTION, "description": "The question in natural language."}}
        return [
            Tool(
                "search",
                "Search passages",
                "Find passages of the documents for a query, best first; none if no word of it "
                "occurs and no passage is near. Each has an id for `fetch`, its exact offsets in "
                'the document and the reason it was found. In a query, "some words" must be '
                "side by side, -word must not occur, title:word must be in the title and "
                "path:pattern in the path.",
                {**query, **how, "offset": offset},
                ("query",),
                self.search,
                brief.search,
                results.SEARCH,
                {"question": "query"},
            ),
            Tool(
                "ask",
                "Ask a question",
                "Answer a question in a few sentences with exact quotes, or report that the "
                "documents contain no answer.",
                {**question, **how},
                ("question",),
                self.ask,
                brief.ask,
                results.ASK,
                {"query": "question"},
            ),
            Tool(
                "map",
                "Map the documents",
                "Show what the documents, or one folder, document or section of them, are about: "
                "the parts, a sentence from each, names and dates.",
                {"name": {**_ID, "description": "A path, a title or a heading; empty for all."}},
                (),
                self.map,
                brief.mapped,
                results.MAP,
            ),
        ]

    def _documents(self) -> list[Tool]:
        several = {
            "id": {**_ID, "description": "An id from `search`, or the id of a document."},
            "ids": {**_TEXTS, "description": "Several such ids."},
            "budget": _number(
                100, LONGEST_READ, LONGEST_READ, "Most characters of all texts together."
            ),
        }
        doc = {"doc": {**_ID, "description": "The document id, as in hits."}}
        part = {
            "start": _number(0, 2**53, 0, "Offset of the first character."),
            "end": _number(0, 2**53, LONGEST_READ, "Offset after the last character."),
        }
        prefix = {**_ID, "description": "Only ids with this prefix, e.g. a folder."}
        listing = {
            "prefix": prefix,
            "limit": _number(1, 1000, 100, "Maximum number of documents."),
            "offset": _number(0, 2**53, 0, "Number of documents to skip."),
        }
        most = f"at most {LONGEST_READ} characters"
        return [
            Tool(
                "fetch",
                "Fetch a document",
                f"Return the text of a document, or the text around a passage, {most}, as JSON. "
                "Give one id, or several that share the characters: `results` has a text for each.",
                several,
                (),
                self.fetch,
                brief.whole,
                aliases={"doc": "id"},
            ),
            Tool(
                "get_document",
                "Read a document",
                f"Read the text of a document from start to end, {most}.",
                {**doc, **part},
                ("doc",),
                self.get_document,
                brief.document,
                results.DOCUMENT,
                {"id": "doc"},
            ),
            Tool(
                "list_documents",
                "List documents",
                "List documents with status, size and summary, by id.",
                listing,
                (),
                self.list_documents,
                brief.documents,
                results.DOCUMENTS,
            ),
        ]

    def _tables(self) -> list[Tool]:
        page = {
            "limit": _number(1, 500, 50, "Maximum number of tables."),
            "offset": _number(0, 2**53, 0, "Number of tables to skip."),
        }
        query = {
            "type": "string",
            "maxLength": LONGEST_QUERY,
            "description": "One SELECT in SQLite's dialect, no recursion.",
        }
        rows = _number(1, _MOST_ROWS, TABLE_ROWS, "Maximum number of rows.")
        return [
            Tool(
                "list_tables",
                "List tables",
                "List the tables of the documents (CSV, sheets, and those in texts) with their "
                "ids, rows and heads, to ask `query_tables`.",
                {**page, **_SCOPE},
                (),
                self.list_tables,
                brief.tables,
                results.TABLES,
            ),
            Tool(
                "query_tables",
                "Query tables",
                "Count, sum, filter and join rows of tables with SQL. Name a table by its id in "
                'double quotes: SELECT * FROM "towns.csv#t1" LIMIT 3 also shows its columns: '
                "names in small letters with underscores, numbers without their unit, dates as "
                "2026-01-31. Each row has the rows of tables that it is from, and citations.",
                {"sql": query, "rows": rows, **_SCOPE},
                ("sql",),
                self.query_tables,
                brief.result,
                results.TABLE_RESULT,
                {"query": "sql"},
            ),
        ]

    def _graph(self) -> list[Tool]:
        name = {"name": {**_QUESTION, "description": "The name of an entity in any spelling."}}
        limit = {"limit": _number(1, 200, 20, "Maximum number of neighbours and of chunks.")}
        return [
            Tool(
                "neighbours",
                "Show an entity",
                "Show an entity of the graph: its spellings, the entities that share sentences "
                "with it, and the chunks that mention it.",
                {**name, **limit},
                ("name",),
                self.neighbours,
                brief.neighbours,
                results.NEIGHBOURS,
            ),
            Tool(
                "status",
                "Show the state of the store",
                "Show the state of the store: counts, models, generation, and the number of "
                "documents that could not be read.",
                {},
                (),
                self.status,
                brief.whole,
                results.STATUS,
            ),
        ]

    def search(
        self,
        call: Call,
        query: str,
        mode: str = "",
        top_k: int = 0,
        offset: int = 0,
        **scope: Any,
    ) -> Json:
        """The passages for a query, without an answer; ``scope`` has the members of _SCOPE.

        ``results`` has what connectors of assistants expect: id, title and url of each passage.
        ``next_offset`` is null after the last page.
        """
        last, wanted = offset + (top_k or self._settings.top_k), _documents(scope)
        with self._opened(call) as (store, notes):
            answer = search_answer(store, query, mode=mode or None, top_k=last, scope=wanted)
            folders = self._stores.notes_on(store, answer.hits[offset:])
        found = self._stores.translated(answer_json(answer))
        # Fewer than asked for if some say the same; then more may follow.
        following = len(found["hits"]) if offset < len(found["hits"]) < _MOST_HITS else None
        found["hits"] = found["hits"][offset:]
        ids = [(hit, span_id(hit["doc"], hit["start"], hit["end"])) for hit in found["hits"]]
        named = [
            {
                "id": id_,
                "title": hit["title"] or hit["doc"],
                "url": uri_of(hit["doc"], hit["start"], hit["end"]),
            }
            for hit, id_ in ids
        ]
        kept = ("question", "mode", "hits", "entities", "generation", "stores")
        page = {"results": named, **{name: found[name] for name in kept if name in found}}
        note = _joined(found["note"], *notes)
        return {**page, "note": note, "folders": folders, "next_offset": following}

    def ask(self, call: Call, question: str, mode: str = "", top_k: int = 0, **scope: Any) -> Json:
        """The answer with citations, without the hits that ``search`` returns."""
        wanted, on_text = _documents(scope), partial(_while_writing, call)
        with self._opened(call) as (store, notes):
            asked = store.ask(
                question, mode=mode or None, top_k=top_k or None, scope=wanted, on_text=on_text
            )
            folders = self._stores.notes_on(store, asked.reply.citations)
        found = self._stores.translated(answer_json(asked))
        del found["hits"]
        return {**found, "note": _joined(found["note"], *notes), "folders": folders}

    def map(self, call: Call, name: str = "") -> Json:
        """The map of the documents, or of what is called ``name``."""
        with self._opened(call) as (store, notes):
            found = map_reply_json(store.map(name))
        return {**self._stores.translated(found), "note": _joined(*notes)}

    @contextmanager
    def _opened(self, call: Call) -> Iterator[tuple[Store | Stores, list[str]]]:
        """The open stores, and what was done to bring them up to date.

        Tells the client the steps, and ends if the call was cancelled.
        """
        call.step(1, 3, "opening the store")
        notes = self._stores.freshen(self._settings)
        with self._stores.open(self._settings) as store:
            call.step(2, 3, "looking for passages")
            yield store, notes
        call.step(3, 3, "done")

    def fetch(
        self, _call: Call, id: str = "", ids: Sequence[str] = (), budget: int = LONGEST_READ
    ) -> Json:
        """A document, or the text around a passage, as connectors of assistants expect it.

        Several ``ids`` share the ``budget`` of characters; one that is unknown has its ``error``.
        """
        if ids:
            return {"results": self._several([id, *ids] if id else ids, budget)}
        if not id:
            raise InputError("the tool fetch needs the argument 'id' or 'ids'")
        return self._fetched(id, budget)

    def _several(self, ids: Sequence[str], budget: int) -> list[Json]:
        """A text for each id, of which each is given once."""
        each = [self._fetched_or_error(id_, budget) for id_ in dict.fromkeys(ids)]
        parts = shares([len(one.get("text", "")) for one in each], budget)
        return [
            one if "error" in one else self._fetched(one["id"], part)
            for one, part in zip(each, parts, strict=True)
        ]

    def _fetched_or_error(self, id_: str, most: int) -> Json:
        try:
            return self._fetched(id_, most)
        except InputError as error:
            return {"id": id_, "error": error.message}

    def _fetched(self, id: str, most: int) -> Json:
        with self._stores.snapshot(id) as (snapshot, own):
            found = self._shown(id, around(snapshot, own, most))
        place = {name: found[name] for name in ("doc", "start", "end", "length", "status")}
        title = found["title"] or found["doc"]
        return {"id": id, "title": title, "text": found["text"], "url": found["uri"]} | {
            "metadata": place
        }

    def get_document(self, _call: Call, doc: str, start: int = 0, end: int | None = None) -> Json:
        """A span of a document's text."""
        last = start + LONGEST_READ if end is None else end
        with self._stores.snapshot(doc) as (snapshot, own):
            return self._shown(doc, read(snapshot, own, start, last))

    def _shown(self, given: str, found: Json) -> Json:
        """A text with the id that clients know."""
        id_ = self._stores.shown(self._stores.split(given)[0], found["doc"])
        return {**found, "doc": id_, "uri": uri_of(id_)}

    def list_documents(
        self, _call: Call, prefix: str = "", limit: int = 100, offset: int = 0
    ) -> Json:
        """A page of the list of documents; ``next_offset`` is null after the last."""
        total = 0
        page: list[Json] = []
        for name, rest in self._stores.those_with(prefix):
            with open_snapshot(self._stores.folders[name]) as snapshot:
                skipped = max(offset - total, 0)
                total += listings.document_count(snapshot, rest)
                left = limit - len(page)
                found = listings.documents(snapshot, rest, limit=left, offset=skipped)
                page += [self._listed(name, document) for document in found]
        after = offset + len(page)
        return {
            "total": total,
            "documents": page,
            "next_offset": after if page and after < total else None,
        }

    def _listed(self, store: str, document: Document) -> Json:
        return {**asdict(document), "doc": self._stores.shown(store, document.doc)}

    def list_tables(self, call: Call, limit: int = 50, offset: int = 0, **scope: Any) -> Json:
        """A page of the list of tables; ``next_offset`` is null after the last."""
        with self._opened(call) as (store, notes):
            found = self._stores.tables(store, _documents(scope))
        page = found[offset : offset + limit]
        after = offset + len(page)
        more = after if page and after < len(found) else None
        note = _joined(*notes)
        return {"total": len(found), "tables": page, "note": note, "next_offset": more}

    def query_tables(self, call: Call, sql: str, rows: int = TABLE_ROWS, **scope: Any) -> Json:
        """The result of a SELECT over tables."""
        with self._opened(call) as (store, notes):
            found = store.query_tables(sql, rows=rows, scope=_documents(scope))
        shown = self._stores.translated({**table_result_json(found), "maps": []})
        del shown["maps"]
        return {**shown, "note": _joined(found.note, *notes)}

    def neighbours(self, _call: Call, name: str, limit: int = 20) -> Json:
        """Every entity that the name may refer to."""
        found: list[Json] = []
        for store, folder in self._stores.folders.items():
            with open_snapshot(folder) as snapshot:
                matches = find_entities(snapshot.entities, name)
                rows = dict.fromkeys(row for match in matches for row in match.rows)
                which = {"store": store} if self._stores.several else {}
                found += [{**asdict(listings.entity(snapshot, r, limit)), **which} for r in rows]
        if not found:
            raise InputError(f"no entity named {name[:100]!r}", "try another spelling, or search")
        return {"entities": found}

    def status(self, _call: Call) -> Json:
        """Counts of the store; of several stores their sums, and each store by itself."""
        each: dict[str, Json] = {}
        for name, folder in self._stores.folders.items():
            with Store.open(folder, self._settings) as store:
                each[name] = store.stats()
        first = next(iter(each.values()))
        if not self._stores.several:
            return first
        sums = {
            key: sum(one.get(key, 0) for one in each.values())
            for key, value in first.items()
            if isinstance(value, int) and key != "generation"
        }
        roots = [root for one in each.values() for root in one["roots"]]
        listed = [{"store": name, **one} for name, one in each.items()]
        return {**first, **sums, "roots": roots, "stores": listed}


def _documents(scope: Mapping[str, Any]) -> Scope:
    """The documents that the members of _SCOPE select."""
    return Scope.of(
        scope.get("in", ()), scope.get("type", ()), scope.get("since", ""), scope.get("where", ())
    )


def _joined(*notes: str) -> str:
    return " ".join(filter(None, notes))


def _while_writing(call: Call, _text: str) -> None:
    """Take a piece of a model's answer: stop if the call was cancelled."""
    call.still("writing the answer")
