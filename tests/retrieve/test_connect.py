"""How two entities connect."""

from pathlib import Path

import pytest
from searching import searching

from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.retrieve.connect import connect
from ragcli.retrieve.question import entity_called

SETTINGS = Settings(workers=1)
TEXTS = {
    "a.txt": "Mara Linde met Jon Berg in the morning.",
    "b.txt": "Jon Berg wrote to Clara Voss about it.\nClara Voss answered Peter Hale.",
    "d.txt": "The Treaty Of Arms binds Mona Lund.",
    "c.txt": "Quentin Marsh sailed with Rosa Quist.",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People who met or wrote to each other, and two who did neither."""
    base = tmp_path_factory.mktemp("connect")
    (base / "docs").mkdir()
    for name, text in TEXTS.items():
        (base / "docs" / name).write_text(text)
    index(IndexRequest(base / "store", (base / "docs",)), SETTINGS)
    return base / "store"


def test_the_way_goes_over_shared_sentences(store: Path) -> None:
    """Each link has a sentence that names both ends, true to the character."""
    with searching(store, SETTINGS) as search:
        links = connect(
            search.index,
            entity_called(search.index, "Mara Linde"),
            entity_called(search.index, "Clara Voss"),
        )
    assert links is not None
    assert [(k.source, k.target) for k in links] == [
        ("Mara Linde", "Jon Berg"),
        ("Jon Berg", "Clara Voss"),
    ]
    for link in links:
        assert TEXTS[link.doc][link.start : link.end] == link.sentence
        assert link.source in link.sentence and link.target in link.sentence
        assert link.line == 1


def test_what_only_capitals_name_has_its_sentence(store: Path) -> None:
    """A run of capitals is in the graph, where the English pipeline sees two nouns."""
    with searching(store, SETTINGS) as search:
        ends = (
            entity_called(search.index, "Treaty Of Arms"),
            entity_called(search.index, "Mona Lund"),
        )
        links = connect(search.index, *ends)
    assert links is not None
    assert [(k.doc, k.sentence) for k in links] == [("d.txt", TEXTS["d.txt"])]


def test_no_way_is_none(store: Path) -> None:
    """People of another story are not reached."""
    with searching(store, SETTINGS) as search:
        assert (
            connect(
                search.index,
                entity_called(search.index, "Mara Linde"),
                entity_called(search.index, "Rosa Quist"),
            )
            is None
        )


def test_an_unknown_name_is_an_error(store: Path) -> None:
    """A name that the store does not know cannot be an end."""
    with searching(store, SETTINGS) as search, pytest.raises(InputError, match="Nobody"):
        entity_called(search.index, "Nobody Known")
