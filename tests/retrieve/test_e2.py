"""E2GraphRAG's adaptive retrieval, step by step."""

from pathlib import Path

from ragcli.asking.opening import open_space
from ragcli.config import Settings
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.retrieve.e2 import MAX_CHUNKS, _filter, collapsed_tree, leaves, local
from ragcli.retrieve.space import Space

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


def docs(space: Space, rows: list[int | None]) -> list[str]:
    return [space.chunk_hit(row, 0.0, 1, ()).doc for row in rows if row is not None]


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
    with open_space(store, SETTINGS) as space:
        finds = local(space, space.understand("Is Paris older than Vienna?"), 10)
        assert docs(space, [f.chunk for f in finds]) == ["a.txt", "b.txt"]
        assert "Paris - Vienna" in finds[0].note


def test_without_entities_the_tree_is_searched(tmp_path: Path) -> None:
    """A question that names nothing finds the passage that means it."""
    store = space_of(
        tmp_path, {"a.txt": "The kettle whistles.", "b.txt": "The bridge collapsed in a storm."}
    )
    with open_space(store, SETTINGS) as space:
        finds = collapsed_tree(space, space.understand("What fell down when it was windy?"), 5)
        hits = [space.passage_hit(f.passage, f.score, 1, ()) for f in finds if f.passage]
        assert hits[0].doc == "b.txt"
        assert len({f.passage for f in finds}) == len(finds)


def test_leaves_of_the_root_are_all_chunks(sample_store: Path) -> None:
    """From the store's root every chunk is reached, up to the limit."""
    with open_space(sample_store, SETTINGS) as space:
        root = space.db.execute(
            "SELECT rowid FROM nodes WHERE docrow IS NULL AND doc = '' ORDER BY level DESC LIMIT 1"
        ).fetchone()[0]
        every = {row for (row,) in space.db.execute("SELECT id FROM chunks")}
        assert set(leaves(space, root)) == every
        assert len(leaves(space, root, 5)) == 5
