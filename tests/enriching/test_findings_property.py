"""Documents and findings come, change and go: the store ends where a fresh one would."""

from __future__ import annotations

import sqlite3
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragcli.config import Settings
from ragcli.enriching.additions import Additions
from ragcli.extract.codec import pack, pack_findings
from ragcli.indexing.commit import CommitContext, commit
from ragcli.models.model_set import ModelSet
from ragcli.stage_timer import StageTimer
from ragcli.store.connection import create, open_store
from ragcli.store.digest import digest
from ragcli.store.documents import NewDocument
from ragcli.store.findings import ChunkFindings
from ragcli.store.snapshot import Snapshot
from ragcli.store.sweep import sweep_all
from ragcli.store.writer import StoreWriter
from ragcli.types import (
    Chunk,
    EntityDescription,
    Extraction,
    Findings,
    Mention,
    ParsedDocument,
    Passage,
    Relation,
    silent,
)

TEXTS = (
    "Mara Linde sails the Aurora. Linde lives in Port Vale.",
    "The AURORA calls at Port Vale. Dr. Linde is aboard.",
    "Port Vale Harbour Works (PVHW) built the mole. PVHW lies in Port Vale.",
)
FOUND: tuple[Findings | None, ...] = (
    None,
    Findings(
        (
            EntityDescription("Linde", "person", "She lives in Port Vale."),
            EntityDescription("Aurora", "work", ""),
        ),
        (Relation("Linde", "Port Vale", ("home", "harbour life"), "Linde lives there.", 7),),
    ),
    Findings(
        (
            EntityDescription("port vale", "location", "A harbour."),
            EntityDescription("Aurora", "artifact", "Ship"),
        ),
        (
            Relation("Aurora", "Port Vale", ("trade", "Home"), "The Aurora calls there.", 3),
            Relation("PVHW", "Port Vale", ("home",), "PVHW lies in Port Vale.", 12),
        ),
    ),
)
# document -> (text, findings), by position
State = dict[str, tuple[int, int]]
states = st.dictionaries(
    st.sampled_from("abc"),
    st.tuples(st.integers(0, len(TEXTS) - 1), st.integers(0, len(FOUND) - 1)),
    max_size=3,
)


@cache
def tools() -> ModelSet:
    return ModelSet(Settings(workers=1))


def stamp(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


class Store:
    """A store whose documents are of one chunk and one passage each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        create(folder)
        self.db = open_store(folder, readonly=False)
        self.state: State = {}

    def become(self, state: State) -> None:
        """Add, change and remove what differs, in one generation."""
        writer = StoreWriter(self.db, self.folder)
        for doc in self.state.keys() - state.keys():
            writer.documents.remove(doc)
        found: list[ChunkFindings] = []
        for doc, (text, said) in state.items():
            before = self.state.get(doc)
            if before is None or before[0] != text:
                row = self._write(writer, doc, TEXTS[text])
            elif before[1] == said:
                continue
            else:
                row = self._row(doc)
            found.append(ChunkFindings(row, self._findings(writer, FOUND[said])))
        commit(CommitContext(writer, tools(), StageTimer(), silent), Additions(found))
        self.state = dict(state)

    def _findings(self, writer: StoreWriter, found: Findings | None) -> bytes | None:
        if found is None:
            return None
        data = pack_findings(found)
        writer.extractions.keep({stamp(data): data})
        return stamp(data)

    def _write(self, writer: StoreWriter, doc: str, text: str) -> int:
        at = text.index("Port Vale")
        label = "ORG" if text.startswith("Port") else "LOC"
        extraction = pack(Extraction((Mention(at, at + 9, "Port Vale", "Port Vale", label, 0),)))
        writer.extractions.keep({stamp(extraction): extraction})
        vector = stamp(text.encode())
        writer.vectors.keep({vector: tools().embed([text])[0].tobytes()})
        whole = (Passage(0, len(text)),)
        chunk = Chunk(f"{doc}@0", doc, 0, 0, len(text), 0, 1, 1, "", text, 20, whole)
        new = NewDocument(
            ParsedDocument(doc, text, "", text), doc, len(text), [chunk], [stamp(extraction)],
            [[vector]], [], [],
        )  # fmt: skip
        writer.documents.add(new)
        return self._row(doc)

    def _row(self, doc: str) -> int:
        return int(
            self.db.execute(
                "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.doc"
                " WHERE d.doc = ? AND d.died IS NULL",
                (doc,),
            ).fetchone()[0]
        )

    def digest(self) -> dict[str, str]:
        return digest(Snapshot(Path(), self.db))


def vectors_of(db: sqlite3.Connection) -> set[bytes]:
    """Hashes of all vectors in use by profiles."""
    query = (
        "SELECT vector FROM entity_profiles UNION SELECT vector FROM relation_profiles"
        " UNION SELECT vector FROM themes"
    )
    return {row for (row,) in db.execute(query)}


@settings(max_examples=6, deadline=None)
@given(st.lists(states, min_size=2, max_size=4))
@example([{"a": (0, 0)}, {"a": (0, 1)}, {"a": (0, 2)}])
@example([{"a": (0, 1), "b": (1, 2), "c": (2, 2)}, {"b": (1, 1)}, {"b": (1, 0)}])
def test_any_history_ends_where_a_fresh_store_does(history: list[State]) -> None:
    """Digest, profile vectors and kept rows are those of a store that saw the end only."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "s")
        for state in history:
            store.become(state)
        fresh = Store(Path(folder) / "f")
        fresh.become(history[-1])
        assert store.digest() == fresh.digest()
        assert vectors_of(store.db) == vectors_of(fresh.db)
        assert sweep_all(store.db) == 0
        assert store.db.execute("PRAGMA foreign_key_check").fetchall() == []
        store.db.close()
        fresh.db.close()


def test_the_digest_tells_findings_apart(tmp_path: Path) -> None:
    """So that the property above says something."""
    digests = set()
    for said in range(len(FOUND)):
        store = Store(tmp_path / str(said))
        store.become({"a": (0, said)})
        digests.add(store.digest()["all"])
        store.db.close()
    assert len(digests) == len(FOUND)
