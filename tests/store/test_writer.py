"""The write side of a store, part by part, without models."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ragcli.errors import BundleError, StoreDamaged, StoreError
from ragcli.store import scratch
from ragcli.store.connection import create
from ragcli.store.documents import DocumentRow, NewDocument
from ragcli.store.findings import ChunkFindings
from ragcli.store.meta import Patterns
from ragcli.store.writer import StoreWriter, open_to_compare, open_writer
from ragcli.types import Chunk, ParsedDocument, Passage, Source

TEXT = "The ferry sails at dawn."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    create(tmp_path)
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[StoreWriter]:
    with open_writer(folder) as writer:
        yield writer


def add(store: StoreWriter, doc: str, text: str = TEXT) -> int:
    """Write a document of one chunk and one passage; the row of its chunk."""
    key = text.encode().ljust(16)[:16]
    store.extractions.keep({key: b"[]"})
    store.vectors.keep({key: b"\0\0"})
    chunk = Chunk(
        f"{doc}@0", doc, 0, 0, len(text), 0, 1, 1, "", text, 6, (Passage(0, len(text)),)
    )  # fmt: skip
    document = ParsedDocument(doc, text, "Ferries", text)
    store.documents.add(NewDocument(document, doc, len(text), [chunk], [key], [[key]], [], []))
    row = store.documents.newest()[doc].row
    return store.documents.stored(row).chunks[0].row


def publish(store: StoreWriter) -> None:
    """The part of a commit that the tests here need."""
    with store.transaction():
        store.begin_sweep()
        store.documents.bury()
        store.sweep()
        store.publish(store.generation + 1)


def test_a_document_is_read_back_as_it_was_written(store: StoreWriter) -> None:
    chunk = add(store, "a/ferry.txt")
    stored = store.documents.stored(store.documents.newest()["a/ferry.txt"].row)
    assert stored.title == "Ferries"
    (found,) = stored.chunks
    assert (found.row, found.chunk.text, found.extraction) == (chunk, TEXT, b"[]")
    assert found.findings is None and len(found.passage_rows) == len(found.chunk.passages) == 1
    (owned,) = store.documents.owned_texts(stored.row)
    assert (owned.chunk, owned.text, owned.whole) == (chunk, TEXT, TEXT)


def test_pending_documents_come_and_go(store: StoreWriter) -> None:
    """What a run writes waits for its commit; a change is one that comes and one that goes."""
    assert store.has_changes()  # the first generation
    add(store, "one.txt")
    assert [d.doc for d in store.documents.pending().born] == ["one.txt"]
    publish(store)
    assert not store.has_changes()
    add(store, "one.txt", "Another text.")
    store.documents.remove("none.txt")
    pending = store.documents.pending()
    assert [d.doc for d in pending.born] == [d.doc for d in pending.dying] == ["one.txt"]
    assert store.counts().documents == 2
    publish(store)
    assert store.counts().documents == 1
    # What only the former version used is gone with it.
    assert store.extractions.known([TEXT.encode()[:16]]) == set()


def test_a_folder_lists_its_documents_and_subfolders(store: StoreWriter) -> None:
    """One level deep, whatever lies below, and not what only begins with its name."""
    for doc in ("a/b/c/x.md", "a/b/y.md", "a/z.md", "a#1.md", "a0.md", "ab.md", "r.jsonl#7"):
        add(store, doc)
    rows = {v.doc: DocumentRow(v.row, v.doc) for v in store.documents.newest().values()}
    assert list(store.documents.entries_of("a")) == ["a/b", rows["a/z.md"]]
    assert list(store.documents.entries_of("a/b")) == ["a/b/c", rows["a/b/y.md"]]
    assert list(store.documents.entries_of("r.jsonl")) == [rows["r.jsonl#7"]]
    top = [rows["a#1.md"], "a", rows["a0.md"], rows["ab.md"], "r.jsonl"]
    assert list(store.documents.entries_of("")) == top


def test_findings_of_pending_chunks_are_set_at_once(store: StoreWriter) -> None:
    """Those of documents that stay wait for the commit, and the former ones for its sweep."""
    stays = add(store, "stays.txt")
    publish(store)
    comes = add(store, "comes.txt", "Sheep graze.")
    first, second = b"1" * 16, b"2" * 16
    store.extractions.keep({first: b"x", second: b"y"})
    found = [ChunkFindings(stays, first), ChunkFindings(comes, first)]
    assert store.findings.of_pending(found) == [found[1]]
    assert store.findings.unread_by_document() == {"stays.txt": 1, "comes.txt": 1}
    store.findings.give([found[1]])
    assert store.findings.that_differ(found) == [found[0]]
    assert store.findings.by_document([stays, comes]) == {"stays.txt": 1, "comes.txt": 1}
    with store.transaction():
        store.begin_sweep()
        store.findings.replace([found[0], ChunkFindings(comes, second)])
        store.findings.replace([ChunkFindings(stays, second)])
        store.sweep()
    assert store.extractions.known([first, second]) == {second}


def test_what_was_found_in_equal_texts_is_known(store: StoreWriter) -> None:
    """Chunks of pending documents can take over what was found in the same text before."""
    before = add(store, "before.txt")
    store.extractions.keep({b"f" * 16: b"x"})
    store.findings.give([ChunkFindings(before, b"f" * 16)])
    publish(store)
    after = add(store, "after.txt")
    add(store, "other.txt", "Another text.")
    assert {c.doc for c in store.findings.unread_pending()} == {"after.txt", "other.txt"}
    (known,) = store.findings.for_texts_of_pending()
    assert (known.doc, known.key) == ("before.txt", b"f" * 16)
    assert store.findings.text_of(after).text == TEXT


def test_a_transaction_happens_whole_or_not_at_all(store: StoreWriter) -> None:
    """What is nested goes with the outer one."""
    with pytest.raises(ZeroDivisionError), store.transaction():
        add(store, "lost.txt")
        raise ZeroDivisionError
    assert store.documents.newest() == {}


def test_sources_and_patterns_are_remembered(store: StoreWriter) -> None:
    source = Source("a.txt", "/d/a.txt", 3, 5)
    store.sources.saw(source)
    bad = Source("b.txt", "/d/b.txt", 4, 6)
    store.sources.failed("b.txt", bad, "no text")
    assert store.sources.files() == {"a.txt": source}
    assert store.sources.has_failed_before("b.txt", bad)
    assert not store.sources.has_failed_before("b.txt", replace(bad, size=5))
    assert store.sources.failed_sources() == {"b.txt"}
    store.sources.forget("b.txt")
    assert store.sources.failed_sources() == set()
    store.meta.patterns = Patterns(("*.md", "*.txt"), ())
    assert store.meta.patterns == Patterns(("*.md", "*.txt"), ())
    store.meta.keep_run({"scan": 1.0}, 0.5)
    assert store.meta.seconds_per_word == 0.5


def test_roots_of_another_machine(store: StoreWriter, tmp_path: Path) -> None:
    """They take the place of the store's own, each once."""
    store.sources.add_roots(["/there/a", "/there/b"])
    with pytest.raises(BundleError, match="twice"):
        store.sources.move_roots([tmp_path, tmp_path])
    store.sources.move_roots([tmp_path / "a", tmp_path / "b"])
    assert store.sources.roots() == [str(tmp_path / "a"), str(tmp_path / "b")]


def test_one_who_compares_cannot_write(folder: Path) -> None:
    with pytest.raises(StoreError), open_to_compare(folder) as store:
        store.sources.add_roots(["/d"])


def test_a_sweep_waits_for_a_run_that_is_half_way(store: StoreWriter) -> None:
    add(store, "one.txt")
    store.vectors.keep({b"unused".ljust(16): b"\0\0"})
    assert store.sweep_all() == store.unused() == 0
    publish(store)
    assert store.unused() == 2, "no commit has cleared them"
    assert store.sweep_all() == 2
    assert store.sweep_all() == 0


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        ("DELETE FROM extractions", "missing"),
        ("INSERT INTO surfaces VALUES (77, 'x', '', 1, 1)", "refers to a missing row"),
    ],
)
def test_what_is_missing_is_told(store: StoreWriter, harm: str, named: str) -> None:
    add(store, "one.txt")
    assert list(store.sound_parts()) == ["database", "references", "extractions"]
    store.connection.execute("PRAGMA foreign_keys = OFF")
    store.connection.execute(harm)
    with pytest.raises(StoreDamaged, match=named):
        list(store.sound_parts())


def test_temporary_tables_are_declared(store: StoreWriter) -> None:
    """Each can be made, emptied by being made again, and dropped."""
    for name in scratch.TABLES:
        scratch.make(store.connection, name)
        scratch.ensure(store.connection, name)
        assert scratch.exists(store.connection, name)
        scratch.drop(store.connection, name)
        assert not scratch.exists(store.connection, name)


def test_no_connection_is_left_open(folder: Path) -> None:
    with open_writer(folder) as store:
        connection = store.connection
    with pytest.raises(sqlite3.ProgrammingError):
        connection.execute("SELECT 1")
