"""Queries over tables: what they may do, and the rows that they tell."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.errors import InputError
from ragcli.search.tables.query import _traced
from ragcli.search.tables.read import TableContent, identifier
from ragcli.search.tables.sandbox import QueryTimeout, Row, TableSandbox
from ragcli.search.tables.sql_shape import shape_of
from ragcli.types.tables import CellValue, TableColumn


def content(**columns: list[CellValue]) -> TableContent:
    """A table with these columns."""
    rows = len(next(iter(columns.values())))
    heads = tuple(TableColumn(name, name) for name in columns)
    return TableContent(heads, list(columns.values()), [(n, n + 1) for n in range(rows)])


TOWNS = content(town=["Ribe", "Skive", "Mors"], people=[8257, 20190, None])
BOATS = content(boat=["Ane", "Bo"], town=["Ribe", "Mors"])


def load(name: str) -> TableContent:
    """Two tables, and one that is large."""
    if name == "many":
        return content(n=list(range(3000)))
    try:
        return {"towns": TOWNS, "boats": BOATS}[name.casefold()]
    except KeyError:
        raise InputError(f"there is no table {name!r}") from None


@pytest.fixture
def sandbox() -> Iterator[TableSandbox]:
    with closing(TableSandbox(load, 5.0)) as made:
        yield made


def ask(query: str, most: int = 50, seconds: float = 5.0) -> list[Row]:
    """The rows of a query."""
    with closing(TableSandbox(load, seconds)) as made:
        return made.run(query, most)[1]


def used(query: str) -> list[list[tuple[str, tuple[int, ...], int | None]]] | None:
    """The rows of tables behind each row of a result."""
    with closing(TableSandbox(load, 5.0)) as made:
        rows = made.run(query, 50)[1]
        shape = shape_of(query)
        found = _traced(made, query, shape, rows, 50) if shape else None
    if found is None:
        return None
    return [[(one.table, one.rows, one.first) for one in row] for row in found]


def test_a_query_reads_the_tables_that_it_names(sandbox: TableSandbox) -> None:
    """In any case and in quotes; others are not loaded."""
    assert sandbox.run('SELECT town FROM "Towns" WHERE people > 9000', 9) == (
        ["town"],
        [("Skive",)],
        False,
    )
    assert sandbox.names == ["Towns"]
    joined = "SELECT b.boat, t.people FROM towns t JOIN boats b USING (town) ORDER BY 1"
    assert sandbox.run(joined, 9)[1] == [("Ane", 8257), ("Bo", None)]
    assert sandbox.run("WITH x AS (SELECT 1 AS a) SELECT a FROM x -- the end", 9)[1] == [(1,)]


def test_rows_are_limited_and_more_are_told(sandbox: TableSandbox) -> None:
    assert sandbox.run("SELECT town FROM towns", 2) == (["town"], [("Ribe",), ("Skive",)], True)
    assert not sandbox.run("SELECT town FROM towns", 3)[2]


HOSTILE = [
    "INSERT INTO towns VALUES ('x', 1)",
    "WITH x AS (SELECT 1) INSERT INTO towns SELECT 'x', 1",
    "WITH x AS (SELECT 1) DELETE FROM towns",
    "UPDATE towns SET people = 0",
    "DROP TABLE towns",
    "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x AS SELECT 1",
    "ATTACH DATABASE '{file}' AS x",
    "VACUUM INTO '{file}'",
    "PRAGMA temp_store_directory = '{file}'",
    "PRAGMA database_list",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM pragma_table_info('towns')",
    "SELECT * FROM sqlite_master",
    "SELECT name FROM sqlite_temp_master",
    "SELECT load_extension('{file}')",
    "SELECT readfile('{file}')",
    "SELECT writefile('{file}', 'x')",
    "SELECT fts3_tokenizer('x')",
    "SELECT randomblob(1000000000)",
    "SELECT zeroblob(1000000000)",
    "SELECT printf('%.*c', 1000000000, 'x')",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    "SELECT 1; DROP TABLE towns",
    "SELECT 1; SELECT 2",
    "BEGIN",
    "EXPLAIN SELECT 1",
    "SELECT * FROM nowhere",
    "SELECT * FROM main.towns2",
    "SELECT nothing FROM towns",
    'SELECT "nothing" FROM towns',
    "SELECT",
    "",
    " ; ",
    "-- only a remark",
    "/* open",
    "SELECT 'open",
    "SELECT 1 \0",
    "SELECT " + "(" * 2000 + "1" + ")" * 2000,
    "SELECT 1" + " " * 20_000,
    "SELECT " + " + ".join(["1"] * 500),
    "SELECT group_concat(a.n) FROM many a, many b",
    "SELECT x'00', CAST(x'ff' AS TEXT), hex(zeroblob(9))",
]


@pytest.mark.parametrize("query", HOSTILE)
def test_nothing_but_select_of_tables(query: str, tmp_path: Path) -> None:
    """Refused with a message; no file comes to be, and the tables stay as they are."""
    with closing(TableSandbox(load, 5.0)) as made:
        before = made.run("SELECT * FROM towns", 9)
        with pytest.raises(InputError):
            made.run(query.replace("{file}", str(tmp_path / "x")), 9)
        assert made.run("SELECT * FROM towns", 9) == before
    assert not list(tmp_path.iterdir())


WORDS = st.sampled_from(
    "SELECT FROM towns boats town people WHERE = > 1 'x' \"town\" * , ( ) count sum max AS x JOIN"
    " ON UNION ALL EXCEPT GROUP BY ORDER LIMIT 2 WITH RECURSIVE VALUES INSERT INTO DELETE UPDATE"
    " SET DROP TABLE CREATE VIEW TRIGGER ATTACH DETACH PRAGMA sqlite_master VACUUM"
    " REPLACE REINDEX ANALYZE BEGIN COMMIT SAVEPOINT load_extension rowid NULL IN EXISTS CASE WHEN"
    " THEN END DISTINCT OVER ; -- /* */".split()
)


@given(st.lists(WORDS, max_size=14).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_no_words_of_sql_change_a_table(query: str) -> None:
    """Whatever is asked gives rows or a message, and the tables stay as they are."""
    with closing(TableSandbox(load, 2.0)) as made:
        with suppress(InputError):
            made.run(f"SELECT {query}", 20)
        for name, table in (("towns", TOWNS), ("boats", BOATS)):
            rows = list(zip(*table.values, strict=True))
            assert made.run(f"SELECT * FROM {name}", 9)[1] == rows


@given(st.lists(WORDS, max_size=12).map(" ".join))
@settings(max_examples=200, deadline=None)
def test_the_shape_of_any_words_is_found_or_not(query: str) -> None:
    """It never fails, and ends inside the query."""
    shape = shape_of(f"SELECT {query}")
    assert shape is None or 0 < shape.end < len(query) + 7


def test_a_query_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(QueryTimeout):
        ask("SELECT count(*) FROM many a, many b, many c", seconds=0.2)


def test_sorting_writes_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is too much for the cache of SQLite stays in memory."""
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path / "none"))
    query = "SELECT a.n FROM many a, (SELECT n FROM many LIMIT 100) b ORDER BY a.n * b.n % 997, 1"
    assert len(ask(query, seconds=60.0)) == 50


def test_rows_that_a_query_keeps_apart() -> None:
    assert used("SELECT town FROM towns WHERE people > 1 ORDER BY people DESC") == [
        [("towns", (1,), None)],
        [("towns", (0,), None)],
    ]
    assert used("SELECT * FROM towns t LEFT JOIN boats AS b ON b.town = t.town LIMIT 2") == [
        [("towns", (0,), None), ("boats", (0,), None)],
        [("towns", (1,), None), ("boats", (), None)],
    ]
    inner = "SELECT town FROM towns WHERE people = (SELECT max(people) FROM towns)"
    assert used(inner) == [[("towns", (1,), None)]]


def test_rows_that_a_query_joins() -> None:
    """All that count; of the greatest, the row that has it comes first."""
    assert used("SELECT count(*), sum(people) FROM towns") == [[("towns", (0, 1, 2), None)]]
    assert used("SELECT town, max(people) FROM towns") == [[("towns", (0, 1, 2), 1)]]
    assert used("SELECT max(people, 3) FROM towns WHERE town = 'Ribe'") == [[("towns", (0,), None)]]
    assert used("SELECT round(avg(people), 1) FROM towns WHERE town > 'Z'") == [
        [("towns", (), None)]
    ]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT DISTINCT town FROM towns",
        "SELECT town FROM towns UNION SELECT town FROM boats",
        "SELECT n FROM (SELECT count(*) AS n FROM towns)",
        "WITH x AS (SELECT town FROM towns) SELECT town FROM x",
        "SELECT 1",
    ],
)
def test_rows_that_are_not_known_are_not_told(query: str) -> None:
    assert used(query) is None


KEYS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-5, 5)), min_size=1, max_size=12)


@given(KEYS, st.integers(-5, 5))
@settings(deadline=None)
def test_told_rows_are_those_that_count(rows: list[tuple[str, int]], least: int) -> None:
    """Against the same groups made in Python."""
    table = content(k=[k for k, _ in rows], v=[v for _, v in rows])
    query = f"SELECT k, sum(v) FROM t WHERE v >= {least} GROUP BY k ORDER BY k"
    with closing(TableSandbox(lambda _: table, 5.0)) as made:
        found = made.run(query, 50)[1]
        shape = shape_of(query)
        assert shape is not None
        told = _traced(made, query, shape, found, 50)
    kept = sorted((k, at) for at, (k, v) in enumerate(rows) if v >= least)
    groups = [(k, tuple(at for _, at in g)) for k, g in groupby(kept, lambda one: one[0])]
    assert told is not None
    assert [one.rows for (one,) in told] == [places for _, places in groups]
    assert found == [(k, sum(rows[at][1] for at in places)) for k, places in groups]


@given(st.text(max_size=40))
def test_a_name_of_a_column_needs_no_quotes(head: str) -> None:
    """Unless it is a word of SQL."""
    name = identifier(head)
    if not name or name.upper() in RESERVED:
        return
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE TABLE t ({name})")


RESERVED = frozenset(
    "ADD ALL ALTER AND AS AUTOINCREMENT BETWEEN CASE CHECK COLLATE COMMIT CONSTRAINT CREATE DEFAULT"
    " DEFERRABLE DELETE DISTINCT DROP ELSE ESCAPE EXCEPT EXISTS FOREIGN FROM GROUP HAVING IN INDEX"
    " INSERT INTERSECT INTO IS ISNULL JOIN LIMIT NOT NOTHING NOTNULL NULL ON OR ORDER PRIMARY"
    " REFERENCES RETURNING SELECT SET TABLE THEN TO TRANSACTION UNION UNIQUE UPDATE USING VALUES"
    " WHEN WHERE".split()
)
