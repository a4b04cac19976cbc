"""What the reader reads of a table: every cell behind the name of its column, in its place."""

from __future__ import annotations

from dataclasses import replace

from ragcli.answer.laid import Stretch
from ragcli.answer.rendered import rendered
from ragcli.types import Part

from .makers import part_of

TABLE = """Engines of the yard.

| Name | *Power* | Built |
|------|---------|-------|
| Ada | 51 kW | 1907 |
| Per | | 1911 |

Both are sold."""


def whole(part: Part) -> Stretch:
    """All of a part."""
    return Stretch(part, part.start, part.end)


def test_a_cell_comes_with_the_name_of_its_column() -> None:
    """Empty cells are left out; what is no row stays as it is."""
    text, _ = rendered(whole(part_of(TABLE)))
    assert "Name: Ada; Power: 51 kW; Built: 1907.\nName: Per; Built: 1911.\n" in text
    assert text.startswith("Engines of the yard.\n") and text.endswith("Both are sold.")


def test_every_cell_has_its_place_and_the_names_have_none() -> None:
    """The pieces hold the characters of the document, each at its offset in the text."""
    text, pieces = rendered(whole(part_of(TABLE)))
    found = {piece.text: (at, piece) for at, piece in pieces}
    for cell in ("Ada", "51 kW", "1907", "Per", "1911"):
        at, piece = found[cell]
        assert text[at : at + len(cell)] == cell == TABLE[piece.start : piece.end]
    inside = [range(at, at + piece.end - piece.start) for at, piece in pieces]
    name = text.index("Built: 1907")
    assert not any(name in span for span in inside)


def test_a_head_above_the_passage_names_the_columns_of_its_rows() -> None:
    """A long table is cut into passages; only the first of them holds the head."""
    part = part_of(TABLE)
    row, head = TABLE.index("| Per"), part.blocks[0].first("head")
    assert head is not None
    words = TABLE[head.start : head.end]
    later = replace(part, start=row, text=TABLE[row:], above=((head.start, words),))
    assert rendered(whole(later))[0].startswith("Name: Per; Built: 1911.")


def test_text_without_tables_is_one_piece() -> None:
    """Its marks are spaces, so every place stays."""
    part = part_of("See [the yard](yard.md) first.")
    text, pieces = rendered(whole(part))
    assert pieces == ((0, whole(part)),) and len(text) == part.end
    assert "yard.md" not in text
