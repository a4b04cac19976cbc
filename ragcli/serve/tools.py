"""The tools for clients: search, ask, read documents, and inspect the graph; none writes.

Each call opens the store, so it reads the newest generation. The store is closed between calls.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from ragcli.api import Store
from ragcli.asking.answer_json import answer_json
from ragcli.config import MODES, Settings
from ragcli.errors import InputError
from ragcli.retrieve.question import find_entities
from ragcli.serve.protocol import Json, Tool
from ragcli.store import listings
from ragcli.store.snapshot import open_snapshot

INSTRUCTIONS = (
    "A local index of the user's own documents. Use `search` for passages, `ask` for a short "
    "answer with quotes, and `get_document` to read the text around a hit (its doc, start and end)."
)
# Maximum characters of a document in one reply, so that one call cannot fill a model's context.
LONGEST_READ = 20_000

_TEXT: Json = {"type": "string"}
_MODE: Json = {"type": "string", "enum": list(MODES), "description": "The retrieval mode."}


def _number(low: int, high: int, default: int, text: str) -> Json:
    return {
        "type": "integer",
        "minimum": low,
        "maximum": high,
        "default": default,
        "description": text,
    }


# Maximum passages in one reply, so that one call cannot fill a model's context.
_MOST_HITS = 100


class Tools:
    """The tools of one store."""

    def __init__(self, store: Path, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def all(self) -> list[Tool]:
        """Every tool with its schema."""
        question = {"question": {**_TEXT, "description": "The question in natural language."}}
        usual = self._settings.top_k
        top_k = _number(1, max(_MOST_HITS, usual), usual, "Maximum number of passages.")
        how = {"mode": _MODE, "top_k": top_k}
        doc = {"doc": {**_TEXT, "description": "The document id, as in hits."}}
        part = {
            "start": _number(0, 2**53, 0, "Offset of the first character."),
            "end": _number(0, 2**53, LONGEST_READ, "Offset after the last character."),
        }
        listing = {
            "prefix": {**_TEXT, "description": "Only ids with this prefix, e.g. a folder."},
            "limit": _number(1, 1000, 100, "Maximum number of documents."),
            "offset": _number(0, 2**53, 0, "Number of documents to skip."),
        }
        name = {"name": {**_TEXT, "description": "The name of an entity in any spelling."}}
        limit = {"limit": _number(1, 200, 20, "Maximum number of neighbours and of chunks.")}
        return [
            Tool("search", "Find passages for a question, best first. Each hit has its exact "
                 "offsets in the document and the reason it was found.", {**question, **how},
                 ("question",), self.search),
            Tool("ask", "Answer a question in a few sentences with exact quotes, or report that "
                 "the documents contain no answer.", {**question, **how}, ("question",), self.ask),
            Tool("get_document", f"Read the text of a document from start to end, at most "
                 f"{LONGEST_READ} characters.", {**doc, **part}, ("doc",), self.get_document),
            Tool("list_documents", "List documents with status, size and summary, by id.", listing,
                 (), self.list_documents),
            Tool("neighbours", "Show an entity of the graph: its spellings, the entities that "
                 "share sentences with it, and the chunks that mention it.", {**name, **limit},
                 ("name",), self.neighbours),
            Tool("status", "Show the state of the store: counts, models, generation, and the "
                 "number of documents that could not be read.", {}, (), self.status),
        ]  # fmt: skip

    def search(self, question: str, mode: str = "", top_k: int = 0) -> Json:
        """The hits for a question, without an answer."""
        found = self._asked(question, mode, top_k, answer="none")
        return {k: found[k] for k in ("question", "mode", "hits", "entities", "generation")}

    def ask(self, question: str, mode: str = "", top_k: int = 0) -> Json:
        """The answer with citations, without the hits that ``search`` returns."""
        found = self._asked(question, mode, top_k)
        del found["hits"]
        return found

    def _asked(self, question: str, mode: str, top_k: int, answer: str | None = None) -> Json:
        with Store.open(self._store, self._settings) as store:
            asked = store.ask(question, mode=mode or None, top_k=top_k or None, answer=answer)
        return answer_json(asked)

    def get_document(self, doc: str, start: int = 0, end: int = LONGEST_READ) -> Json:
        """A span of a document's text."""
        with open_snapshot(self._store) as snapshot:
            known = snapshot.documents.extent(doc)
            if known is None:
                raise InputError(f"no document {doc!r}", "see list_documents")
            title, length = known
            end = min(end, length, start + LONGEST_READ)
            text = snapshot.documents.text(doc, start, end) if start < end else ""
        place = {"doc": doc, "title": title, "start": start, "end": start + len(text)}
        return {**place, "length": length, "text": text}

    def list_documents(self, prefix: str = "", limit: int = 100, offset: int = 0) -> Json:
        """A page of the list of documents."""
        with Store.open(self._store, self._settings) as store:
            found = [d for d in store.documents() if d.doc.startswith(prefix)]
        page = [asdict(document) for document in found[offset : offset + limit]]
        return {"total": len(found), "documents": page}

    def neighbours(self, name: str, limit: int = 20) -> Json:
        """Every entity that the name may refer to."""
        with open_snapshot(self._store) as snapshot:
            rows = [row for match in find_entities(snapshot.entities, name) for row in match.rows]
            found = [listings.entity(snapshot, row, limit) for row in dict.fromkeys(rows)]
        if not found:
            raise InputError(f"no entity named {name!r}", "try another spelling, or search")
        return {"entities": [asdict(entity) for entity in found]}

    def status(self) -> Json:
        """Counts of the store."""
        with Store.open(self._store, self._settings) as store:
            return store.stats()
