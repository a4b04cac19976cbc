"""What a document is besides running text: its blocks, found once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laid_out import blocks_in

from ragcli.corpus.blocks import blocks_of
from ragcli.corpus.chunk import ChunkSettings, chunk
from ragcli.corpus.read import read
from ragcli.store.blocks import blocks_of_pieces, pack_blocks
from ragcli.store.packing import plain_data
from ragcli.types import ParsedDocument, Source
from ragcli.types.blocks import Block, flat, tree

Grid = list[list[str]]

MARKDOWN = "The torques are:\n\n| Part | Nm |\n|---|---|\n| Bolt | 51 |\n| Nut | |\n"
GRID = "+------+----+\n| Part | Nm |\n+======+====+\n| Bolt | 51 |\n+------+----+\n"
SIMPLE = "====  ==\nPart  Nm\n====  ==\nBolt  51\nNut\n====  ==\n"
ASCIIDOC = '[cols="1,1"]\n|===\n|Part |Nm\n\n|Bolt\n|51\n|===\n'
BARS = "Part | Nm\nBolt | 51\n"
DRAWN = "It prints:\n\n```\n| Part | Nm |\n+------+----+\n| Bolt | 51 |\n```\n"
HEAD, BOLT = ["Part", "Nm"], ["Bolt", "51"]


def table_in(text: str, blocks: tuple[Block, ...]) -> tuple[Grid, Grid]:
    """The cells of the head and of the rows of the only table."""
    (table,) = [block for block in blocks if block.kind == "table"]
    heads, rows = (
        [[text[c.start : c.end] for c in row.parts] for row in table.of(kind)]
        for kind in ("head", "row")
    )
    return heads, rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (MARKDOWN, [BOLT, ["Nut", ""]]),
        (GRID, [BOLT]),
        (SIMPLE, [BOLT, ["Nut", ""]]),
        (ASCIIDOC, [BOLT]),
        (BARS, [BOLT]),
        (DRAWN, [BOLT]),
    ],
)
def test_a_table_has_a_head_and_a_cell_for_each_column(text: str, rows: Grid) -> None:
    """In every way in which a text can draw one."""
    assert table_in(text, blocks_in(text)) == ([HEAD], rows)


def test_a_line_with_a_bar_is_no_table() -> None:
    """One alone is prose; so is a table's first row without a rule if it has numbers: no head."""
    assert blocks_in("Home | About us\n") == ()
    assert table_in(found := "Bolt | 51\nNut | 3\n", blocks_in(found))[0] == []


def read_one(path: Path) -> ParsedDocument:
    """The document of a file."""
    (found,) = read(Source(path.name, str(path), path.stat().st_size, 0))
    assert isinstance(found, ParsedDocument)
    return found


def test_the_reader_of_html_knows_cells_without_text_and_code(tmp_path: Path) -> None:
    """Their columns cannot be told from the text."""
    (tmp_path / "a.html").write_text(
        "<p>The torques are:</p><table><tr><th>Part</th><th>Nm</th><th>Note</th></tr>"
        "<tr><td>Nut</td><td></td><td>dry</td></tr></table><p>Then:</p><pre>make\nit</pre>"
    )
    document = read_one(tmp_path / "a.html")
    blocks = blocks_of(document)
    assert table_in(document.text, blocks) == ([["Part", "Nm", "Note"]], [["Nut", "", "dry"]])
    (code,) = [block for block in blocks if block.kind == "code"]
    assert document.text[code.start : code.end] == "make\nit"
    leads = [lead for block in blocks for lead in block.of("lead")]
    assert [document.text[one.start : one.end] for one in leads] == ["The torques are:", "Then:"]


def test_the_reader_of_tables_knows_heads_and_values_with_any_character(tmp_path: Path) -> None:
    """A semicolon or a colon in a cell ends nothing."""
    (tmp_path / "a.csv").write_text('Town,Pop;x,Note\nRibe,8257,"a; b: c"\nOslo,,x\n')
    document = read_one(tmp_path / "a.csv")
    (table,) = blocks_of(document)
    fields = [[[document.text[p.start : p.end] for p in field.parts] for field in row.of("field")]
              for row in table.of("row")]  # fmt: skip
    assert fields == [
        [["Town", "Ribe"], ["Pop;x", "8257"], ["Note", "a; b: c"]],
        [["Town", "Oslo"], ["Note", "x"]],
    ]


def test_lists_have_items_with_terms_and_a_lead() -> None:
    """An inner list is a part of its item."""
    text = "Options:\n\n* **size** - How much.\n  * `unit` - Of it.\n* Other.\n\nNo item.\n"
    (found,) = [block for block in blocks_in(text) if block.kind == "list"]
    assert [part.kind for part in found.parts] == ["lead", "item", "item"]
    label, inner = found.parts[1].parts
    assert text[label.start : label.end] == "**size**"
    assert text[inner.start : inner.end] == "* `unit` - Of it."
    assert text[found.end :] == "\n\nNo item.\n"


def test_a_term_has_what_stands_deeper_below_it() -> None:
    """As in the help of a program."""
    text = "--reset\n    Forgets it.\n\n    All of it.\nother\n"
    (term,) = blocks_in(text)
    assert (term.kind, text[term.start : term.end]) == ("term", text[: text.index("\nother")])


LINES = st.sampled_from(
    ["", "text", "Note:", "a: b; c: d", "- one", "  - two", "    deep", "```", "| a | b |",
     "|---|---|", "+--+--+", "== ==", "x  y", "|===", "|a |b", "# Head", "Yours,", "Ada Fell",
     "x | y", "1. **t** is", "::", ".. code-block:: sh"]
)  # fmt: skip


@given(st.lists(LINES, max_size=30).map("\n".join))
def test_any_text_has_blocks_in_order_with_their_parts_inside(text: str) -> None:
    """A lead stands before its block; nothing else stands outside of what it is a part of."""

    def check(blocks: tuple[Block, ...], start: int, end: int) -> None:
        for block in blocks:
            assert (0 if block.kind == "lead" else start) <= block.start <= block.end <= end
            check(block.parts, block.start, block.end)

    found = blocks_in(text)
    check(found, 0, len(text))
    assert [b.start for b in found] == sorted(b.start for b in found)
    assert tree(flat(found)) == found


@given(st.lists(LINES, max_size=60).map("\n".join), st.integers(4, 30))
def test_the_chunks_of_a_document_hold_all_its_blocks(text: str, size: int) -> None:
    """Together they say what the document says; each has the heads of its tables."""
    document = ParsedDocument("a.md", "", "", text)

    def offsets(piece: str) -> list[int]:
        return [at for at, character in enumerate(piece) if not character.isspace()]

    chunks = chunk(document, offsets, ChunkSettings(size, 0, size, 0))
    packed = [plain_data(pack_blocks(one.blocks)) or b"" for one in chunks]
    assert blocks_of_pieces(packed) == (blocks_of(document) if chunks else ())
    for one in chunks:
        for table in tree(one.blocks):
            whole = next(b for b in blocks_of(document) if b == table or b.start == table.start)
            assert table.first("head") == whole.first("head") or table.kind != whole.kind
