"""What a client may do with a store: search, ask, read, and look at the graph; never write.

Every call opens the store anew, so that it sees the newest generation, and nothing is held open
between two calls that a writer would have to wait for.
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
    "answer with quotes, `get_document` to read on around a hit (its doc, start and end)."
)
# Characters of a document in one reply: a model's context should survive a careless call.
LONGEST_READ = 20_000

_TEXT: Json = {"type": "string"}
_MODE: Json = {"type": "string", "enum": list(MODES), "description": "How to retrieve."}


def _number(low: int, high: int, default: int, text: str) -> Json:
    return {
        "type": "integer",
        "minimum": low,
        "maximum": high,
        "default": default,
        "description": text,
    }


# Passages of one reply: a model's context should survive a careless call.
_MOST_HITS = 100


class Tools:
    """The tools over one store."""

    def __init__(self, store: Path, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def all(self) -> list[Tool]:
        """Every tool with its schema."""
        question = {"question": {**_TEXT, "description": "In plain words."}}
        usual = self._settings.top_k
        top_k = _number(1, max(_MOST_HITS, usual), usual, "Passages at most.")
        how = {"mode": _MODE, "top_k": top_k}
        doc = {"doc": {**_TEXT, "description": "The document's id, as hits give it."}}
        part = {
            "start": _number(0, 2**53, 0, "First character."),
            "end": _number(0, 2**53, LONGEST_READ, "Character behind the last."),
        }
        listing = {
            "prefix": {**_TEXT, "description": "Only ids that begin so, e.g. a folder."},
            "limit": _number(1, 1000, 100, "Documents at most."),
            "offset": _number(0, 2**53, 0, "Documents to pass over."),
        }
        name = {"name": {**_TEXT, "description": "A person, place, thing; any spelling."}}
        limit = {"limit": _number(1, 200, 20, "Neighbours and chunks at most.")}
        return [
            Tool("search", "Passages for a question, best first, with exact places in the "
                 "documents and why each is there.", {**question, **how}, ("question",),
                 self.search),
            Tool("ask", "A short answer with quotes true to the character, or word that the "
                 "documents contain no answer.", {**question, **how}, ("question",), self.ask),
            Tool("get_document", f"Text of a document from start to end, {LONGEST_READ} "
                 "characters at most.", {**doc, **part}, ("doc",), self.get_document),
            Tool("list_documents", "Documents with status, size and summary, by id.", listing, (),
                 self.list_documents),
            Tool("neighbours", "An entity of the graph: its spellings, what it stands beside in "
                 "sentences, and the chunks that name it.", {**name, **limit}, ("name",),
                 self.neighbours),
            Tool("status", "What the store holds: counts, models, generation, and how many "
                 "documents could not be read.", {}, (), self.status),
        ]  # fmt: skip

    def search(self, question: str, mode: str = "", top_k: int = 0) -> Json:
        """Hits without an answer."""
        found = self._asked(question, mode, top_k, answer="none")
        return {k: found[k] for k in ("question", "mode", "hits", "entities", "generation")}

    def ask(self, question: str, mode: str = "", top_k: int = 0) -> Json:
        """The answer with citations; hits are left to ``search``."""
        found = self._asked(question, mode, top_k)
        del found["hits"]
        return found

    def _asked(self, question: str, mode: str, top_k: int, answer: str | None = None) -> Json:
        with Store.open(self._store, self._settings) as store:
            asked = store.ask(question, mode=mode or None, top_k=top_k or None, answer=answer)
        return answer_json(asked)

    def get_document(self, doc: str, start: int = 0, end: int = LONGEST_READ) -> Json:
        """A stretch of a document's text."""
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
        """Every entity that the name may mean."""
        with open_snapshot(self._store) as snapshot:
            rows = [row for match in find_entities(snapshot.entities, name) for row in match.rows]
            found = [listings.entity(snapshot, row, limit) for row in dict.fromkeys(rows)]
        if not found:
            raise InputError(f"no entity is called {name!r}", "try another spelling, or search")
        return {"entities": [asdict(entity) for entity in found]}

    def status(self) -> Json:
        """Counts of the store."""
        with Store.open(self._store, self._settings) as store:
            return store.stats()
