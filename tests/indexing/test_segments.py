"""Segments through a store's life: whatever changes, reading them is reading files made anew."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import reading
from searching import Search, searching

from ragcli.config import Settings
from ragcli.errors import StoreDamaged
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.indexing.restoring import restorer
from ragcli.maintaining.check import check
from ragcli.models.model_set import ModelSet
from ragcli.search import arrays, derive
from ragcli.search.edge_layers import Rows, from_arrays
from ragcli.search.entity_graph import EntityGraph
from ragcli.search.kept_vectors import KeptVectors, layers_of
from ragcli.search.level_codes import CodeIndex
from ragcli.search.passage_graph import PassageGraph
from ragcli.search.search_index import GenerationFiles, SearchIndex
from ragcli.search.vector_set import ARRAYS, Vectors
from ragcli.store import derived, relations
from ragcli.store.digest import digest
from ragcli.store.meta import generation
from ragcli.store.relations import Relations
from ragcli.store.snapshot import open_snapshot
from ragcli.store.vector_sets import VECTOR_SETS
from ragcli.store.writer import open_writer

SETTINGS = Settings(workers=1)
NAMES = ("Mara Linde", "Jon Berg", "Port Vale", "Aurora", "Rome", "Genoa", "Ada Quist", "Tarnby")
QUESTIONS = (
    "Who wrote to Mara Linde about Genoa?",
    "How are Jon Berg and Tarnby connected?",
    "What is all this about?",
)


def story(rng: random.Random, sentences: int) -> str:
    """Sentences about some of the same few names."""
    return " ".join(
        f"{rng.choice(NAMES)} wrote letter {rng.randint(1, 99)} to {rng.choice(NAMES)}."
        for _ in range(sentences)
    )


def files_of(rng: random.Random, folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.md"), key=lambda p: (rng.random(), p))


def change(rng: random.Random, folder: Path) -> None:
    """Add, edit, delete, rename or undo: one to three files, in three folders."""
    for _ in range(rng.randint(1, 3)):
        there = files_of(rng, folder)
        kind = rng.choice(("add", "add", "edit", "delete", "rename"))
        if kind == "add" or len(there) < 3:
            path = folder / rng.choice(("", "a", "a/b")) / f"{rng.randint(1, 40)}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {rng.choice(NAMES)}\n\n{story(rng, rng.randint(1, 8))}\n")
        elif kind == "edit":
            there[0].write_text(there[0].read_text() + f"\n{story(rng, 1)}\n")
        elif kind == "delete":
            there[0].unlink()
        else:
            there[0].rename(there[0].with_name(f"moved{rng.randint(1, 99)}.md"))


def said(files: GenerationFiles, known: Relations) -> list[object]:
    """All that files say: every set's rows with their scores, every edge, degree and hop."""
    found: list[object] = []
    query = np.random.default_rng(1).standard_normal(384).astype(np.float32)
    for s in VECTOR_SETS:
        vectors = Vectors(files.vectors, s.name)
        found += [vectors.ids.tolist(), vectors.search(query, 7), vectors.search(query, 10**6)]
    graph = EntityGraph.open(files.edges, lambda: known)
    rows, whole = graph.to_igraph()
    found += [rows.tolist(), whole.get_edgelist(), whole.es["weight"] if rows.size else []]
    edges = Rows([from_arrays("relations", arrays.load(f / ARRAYS)) for f in files.edges]).listed()
    assert sorted(zip(edges[0].tolist(), edges[1].tolist(), strict=True)) == sorted(
        pair
        for a, b in zip(*(x.tolist() for x in known.ends), strict=True)
        for pair in ((a, b), (b, a))
    )
    found += [graph.hops(int(row), set(rows.tolist()), 4) for row in rows]
    passages = PassageGraph.open(Vectors(files.vectors, "passages").ids, files.edges)
    for way in (passages.by_passage, passages.by_entity):
        listed = way.listed()
        found += [part.tolist() for part in listed]
        found.append(way.degrees(np.unique(listed[0])).tolist())
    some = passages.passages[:1]
    found.append(passages.around(some, some[:0], 3).tolist())
    return found


def anew(store: Path, base: Path) -> GenerationFiles:
    """The files of the store's generation, made anew beside it; vectors from those kept by hash."""
    copy = base / "anew"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    with reading(store) as db:
        current = generation(db)
        kept = KeptVectors(db, layers_of(derived.folders(store, current, derived.VECTORS)))
        derive.build(copy, db, current)
        derive.build_vectors(copy, db, current, kept)
    return GenerationFiles.of(copy, current)


def relations_of(store: Path) -> Relations:
    with reading(store) as db:
        return relations.everything(db)


def files_now(store: Path) -> GenerationFiles:
    with reading(store) as db:
        return GenerationFiles.of(store, generation(db))


@pytest.mark.parametrize("seed", [1, 2])
def test_any_changes_end_as_if_made_anew(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrays, scores and answers equal those of files made anew, after every single update."""
    rng = random.Random(seed)
    # Without this, so small a store would always be merged into one segment.
    monkeypatch.setattr(derive, "YOUNG", 0)
    folder, store = tmp_path / "docs", tmp_path / "store"
    for _ in range(12):
        folder.mkdir(exist_ok=True)
        change(rng, folder)
    index(IndexRequest(store, (folder,)), SETTINGS)
    most = 0
    for _ in range(9):
        change(rng, folder)
        index(IndexRequest(store, (folder,)), SETTINGS)
        files = files_now(store)
        most = max(most, min(len(files.vectors), len(files.edges)))
        fresh = anew(store, tmp_path)
        known = relations_of(store)
        assert said(files, known) == said(fresh, known)
        assert_each_row_has_its_vector(store, files)
        assert not any(dict(check(store, SETTINGS)).values())
    assert most > 2, "nothing was merged or nothing lay in layers"
    with searching(store, SETTINGS) as search:
        answers = [search.hits(search.understand(q), "auto", 8) for q in QUESTIONS]
        walked = [search.hits(search.understand(q), "walk", 8) for q in QUESTIONS]
        other = Search(SearchIndex(search.snapshot, fresh), search.helpers)
        assert answers == [other.hits(other.understand(q), "auto", 8) for q in QUESTIONS]
        assert walked == [other.hits(other.understand(q), "walk", 8) for q in QUESTIONS]
    index(IndexRequest(tmp_path / "fresh", (folder,)), SETTINGS)
    assert digests(store) == digests(tmp_path / "fresh")


def assert_each_row_has_its_vector(store: Path, files: GenerationFiles) -> None:
    """The vector of every row is that of its text, embedded again, alone."""
    models = ModelSet(SETTINGS)
    with open_writer(store) as writer:
        for s in VECTOR_SETS:
            vectors = Vectors(files.vectors, s.name)
            rows = vectors.ids
            named = dict(writer.connection.execute(f"SELECT {s.key}, vector FROM {s.table}"))
            assert sorted(row for row, key in named.items() if key is not None) == rows.tolist()
            if len(rows):
                hashes = [named[row] for row in rows.tolist()]
                again = restorer(writer, models)(s.name, rows.tolist(), hashes)
                if s.coded:
                    key = np.full(384, 384**-0.5, np.float32)
                    codes = CodeIndex(np.array([np.frombuffer(x, np.uint8) for x in again]))
                    _, wanted = codes.search(key, len(rows))
                    found = sorted(vectors.similarities(key, rows), reverse=True)
                    assert np.allclose(found, wanted, atol=0.02)
                    continue
                wanted = np.array([np.frombuffer(x, np.float16) for x in again], np.float32)
                assert np.allclose(vectors.of(rows), wanted, atol=2e-3)


def digests(store: Path) -> dict[str, str]:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)


@given(st.lists(st.integers(1, 10**6), max_size=200))
def test_segments_stay_few_and_each_outweighs_the_younger(weights: list[int]) -> None:
    """However large the changes: at most MAX_SEGMENTS, and of the largest more than half lives."""
    held: list[int] = []
    for new in weights:
        stay = derive.staying(held, new)
        held = [*held[:stay], sum(held[stay:]) + new]
        assert len(held) <= derive.MAX_SEGMENTS
        for i, weight in enumerate(held[:-1]):
            assert weight > sum(held[i + 1 :])
    assert sum(held) == sum(weights)


def test_small_changes_are_written_few_times_over() -> None:
    """20,000 changes of 10 KB: each byte is written again some ten times, not thousands."""
    held: list[int] = []
    written = 0
    for _ in range(20_000):
        stay = derive.staying(held, 10_000)
        held = [*held[:stay], sum(held[stay:]) + 10_000]
        written += held[-1]
    assert written / 20_000 < 250_000


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    """A folder of three notes and its store."""
    folder, store = tmp_path / "docs", tmp_path / "store"
    folder.mkdir()
    for i in range(3):
        (folder / f"{i}.md").write_text(f"# Note {i}\n\n{story(random.Random(i), 40)}\n")
    index(IndexRequest(store, (folder,)), SETTINGS)
    return folder, store


def test_the_generation_before_stays_readable(small: tuple[Path, Path]) -> None:
    """A reader of the former generation finds its files after the next commit, by name too."""
    folder, store = small
    with searching(store, SETTINGS) as search:
        before = search.snapshot.generation
        (folder / "new.md").write_text("# New\n\nOne more note on Mara Linde.\n")
        index(IndexRequest(store, (folder,)), SETTINGS)
        assert search.hits(search.understand("Who wrote to Mara Linde?"), "auto", 3)
    assert not derive.problem(store, before)
    (folder / "new.md").unlink()
    index(IndexRequest(store, (folder,)), SETTINGS)
    assert derive.problem(store, before) == f"missing {before}.json"
    assert [p.name for p in (store / "derived").glob("*.json")] != []


def test_only_what_changed_is_written(
    small: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first segment is kept as it is; the new one holds one passage and its edges."""
    folder, store = small
    monkeypatch.setattr(derive, "YOUNG", 0)
    first = files_now(store)
    (folder / "new.md").write_text("# New\n\nPort Vale lies by the sea.\n")
    index(IndexRequest(store, (folder,)), SETTINGS)
    now = files_now(store)
    assert (now.vectors[:-1], now.edges[:-1]) == (first.vectors, first.edges)
    rows = derive.read(now.vectors[-1]).vectors["passages"].rows
    assert len(rows) == 1
    added = derive.read(now.edges[-1])
    assert set(added.edges["by_passage"].sources.tolist()) == set(rows.tolist())


def test_files_of_another_format_are_made_again(small: tuple[Path, Path]) -> None:
    """Those of an older version, and those that lack a set of vectors; leftovers go."""
    _, store = small
    (store / "derived" / "1").mkdir()
    (store / "derived" / "1" / "manifest.json").write_text("{}")
    manifest = store / "derived" / "1.json"
    facts = orjson.loads(manifest.read_bytes())
    manifest.write_bytes(orjson.dumps({**facts, "format": "1 passages"}))
    assert "another format" in dict(check(store, SETTINGS))["derived files"]
    assert not any(dict(check(store, SETTINGS)).values())
    manifest.unlink()
    with searching(store, SETTINGS) as search:
        assert search.index.passages.ids.size
    assert not any(dict(check(store, SETTINGS)).values())


@pytest.mark.parametrize("name", ["../../../outside", "/etc", "..", "a/b", ""])
def test_a_manifest_names_no_files_elsewhere(tmp_path: Path, name: str) -> None:
    """Neither a folder nor a file outside of its own is opened."""
    (tmp_path / "derived").mkdir()
    file = {"size": 1, "blake2b": ""}
    for segment in ({"name": name, "files": {}}, {"name": "1", "files": {name: file}}):
        manifest = {"format": "x", "segments": [{**segment, "weight": 1}]}
        (tmp_path / "derived" / "1.json").write_bytes(orjson.dumps(manifest))
        with pytest.raises(StoreDamaged, match="names files outside its folder"):
            derived.segments(tmp_path, 1)


def test_an_update_over_damaged_files_derives_anew(
    small: tuple[Path, Path], tmp_path: Path
) -> None:
    """What changed lies over nothing that is broken."""
    folder, store = small
    (store / "derived" / "segments" / "1" / "arrays").unlink()
    (folder / "new.md").write_text("# New\n\nPort Vale lies by the sea.\n")
    index(IndexRequest(store, (folder,)), SETTINGS)
    assert len(files_now(store).edges) == 1
    known = relations_of(store)
    assert said(files_now(store), known) == said(anew(store, tmp_path), known)


@pytest.mark.parametrize("lost", ["arrays", "passages.faiss", "names.levels"])
def test_damaged_vectors_are_told_and_embedded_again(small: tuple[Path, Path], lost: str) -> None:
    """``ask`` says what to run; ``inspect check`` and an update both mend them."""
    folder, store = small
    whole = files_now(store)
    expected = {s.name: Vectors(whole.vectors, s.name) for s in VECTOR_SETS}
    key = np.full(384, 384**-0.5, np.float32)
    before = {
        name: (v.ids.tolist(), v.similarities(key, v.ids)) for name, v in expected.items() if len(v)
    }
    for mend in ("check", "update"):
        file = whole.vectors[0] / lost
        file.write_bytes(file.read_bytes()[:-1])
        with pytest.raises(StoreDamaged, match=lost) as told, searching(store, SETTINGS):
            pass
        assert "inspect check" in told.value.hint
        if mend == "check":
            assert lost in dict(check(store, SETTINGS))["vectors"]
        else:
            (folder / "new.md").write_text("# New\n\nPort Vale lies by the sea.\n")
            index(IndexRequest(store, (folder,)), SETTINGS)
            (folder / "new.md").unlink()
            index(IndexRequest(store, (folder,)), SETTINGS)
        whole = files_now(store)
        for name, (rows, likeness) in before.items():
            now = Vectors(whole.vectors, name)
            kept = np.isin(now.ids, rows)
            assert now.ids[kept].tolist() == rows
            # A code estimates; another last bit of a vector may round to another level.
            near = 0.02 if name == "names" else 2e-3
            assert np.allclose(now.similarities(key, now.ids[kept]), likeness, atol=near)
        assert not any(dict(check(store, SETTINGS)).values())


def test_a_long_conversation_outlives_the_files_of_its_generation(tmp_path: Path) -> None:
    """Three updates later they are deleted, but what ``hold`` has opened stays: same hits."""
    rng = random.Random(5)
    folder, store = tmp_path / "docs", tmp_path / "store"
    folder.mkdir()
    for _ in range(6):
        change(rng, folder)
    index(IndexRequest(store, (folder,)), SETTINGS)

    def hits(search: Search) -> list[object]:
        return [
            [(hit.chunk, hit.start, hit.score) for hit in search.hits(question, mode, 5)]
            for question in map(search.understand, QUESTIONS)
            for mode in ("auto", "walk", "e2", "local", "global", "mix")
        ]

    with searching(store, SETTINGS) as search:
        wanted = hits(search)
    with searching(store, SETTINGS) as search:
        places = (store / "derived", store / "vectors")
        files = [path for place in places for path in place.rglob("*") if path.is_file()]
        search.index.hold()
        for number in range(3):
            (folder / f"late{number}.md").write_text(story(rng, 20))
            index(IndexRequest(store), SETTINGS)
        assert not all(path.exists() for path in files)
        assert hits(search) == wanted
