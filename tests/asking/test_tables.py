"""Tables of a store: what is listed, what queries give, and the characters that they cite."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from docx import Document

import ragcli
from ragcli.api import Store, Stores
from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.serve.call import Call
from ragcli.serve.served import Served
from ragcli.serve.tools import Tools
from ragcli.types import Scope
from ragcli.types.tables import TableResult

pytestmark = pytest.mark.slow

SETTINGS = Settings(workers=1, answer="extractive", llm="none")
PLANETS = """\
Planet,Mass (10^24 kg),Diameter,Moons,Found
Earth,5.97,"12,756 km",1,
Mars,0.642,"6,792 km",2,n/a
Uranus,86.8,"51,118 km",28,13 March 1781
"""
PUMPS = """\
# Pumps

## Torque

These are the torques:

| Bolt | Torque | |
|---|---|---|
| **M8** | 25 Nm | dry |
| M10 | 51 Nm | |

## Spares

| Part | Price |
|---|---|
| [seal](x.md) | $12.50 |
"""
TOWNS = """<h1>Towns</h1><table><tr><th>Town</th><th>People</th></tr>
<tr><td>Ribe</td><td>8,257</td></tr><tr><td>Skive</td><td></td></tr></table>"""
LONG = 500
"""Rows of a table that is cut into many chunks."""
WIDE = 2000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of several formats, and the store of them in ``s``; another one in ``t``."""
    made = tmp_path_factory.mktemp("tables")
    docs = made / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "planets.csv").write_text(PLANETS)
    (docs / "pumps.md").write_text(PUMPS)
    (docs / "sub" / "towns.html").write_text(TOWNS)
    (docs / "sub" / "pumps.csv").write_text("name,flow\nP1,12 l/s\nP2,15 l/s\n")
    (docs / "hostile.csv").write_text(
        'a,,"say ""x""",select,rowid,drop table\n1,2,3,4,5,6\n8,,9,10,,11\n'
    )
    (docs / "twice.md").write_text(
        "| a | a | 1; DROP TABLE x | |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |\n| 5 | | | |\n"
    )
    (docs / "years.csv").write_text("city,2014_births,2015_births\nRibe,211,344\nMors,4,7\n")
    (docs / "wide.csv").write_text(
        f"{','.join(f'c{n}' for n in range(WIDE))}\n{','.join(map(str, range(WIDE)))}\n"
    )
    with (docs / "long.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [("id", "name", "note"), *((n, f"n{n % 7}", "x; y: z " * (n % 3)) for n in range(LONG))]
        )
    data = Path(__file__).resolve().parent.parent / "data"
    shutil.copy(data / "cranes-groff.pdf", docs / "cranes.pdf")
    shutil.copy(data / "towns.xlsx", docs / "book.xlsx")
    letter = Document()
    table = letter.add_table(3, 2)
    for row, cells in zip(table.rows, (("Key", "Door"), ("K1", "12"), ("K2", "14")), strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    letter.save(str(docs / "keys.docx"))
    ragcli.index(docs, made / "s", settings=SETTINGS)
    other = made / "other"
    other.mkdir()
    (other / "planets.csv").write_text("planet,colour\nMars,red\nEarth,blue\n")
    ragcli.index(other, made / "t", settings=SETTINGS)
    return made


@pytest.fixture
def store(folder: Path) -> Any:
    """The store, open."""
    with Store.open(folder / "s", SETTINGS) as opened:
        yield opened


def values(found: TableResult) -> list[tuple[object, ...]]:
    """The rows of a result without what they are from."""
    return [row.values for row in found.rows]


def test_every_table_has_an_id(store: Store) -> None:
    """A short name only where one document has it."""
    found = {table.id: table for table in store.tables()}
    assert set(found) == {
        *("planets.csv#t1", "pumps.md#t1", "pumps.md#t2", "sub/towns.html#t1", "sub/pumps.csv#t1"),
        *(
            "hostile.csv#t1",
            "twice.md#t1",
            "years.csv#t1",
            "wide.csv#t1",
            "long.csv#t1",
            "keys.docx#t1",
        ),
        *("cranes.pdf#t1", "book.xlsx#towns#t1"),
    }
    torque = found["pumps.md#t1"]
    assert (torque.name, torque.rows, torque.heads) == ("", 2, ("Bolt", "Torque", ""))
    assert torque.about == "These are the torques:"
    assert found["pumps.md#t2"].about == "Pumps > Spares"
    assert found["sub/pumps.csv#t1"].name == "sub_pumps"
    assert found["long.csv#t1"].rows == LONG
    assert found["keys.docx#t1"].heads == ("Key", "Door")


def test_columns_have_kinds_and_units(store: Store) -> None:
    found = store.table("planets", rows=2)
    columns = found.tables[0].columns
    assert [(c.name, c.kind, c.unit) for c in columns] == [
        ("planet", "text", ""),
        ("mass_10_24_kg", "number", ""),
        ("diameter", "number", "km"),
        ("moons", "number", ""),
        ("found", "date", ""),
    ]
    assert values(found) == [("Earth", 5.97, 12756, 1, None), ("Mars", 0.642, 6792, 2, None)]
    assert found.more
    (row,) = store.query_tables('SELECT * FROM "pumps.md#t2"').rows
    assert row.values == ("seal", 12.5)
    (row,) = store.query_tables("SELECT load, keeper FROM cranes WHERE crane = 'South'").rows
    assert row.values == (7.5, "Jon Berg")
    (row,) = store.query_tables('SELECT town, elected FROM "book.xlsx#towns" LIMIT 1').rows
    assert row.values == ("Ribe", "2021-11-16")
    found = store.query_tables('SELECT bolt, column_3 FROM "pumps.md#t1" WHERE torque < 30')
    assert values(found) == [("M8", "dry")]


def test_rows_cite_the_characters_that_they_are_from(store: Store) -> None:
    """Row by row, and the lines of the file."""
    names = ("planets", '"pumps.md#t1"', '"sub/towns.html"', "keys", "hostile", "long", "cranes")
    for name in names:
        found = store.query_tables(f"SELECT * FROM {name} WHERE rowid < 40")
        assert found.traced and len(found.citations) == len(found.rows) > 0
        for n, (row, cited) in enumerate(zip(found.rows, found.citations, strict=True), 1):
            assert row.cited == (cited.n,) == (n,)
            assert row.used[0].spans == ((n, n),) and row.used[0].count == 1
            assert store.text(cited.doc, cited.start, cited.end) == cited.quote
            assert all(str(v) in cited.quote.replace(",", "") for v in row.values[:1] if v)
    lines = [one.line_start for one in store.query_tables("SELECT * FROM planets").citations]
    assert lines == [2, 3, 4]


def test_joined_rows_are_told(store: Store) -> None:
    """How many, which, and the one with the greatest value."""
    found = store.query_tables("SELECT name, count(*), max(id) FROM long GROUP BY name")
    assert [row.used[0].count for row in found.rows] == [row.values[1] for row in found.rows]
    (most,) = store.query_tables("SELECT planet, max(moons) FROM planets").rows
    assert most.values == ("Uranus", 28)
    (used,) = most.used
    assert used.table == "planets.csv#t1" and used.spans == ((1, 3),)
    found = store.query_tables("SELECT DISTINCT name FROM long")
    assert not found.traced and not found.citations and len(found.rows) == 7


def test_a_long_table_is_the_one_of_its_file(folder: Path, store: Store) -> None:
    """Rows that two chunks share count once, and no cell is lost."""
    with (folder / "docs" / "long.csv").open(newline="") as file:
        _, *rows = csv.reader(file)
    found = store.query_tables("SELECT id, name, note FROM long", rows=LONG)
    wanted = [(int(id_), name, note.strip() or None) for id_, name, note in rows]
    assert values(found) == wanted


def test_hostile_heads(store: Store) -> None:
    """The same twice, none, with quotes, words of SQL; and more columns than a query may have."""
    found = store.query_tables("SELECT * FROM hostile")
    names = [column.name for column in found.tables[0].columns]
    assert sorted(names) == ["a", "column_6", "drop_table", "rowid_2", "say_x", "select"]
    by_name = [dict(zip(names, row, strict=True)) for row in values(found)]
    assert [row["a"] for row in by_name] == [1, 8]
    assert [row["column_6"] for row in by_name] == [2, None]
    assert [row["rowid_2"] for row in by_name] == [5, None]
    found = store.query_tables("SELECT a, a_2, _1_drop_table_x, column_4 FROM twice")
    assert values(found) == [(1, 2, 3, 4), (5, None, None, None)]
    found = store.query_tables('SELECT "select", say_x FROM hostile')
    assert values(found) == [(4, 3), (10, 9)]
    wide = store.query_tables("SELECT * FROM wide")
    assert len(wide.rows[0].values) == 1900 and "100 columns of wide left out" in wide.note
    assert wide.rows[0].values[:3] == (0, 1, 2) and wide.rows[0].cited == (1,)


def test_the_first_row_is_the_head_where_it_has_words_above_numbers(store: Store) -> None:
    """Although the reader of the file takes heads that begin with a figure for data."""
    found = store.query_tables("SELECT city, _2015_births FROM years ORDER BY 2")
    assert values(found) == [("Mors", 7), ("Ribe", 344)]
    assert [row.used[0].spans for row in found.rows] == [((2, 2),), ((1, 1),)]
    assert [one.line_start for one in found.citations] == [3, 2]


def test_names_that_mean_no_table_or_several(store: Store) -> None:
    with pytest.raises(InputError, match="3 tables are called 'pumps'"):
        store.query_tables("SELECT * FROM pumps")
    with pytest.raises(InputError, match="no table 'nowhere'"):
        store.table("nowhere")
    with pytest.raises(InputError, match="no table"):
        store.table("pumps.md#t3")
    with pytest.raises(InputError, match="no such column: Torque"):
        store.query_tables('SELECT "Torque x" FROM "pumps.md#t1"'.replace(" x", "s"))


def test_a_scope_limits_the_tables(store: Store) -> None:
    """A table outside is not there."""
    scope = Scope(paths=("sub",))
    ids = {table.id for table in store.tables(scope=scope)}
    assert ids == {"sub/towns.html#t1", "sub/pumps.csv#t1"}
    assert values(store.query_tables("SELECT flow FROM pumps", scope=scope)) == [(12,), (15,)]
    with pytest.raises(InputError, match="no table 'planets'"):
        store.query_tables("SELECT * FROM planets", scope=scope)


def test_tables_of_several_stores(folder: Path) -> None:
    """Their ids begin with the name of the store, and a query may join them."""
    with Stores.open([folder / "s", folder / "t"], SETTINGS) as stores:
        ids = {table.id for table in stores.tables()}
        assert {"s:planets.csv#t1", "t:planets.csv#t1"} <= ids
        with pytest.raises(InputError, match="2 tables are called 'planets'"):
            stores.table("planets")
        query = (
            'SELECT a.planet, b.colour FROM "s:planets.csv#t1" a JOIN "t:planets.csv" b'
            " USING (planet) ORDER BY 1"
        )
        found = stores.query_tables(query)
        assert values(found) == [("Earth", "blue"), ("Mars", "red")]
        one, other = (found.citations[n - 1] for n in found.rows[0].cited)
        assert (one.store, other.store) == (str(folder / "s"), str(folder / "t"))
        assert "Earth" in one.quote and "blue" in other.quote


def use(served: Served, tool: str, /, **arguments: object) -> Any:
    """The structure and the text of a tool's result."""
    (found,) = [t for t in Tools(served, SETTINGS).all() if t.name == tool]
    result = found.result(Call(), arguments)
    return result["structuredContent"], result["content"][0]["text"]


def test_tools_for_assistants(folder: Path) -> None:
    served = Served([folder / "s", folder / "t"])
    page, text = use(served, "list_tables", limit=3)
    assert page["total"] == 14 and len(page["tables"]) == 3 == page["next_offset"]
    assert "s:hostile.csv#t1 (2 rows): a, say" in text
    sql = 'SELECT bolt, torque FROM "s:pumps.md#t1" ORDER BY torque DESC'
    found, text = use(served, "query_tables", sql=sql, rows=1)
    assert found["rows"][0]["values"] == ("M10", 51) and found["more"]
    assert found["citations"][0]["doc"] == "s:pumps.md" and found["citations"][0]["store"] == "s"
    assert '{"row":["M10",51],"from":["' in text and "torque in Nm" in text
    alone, _ = use(Served([folder / "s"]), "query_tables", sql="SELECT sum(flow) FROM sub_pumps")
    assert alone["rows"][0]["values"] == (27,)
    with pytest.raises(InputError, match="only SELECT"):
        use(served, "query_tables", sql="DELETE FROM planets")


def test_the_command(folder: Path, called: Run) -> None:
    """Each format; what is refused; no table."""
    where = ("--store", folder / "s")
    listed = called("table", "list", "sub", *where, "--json").stdout.splitlines()
    assert [json.loads(line)["id"] for line in listed] == ["sub/pumps.csv#t1", "sub/towns.html#t1"]
    shown = called("table", "show", "pumps.md#t1", *where).stdout
    assert "Nm" in shown and "pumps.md:9" in shown
    query = "SELECT planet, moons FROM planets WHERE moons > 1 ORDER BY moons"
    printed = called("table", "query", query, "-n", 1, *where)
    assert printed.stdout.splitlines()[1].split()[:2] == ["Mars", "2"]
    assert "the first 1 row" in printed.stderr
    as_csv = called("table", "query", "--format", "csv", *where, "-", input=query).stdout
    assert as_csv == "planet,moons\nMars,2\nUranus,28\n"
    marked = called("table", "query", query, "--format", "markdown", *where).stdout
    assert marked.splitlines()[1:3] == ["| --- | --- |", "| Mars | 2 |"]
    found = json.loads(called("table", "query", query, "--json", *where).stdout)
    assert found["rows"][1]["values"] == ["Uranus", 28]
    refused = called("table", "query", "DROP TABLE planets", *where)
    assert refused.returncode == 2 and "only SELECT" in refused.stderr
    empty = called("table", "query", "SELECT * FROM planets WHERE moons < 0", *where)
    assert empty.returncode == 1
