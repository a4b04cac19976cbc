"""E2GraphRAG's adaptive retrieval, step by step."""

from pathlib import Path

from searching import Search, searching

from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.papers.e2 import MAX_CHUNKS, _filter, collapsed_tree, leaves, local

SETTINGS = Settings(workers=1)


def chunks(**held: list[int]) -> dict[int, dict[int, int]]:
    """Entity -> chunks that hold it, one mention each; e1=[7, 8] is entity 1 in chunks 7 and 8."""
    return {int(name[1:]): dict.fromkeys(rows, 1) for name, rows in held.items()}


def test_pairs_give_the_chunks_that_hold_both() -> None:
    """The intersection, never the union."""
    assert _filter({(1, 2): 1}, chunks(e1=[7, 8], e2=[8, 9])) == {8: [(1, 2)]}


def test_hops_are_lowered_until_few_enough_chunks_remain() -> None:
    """Forty chunks of a far pair are dropped when a near pair is left with one."""
    many = list(range(100, 140))
    held = chunks(e1=[5, *many], e2=[5], e3=many)
    assert _filter({(1, 2): 1, (1, 3): 4}, held) == {5: [(1, 2)]}


def test_an_empty_step_falls_back_to_the_one_before() -> None:
    """When lowering leaves nothing, the larger set is kept, however large."""
    many = list(range(100, 140))
    kept = _filter({(1, 2): 3}, chunks(e1=many, e2=many))
    assert len(kept) == 40 > MAX_CHUNKS


def test_no_close_pair_gives_nothing() -> None:
    """Without pairs there is no local evidence."""
    assert _filter({}, chunks(e1=[1])) == {}


def space_of(tmp_path: Path, texts: dict[str, str]) -> Path:
    """A store of a few documents."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    index(IndexRequest(tmp_path / "store", (folder,)), SETTINGS)
    return tmp_path / "store"


def docs(search: Search, rows: list[int | None]) -> list[str]:
    return [search.index.chunk_hit(row, 0.0, 1, ()).doc for row in rows if row is not None]


def test_local_prefers_chunks_that_are_about_the_pair(tmp_path: Path) -> None:
    """Coverage: the chunk with two of three entities named comes before that with two of many."""
    store = space_of(
        tmp_path,
        {
            "a.txt": "Paris is older than Vienna.",
            "b.txt": "Paris, Vienna, Rome, Berlin, London, Madrid and Lisbon are capital cities"
            " with rivers, bridges, museums, parks, cafes and theatres.",
            "c.txt": "Rome has fountains.",
        },
    )
    with searching(store, SETTINGS) as search:
        question = search.understand("Is Paris older than Vienna?")
        finds = local(search.index, question, 10).finds
        assert docs(search, [f.chunk for f in finds]) == ["a.txt", "b.txt"]
        assert "Paris - Vienna" in finds[0].note


def test_without_entities_the_tree_is_searched(tmp_path: Path) -> None:
    """A question that names nothing finds the passage that means it."""
    store = space_of(
        tmp_path, {"a.txt": "The kettle whistles.", "b.txt": "The bridge collapsed in a storm."}
    )
    with searching(store, SETTINGS) as search:
        finds = collapsed_tree(
            search.index, search.understand("What fell down when it was windy?"), 5
        )
        hits = [search.index.passage_hit(f.passage, f.score, 1, ()) for f in finds if f.passage]
        assert hits[0].doc == "b.txt"
        assert len({f.passage for f in finds}) == len(finds)


def test_leaves_of_the_root_are_all_chunks(sample_store: Path) -> None:
    """From the store's root every chunk is reached, up to the limit."""
    with searching(sample_store, SETTINGS) as search:
        root = search.snapshot.nodes.top()
        assert root is not None
        every = {row for (row,) in search.snapshot.db.execute("SELECT id FROM live_chunks")}
        assert set(leaves(search.index, root)) == every
        assert len(search.snapshot.nodes.leaves(root, 5)) == 5
