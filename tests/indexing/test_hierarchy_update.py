"""The hierarchy in a store: made on request, kept by updates, gone when it is not wanted."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from searching import ask, searching

from ragcli.config import Settings
from ragcli.errors import StoreError
from ragcli.indexing.hierarchy_update import MAX_DRIFT
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.maintaining.check import check
from ragcli.papers.lean import SEEDS, evidence, paths, seeds_of
from ragcli.search import derive
from ragcli.search.vector_set import VectorLayer, Vectors
from ragcli.store import derived
from ragcli.store.connection import open_store
from ragcli.store.digest import digest
from ragcli.store.hierarchy import ClusterRelation, HierarchyWriter
from ragcli.store.listings import counts
from ragcli.store.snapshot import open_snapshot
from ragcli.store.writer import open_writer

SETTINGS = Settings(workers=1)


def listing(store: Path) -> dict[str, Any]:
    with open_snapshot(store) as snapshot:
        return snapshot.hierarchy.listing()


def digests(store: Path) -> dict[str, str]:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)


def test_every_member_has_its_way_to_the_top(sample_store: Path) -> None:
    """Parents stand one level higher; the top has no parent; every node has members."""
    found = listing(sample_store)
    assert found["drift"] == 0 and found["entities"] > 100
    by_id = {n["id"]: n for n in found["nodes"]}
    top = max(n["level"] for n in found["nodes"])
    for node in found["nodes"]:
        if node["level"] == top:
            assert node["parent"] is None
        else:
            assert by_id[node["parent"]]["level"] == node["level"] + 1
    assert sum(len(n["members"]) for n in found["nodes"]) == found["entities"]
    assert sum(n["level"] == top for n in found["nodes"]) <= 4


def test_an_update_assigns_what_is_new_and_forgets_what_is_gone(own: tuple[Path, Path]) -> None:
    """A new name joins a cluster as late; when its document goes, so do it and its words."""
    docs, store = own
    before = listing(store)
    (docs / "new.md").write_text(
        "# Harbour\n\nOttoline Vanstreek is the harbour master of Port Vale. Ottoline Vanstreek"
        " keeps the tide tables, and every captain asks Ottoline Vanstreek for them.\n"
    )
    index(IndexRequest(store), SETTINGS)
    found = listing(store)
    assert found["clustered_in_generation"] == before["clustered_in_generation"]
    assert found["late"] >= 1 and 0 < found["drift"] <= MAX_DRIFT
    assert any("Ottoline Vanstreek" in n["members"] for n in found["nodes"])
    (docs / "new.md").unlink()
    index(IndexRequest(store), SETTINGS)
    found = listing(store)
    assert not any("Ottoline" in repr(n) for n in found["nodes"])
    parts = dict(check(store, SETTINGS))
    assert found["left"] >= 1 and parts["vectors"] == parts["extractions"] == ""


def test_asked_for_again_it_is_what_a_fresh_clustering_gives(own: tuple[Path, Path]) -> None:
    """After a document came and went, ``--hierarchy`` ends where it began; twice is nothing new."""
    docs, store = own
    before = digests(store)
    (docs / "new.md").write_text("# Two\n\nJory Pell met Jory Pell's twin, Jory Pell said.\n")
    index(IndexRequest(store), SETTINGS)
    (docs / "new.md").unlink()
    index(IndexRequest(store), SETTINGS)
    assert digests(store)["all"] == before["all"]
    again = index(IndexRequest(store, hierarchy=True), SETTINGS)
    assert digests(store) == before
    assert index(IndexRequest(store, hierarchy=True), SETTINGS).generation == again.generation


def test_too_much_change_clusters_everything_anew(own: tuple[Path, Path]) -> None:
    """Half of the documents gone: more than MAX_DRIFT, so the update does not patch."""
    docs, store = own
    before = listing(store)["clustered_in_generation"]
    for path in sorted(p for p in docs.rglob("*") if p.is_file())[::2]:
        path.unlink()
    index(IndexRequest(store), SETTINGS)
    found = listing(store)
    assert found["clustered_in_generation"] > before and found["drift"] == 0


def test_no_hierarchy_any_more(own: tuple[Path, Path]) -> None:
    """--no-hierarchy drops its rows and nothing else; lean then says what to do."""
    _, store = own
    before = digests(store)
    with open_writer(store) as writer:
        writer.hierarchy.ask_for(False)  # what a run does first; readers see it after its commit
    assert digests(store) == before and listing(store)
    index(IndexRequest(store, hierarchy=False), SETTINGS)
    assert listing(store) == {}
    del before["hierarchy"]
    assert digests(store) == before
    with pytest.raises(StoreError) as caught:
        ask(store, "Who is the captain?", Settings(mode="lean"))
    assert "update --hierarchy" in caught.value.hint


@pytest.mark.parametrize("name", ["passages", "nodes", "names", "members"])
def test_a_lost_vector_is_found_by_check(own: tuple[Path, Path], name: str) -> None:
    """Whatever set it was in: it is embedded again."""
    _, store = own
    with open_snapshot(store) as snapshot:
        current = snapshot.generation
    (folder,) = derived.folders(store, current, derived.VECTORS)
    parts = derive.read(folder)
    layer = parts.vectors[name]
    key = np.full(384, 384**-0.5, np.float32)
    likeness = Vectors([folder], name).similarities(key, layer.rows[:1])
    less = {name: VectorLayer(layer.rows[1:], layer.vectors[1:], layer.gone)}
    made = derive.Parts({**parts.vectors, **less}, {})
    derived.publish(store, current, derive.VECTOR_FORMAT, [], made.write, derived.VECTORS)
    assert "1 rows do not fit" in dict(check(store, SETTINGS))["vectors"]
    assert not any(dict(check(store, SETTINGS)).values())
    mended = Vectors(derived.folders(store, current, derived.VECTORS), name)
    assert mended.ids.tolist() == layer.rows.tolist()
    near = 0.02 if name == "names" else 2e-3
    assert np.allclose(mended.similarities(key, layer.rows[:1]), likeness, atol=near)


def test_lean_goes_from_seeds_to_where_they_meet(sample_store: Path) -> None:
    """Named entities are seeds; every path ends in one node; facts and hits tell of the seeds."""
    with searching(sample_store, Settings(mode="lean")) as search:
        question = search.understand("What did the radar of the Northern Ferries report?")
        seeds = seeds_of(search.index, question)
        assert 0 < len(seeds) <= SEEDS
        nodes = paths(search.index, seeds)
        assert {row for level, row in nodes if level == 0} == set(seeds)
        levels = [level for level, _ in nodes]
        assert max(levels) >= 1
        facts = search.retrieve(question, "lean", 10).facts
    names = {f.name for f in facts if f.kind == "entity" and f.level == 0}
    assert len(names) == len(seeds)
    answer = ask(sample_store, question.asked.text, Settings(mode="lean"))
    assert answer.facts and 1 <= len(answer.hits) <= Settings().top_k
    assert answer.context_tokens <= Settings().budget


def test_facts_stand_in_the_documents(sample_store: Path) -> None:
    """The sentences of every entity's description are found where they stand, to the character."""
    with searching(sample_store, Settings(mode="lean")) as search:
        question = search.understand("What did the radar of the Northern Ferries report?")
        found = search.retrieve(question, "lean", 10).facts
        facts = [f for f in found if f.kind == "entity" and f.text]
        base = [f for f in facts if not f.level]
        assert base
        for fact in base:
            hits = evidence(search.index, [fact])
            assert hits
            for hit in hits:
                assert search.snapshot.documents.text(hit.doc, hit.start, hit.end) == hit.text
            said = " ".join(" ".join(hit.text.split()) for hit in hits)
            assert fact.text.removesuffix("…") in said
        assert evidence(search.index, [f for f in facts if f.level]) == []


def test_only_what_differs_is_written(own: tuple[Path, Path]) -> None:
    """The same again writes no row; a model's words of a relation stay while its ends are the
    same."""
    _, store = own
    db = open_store(store, readonly=False)
    hierarchy = HierarchyWriter(db)
    rows = list(hierarchy.nodes().values())
    found = db.execute("SELECT a, b, level, links, weight FROM hierarchy_relations").fetchall()
    relations = [ClusterRelation(*row) for row in found]
    ids = {node.id for node in rows}
    a, b = relations[0].a, relations[0].b
    db.execute("UPDATE hierarchy_relations SET text = 'x' WHERE a = ? AND b = ?", (a, b))
    before = db.total_changes
    hierarchy.put_clusters(rows, relations, ids)
    assert db.total_changes == before
    hierarchy.put_clusters([replace(rows[0], name="other"), *rows[1:]], relations, ids)
    assert db.total_changes == before + 1
    hierarchy.put_clusters(rows[1:], relations, ids - {b})
    assert list(hierarchy.nodes()) == [n.id for n in rows[1:]]
    assert db.execute("SELECT count(text) FROM hierarchy_relations").fetchone()[0] == 0
    assert db.total_changes == before + 3
    db.close()


def test_a_store_from_before_hierarchies_reads_as_one_without(own: tuple[Path, Path]) -> None:
    """Its tables are not there, and nothing that only reads makes them."""
    _, store = own
    index(IndexRequest(store, hierarchy=False), SETTINGS)
    db = sqlite3.connect(store / "store.sqlite")
    for table in ("members", "nodes", "relations"):
        db.execute(f"DROP TABLE hierarchy_{table}")
    db.execute("DELETE FROM migrations WHERE name = 'hierarchy'")
    db.commit()
    assert listing(store) == {} and "hierarchy" not in digests(store)
    with open_snapshot(store) as snapshot:
        assert counts(snapshot)["hierarchy_levels"] == 0
    assert ask(store, "Who is the captain?", SETTINGS).hits
    with pytest.raises(StoreError, match="no hierarchy"):
        ask(store, "Who is the captain?", Settings(mode="lean"))
    assert not db.execute("SELECT 1 FROM sqlite_master WHERE name LIKE 'hierarchy%'").fetchone()
    assert dict(check(store, SETTINGS))
    db.close()


def test_a_folder_without_repeated_names_has_an_empty_hierarchy(tmp_path: Path) -> None:
    """Too few entities to cluster are no error; names that come later are clustered."""
    docs, store = tmp_path / "docs", tmp_path / "s"
    docs.mkdir()
    (docs / "a.txt").write_text("The cat sat on a mat.", encoding="utf-8")
    index(IndexRequest(store, (docs,), hierarchy=True), SETTINGS)
    assert listing(store)["entities"] == 0
    (docs / "b.txt").write_text("Ann Lee met Bob Ray in Oslo. Ann Lee and Bob Ray left Oslo.")
    index(IndexRequest(store), SETTINGS)
    assert listing(store)["entities"] > 0
