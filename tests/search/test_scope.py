"""Scopes: which documents they select, and that every search is exact within them."""

from __future__ import annotations

import datetime
import os
import random
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragcli.config import MODES, Settings
from ragcli.errors import InputError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.papers import mode_called
from ragcli.retrieve import Helpers, Mode, retrieve, understand
from ragcli.retrieve.base import Found, Ranking
from ragcli.search.scope import earliest, select
from ragcli.search.scoped_index import RowSpans, ScopedIndex, within
from ragcli.search.search_index import SearchIndex
from ragcli.search.word_ranking import RowMask
from ragcli.store.snapshot import open_snapshot
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Scope

SETTINGS = Settings(workers=1, answer="extractive", llm="none")
TODAY = datetime.date(2026, 3, 10)
DAY = 86_400


def write(folder: Path) -> None:
    """Documents of several types, folders and dates, all about the same few words."""
    said = "The ferry Aurora sailed from Port Vale to Genoa with Mara Linde. "
    texts = {
        "notes/a.md": "---\nauthor: Mara Linde\ndate: 2026-03-01\ntags: [draft, sea]\n---\n# A\n\n",
        "notes/b.md": "---\nauthor: Jon Berg\ntags: sea\nplace: {town: Skive}\n---\n# Harbour\n\n",
        "notes/old/c.markdown": "---\ndate: 1999-12-31\n---\n# C\n\n",
        "notes/old/bad.md": "---\nauthor: [unclosed\n---\n# Bad\n\n",
        "logs/d.txt": "",
        "logs/E.TXT": "",
        "page.html": "<h1>F</h1><p>",
    }
    for n, (name, front) in enumerate(texts.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(front + said * (30 + n))
        os.utime(path, (TIMES.get(name, 0) + 10 * DAY,) * 2)
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("in/g.adoc", said)
        archive.writestr("in/h.txt", said)
    os.utime(folder / "all.zip", (10 * DAY,) * 2)
    (folder / "faq.jsonl").write_text(
        '{"_id": "q1", "text": "The Aurora is a ferry.", "metadata": {"author": "Ann Lee"}}\n'
        '{"_id": "q2", "text": "Genoa is a port."}\n'
    )


TIMES = {"notes/b.md": 1_770_000_000, "logs/d.txt": 1_773_000_000}  # February, March 2026


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of ``write``, updated so that rows are not in the order of the documents."""
    made = tmp_path_factory.mktemp("scope")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        write(made / "docs")
        (made / "docs" / "logs" / "d.txt").rename(made / "later.txt")
        index(IndexRequest(made / "s", (made / "docs",)), SETTINGS)
        (made / "later.txt").rename(made / "docs" / "logs" / "d.txt")
        b = made / "docs" / "notes" / "b.md"
        b.write_text(b.read_text() + "\nJon Berg left.\n")
        os.utime(b, (TIMES["notes/b.md"] + 10 * DAY,) * 2)
        index(IndexRequest(made / "s"), SETTINGS)
    return made / "s"


def vector(text: str) -> NDArray[np.float32]:
    """A unit vector that depends on the text."""
    found = np.random.default_rng(len(text)).standard_normal(384).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found), dtype=np.float32)


HELPERS = Helpers(lambda texts: np.array([vector(text) for text in texts]))


@contextmanager
def opened(store: Path) -> Iterator[SearchIndex]:
    with open_snapshot(store) as snapshot:
        yield SearchIndex.open(snapshot)


def selected(store: Path, scope: Scope) -> list[str]:
    """The ids of the documents in a scope, sorted."""
    with open_snapshot(store) as snapshot:
        rows = set(select(snapshot, scope, TODAY).tolist())
        docs = [identity.doc for identity in snapshot.documents.identities()]
        return [doc for doc in docs if int(snapshot.facts.called(doc)[0]) in rows]


ZIPPED = ["all.zip#in/g.adoc", "all.zip#in/h.txt"]
NOTES = ["notes/a.md", "notes/b.md", "notes/old/bad.md", "notes/old/c.markdown"]


@pytest.mark.parametrize(
    ("scope", "docs"),
    [
        (Scope.of("notes"), NOTES),
        (Scope.of("./notes/"), NOTES),
        (Scope.of("notes/*.md"), ["notes/a.md", "notes/b.md"]),
        (Scope.of(["notes", "!old"]), NOTES[:2]),
        (Scope.of("!notes"), [*ZIPPED, "faq.jsonl#q1", "faq.jsonl#q2", "logs/E.TXT", "logs/d.txt",
                              "page.html"]),
        (Scope.of(["logs", "faq.jsonl#q2"]), ["faq.jsonl#q2", "logs/E.TXT", "logs/d.txt"]),
        (Scope.of("faq.jsonl"), ["faq.jsonl#q1", "faq.jsonl#q2"]),
        (Scope.of(types="TXT"), ["all.zip#in/h.txt", "logs/E.TXT", "logs/d.txt"]),
        (Scope.of(types=[".md", "htm"]), [*NOTES, "page.html"]),
        (Scope.of(types="zip"), ZIPPED),
        (Scope.of(types="adoc"), ZIPPED[:1]),
        (Scope.of(since="2026-03-01"), ["faq.jsonl#q1", "faq.jsonl#q2", "logs/d.txt",
                                        "notes/a.md"]),
        (Scope.of("notes", since="2026-02"), NOTES[:2]),
        (Scope.of("notes", since="9d"), NOTES[:1]),
        (Scope.of(where=["author=mara linde"]), ["notes/a.md"]),
        (Scope.of(where={"Author": "*N*"}), ["faq.jsonl#q1", "notes/a.md", "notes/b.md"]),
        (Scope.of(where=["tag=sea"]), NOTES[:2]),
        (Scope.of(where=["tags=sea", "tags = draft"]), NOTES[:1]),
        (Scope.of(where=["place.town=Skive"]), NOTES[1:2]),
        (Scope.of(where=["title=harbour"]), NOTES[1:2]),
    ],
    ids=str,
)  # fmt: skip
def test_what_a_scope_selects(store: Path, scope: Scope, docs: list[str]) -> None:
    assert selected(store, scope) == docs


@pytest.mark.parametrize(
    ("scope", "message", "hint"),
    [
        (Scope.of("nots"), "no document matches --in 'nots'", "did you mean 'notes'"),
        (Scope.of(["notes", "zzz"]), "no document matches --in 'zzz'", "inspect docs"),
        (Scope.of(types="pdf"), "no document is of type pdf", "md (3)"),
        (Scope.of(since="2027"), "no document is of 2027-01-01 or later", "the newest is of"),
        (Scope.of(since="soon"), "is not a date", "2026-01-31"),
        (Scope.of(since="2026-13"), "is not a date", "2026-01-31"),
        (Scope.of(where=["autor=x"]), "no document has the field 'autor'", "'author'"),
        (Scope.of(where=["author=Jon Borg"]), "author=Jon Borg", "did you mean 'Jon Berg'"),
        (Scope.of(where=["tags=z"]), "no document has tags=z", "values of tags: sea, draft"),
        (Scope.of("logs", types="md"), "--in logs --type md", "leave one out"),
    ],
    ids=str,
)
def test_an_empty_scope_is_an_error_that_names_it(
    store: Path, scope: Scope, message: str, hint: str
) -> None:
    with open_snapshot(store) as snapshot, pytest.raises(InputError) as error:
        select(snapshot, scope, TODAY)
    assert message in error.value.message and hint in error.value.hint


def test_a_path_as_seen_from_the_current_folder(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A completed path below the indexed folder means the documents there."""
    monkeypatch.chdir(store.parent)
    assert selected(store, Scope.of("docs/notes")) == NOTES
    assert selected(store, Scope.of(str(store.parent / "docs" / "logs" / "d.txt"))) == [
        "logs/d.txt"
    ]
    assert len(selected(store, Scope.of("docs"))) == 11


def test_dates() -> None:
    """Dates, ages, and what is neither."""
    assert earliest("2026-3-1", TODAY) == datetime.date(2026, 3, 1)
    assert earliest("2024", TODAY) == datetime.date(2024, 1, 1)
    assert earliest("1Y", TODAY) == datetime.date(2025, 3, 10)
    for wrong in ("2026-02-30", "yesterday-ish", "9999y"):
        with pytest.raises(InputError):
            earliest(wrong, TODAY)


def test_fields_of_a_where() -> None:
    for wrong in ("author", "=x", "author="):
        with pytest.raises(InputError, match="FIELD=VALUE"):
            Scope.of(where=[wrong])
    assert not Scope() and Scope.of("docs")


SCOPES = [Scope.of("notes"), Scope.of("logs"), Scope.of(types="md"), Scope.of(where=["tag=sea"])]


@pytest.mark.parametrize("scope", SCOPES, ids=str)
def test_vectors_and_words_are_those_of_all_filtered(store: Path, scope: Scope) -> None:
    """The exact result: rank everything, then keep what is inside."""
    with opened(store) as whole:
        part = within(whole, scope)
        assert isinstance(part, ScopedIndex)
        inside = set(part.passages.ids.tolist())
        total = len(whole.passages)
        assert 0 < len(inside) < total and len(part.passages) == len(inside)
        for text in ("Mara Linde in Genoa", "ferry", "Skive Berg left"):
            everything = whole.passages.search(vector(text), total)
            kept = [hit for hit in everything if hit[0] in inside]
            words = [hit for hit in whole.by_words(AskedQuestion(text), total) if hit[0] in inside]
            for k in (1, 3, total):
                assert part.passages.search(vector(text), k) == kept[:k]
                assert part.by_words(AskedQuestion(text), k) == words[:k]
        assert part.rare_terms(AskedQuestion("ferry berg zzzz"), total).text in (
            "ferry",
            "ferry berg",
        )
        assert part.rare_terms(AskedQuestion("ferry"), len(inside) - 1).text == ""
        nodes = {
            row
            for row in part.nodes.ids.tolist()
            for chunk in whole.snapshot.nodes.leaves(row, 999)
            if not part.holds_chunk(chunk)
        }
        assert not nodes


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "lean"])
def test_every_mode_stays_inside(store: Path, mode: str) -> None:
    """And finds as much there as there is; lean, which needs a hierarchy, has its test of all
    states of a store (tests/store/test_snapshot.py)."""
    with opened(store) as whole:
        for scope in SCOPES:
            part = within(whole, scope)
            docs = set(selected(store, scope))
            for text in (
                "Who sailed with Mara Linde to Genoa?",
                "An overview of all documents about ferries",
            ):
                question = understand(whole.snapshot, AskedQuestion(text), HELPERS.encode)
                found = retrieve(part, question, mode_called(mode), 5, HELPERS)
                assert found.hits and {hit.doc for hit in found.hits} <= docs
                again = retrieve(part, question, mode_called(mode), 5, HELPERS)
                assert again == found


def test_a_scope_of_everything_changes_nothing(store: Path) -> None:
    """Every mode gives the hits, scores and notes that it gives without a scope."""
    with opened(store) as whole:
        part = within(whole, Scope.of("*"))
        for mode in ("walk", "naive", "bm25", "dense+bm25", "e2", "local", "global", "mix"):
            for text in ("Who sailed with Mara Linde to Genoa?", "What is Skive?"):
                question = understand(whole.snapshot, AskedQuestion(text), HELPERS.encode)
                asked = retrieve(whole, question, mode_called(mode), 5, HELPERS)
                assert retrieve(part, question, mode_called(mode), 5, HELPERS).hits == asked.hits


def test_the_guard_drops_what_a_strategy_leaks(store: Path) -> None:
    """A strategy that passes the index by still shows nothing from outside."""
    with opened(store) as whole:
        every = [Found(None, row, 1.0) for row in whole.passages.ids.tolist()]
        chunks = [Found(row, None, 1.0) for row in (1, 2, 3)]
        leaky = Mode("leaky", lambda *_: Ranking([*every, *chunks]))
        part = within(whole, Scope.of("logs"))
        question = understand(whole.snapshot, AskedQuestion("ferry"), HELPERS.encode)
        hits = retrieve(part, question, leaky, 99, HELPERS).hits
        assert hits and {hit.doc for hit in hits} <= {"logs/d.txt", "logs/E.TXT"}


@given(st.sets(st.integers(0, 40)), st.sets(st.integers(0, 40), min_size=1))
def test_row_masks(rows: set[int], asked: set[int]) -> None:
    mask = RowMask.of(np.array(sorted(rows), dtype=np.int64))
    for row in asked:
        if mask.first <= row <= mask.last:
            assert mask.holds(row) is (row in rows)
        else:
            assert row not in rows


@given(st.lists(st.integers(0, 60), min_size=2, max_size=10, unique=True), st.integers(0, 60))
def test_row_spans(ends: list[int], row: int) -> None:
    ends = sorted(ends[: len(ends) // 2 * 2])
    spans = np.array(ends, dtype=np.int64).reshape(-1, 2)
    expected = any(a <= row <= b for a, b in spans.tolist())
    assert RowSpans(spans).hold(np.array([row])).tolist() == [expected]
    assert not RowSpans(spans[:0]).hold(np.array([row])).any()


@pytest.mark.slow
def test_rows_of_a_document_stay_together(tmp_path: Path, quick: pytest.MonkeyPatch) -> None:
    """After any updates the spans of some documents hold their rows and no others."""
    rng = random.Random(7)
    folder = tmp_path / "docs"
    folder.mkdir()
    for turn in range(6):
        for name in "abcdef":
            if rng.random() < 0.5:
                text = f"Turn {turn}. The ferry {name} sails. " * rng.randint(1, 200)
                (folder / f"{name}.txt").write_text(text)
            elif rng.random() < 0.3:
                (folder / f"{name}.txt").unlink(missing_ok=True)
        if turn == 0:
            (folder / "a.txt").write_text("The ferry a sails.")
        index(IndexRequest(tmp_path / "s", (folder,)), SETTINGS)
        with opened(tmp_path / "s") as whole:
            files = whole.snapshot.facts.files()
            for size in range(1, len(files)):
                chosen = rng.sample(files, size)
                part = within(whole, Scope.of(chosen))
                chunks = {
                    whole.snapshot.chunks.chunk_of(row): row for row in whole.passages.ids.tolist()
                }
                held = {chunk for chunk in chunks if part.holds_chunk(chunk)}
                docs = {whole.snapshot.chunks.place(chunk).doc for chunk in held}
                others = {whole.snapshot.chunks.place(chunk).doc for chunk in chunks.keys() - held}
                assert docs == set(chosen) and not others & docs
