"""The journal of changed rows."""

import sqlite3

import pytest

from ragcli.store.journal import Journal, Watched


@pytest.fixture
def db() -> sqlite3.Connection:
    """An owner with rows, and pairs of which one may be written at a time."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(
        "PRAGMA foreign_keys = ON; CREATE TABLE owners (id INTEGER PRIMARY KEY);"
        "CREATE TABLE rows (id INTEGER PRIMARY KEY, owner REFERENCES owners ON DELETE CASCADE,"
        " name UNIQUE, vector);"
        "CREATE TABLE pairs (a, b, weight, PRIMARY KEY (a, b)) WITHOUT ROWID;"
        "INSERT INTO owners VALUES (1), (2);"
        "INSERT INTO rows VALUES (1, 1, 'x', 0), (2, 1, 'y', 0), (3, 2, 'z', 0), (4, 2, 'w', NULL);"
        "INSERT INTO pairs VALUES (1, 2, 5), (1, 3, 5), (1, 4, 5);"
    )
    db.execute("BEGIN")
    return db


ROWS = Watched("rows", ("id",), ("vector",))
PAIRS = Watched("pairs", ("a", "b"), ("weight",))


def notes(db: sqlite3.Connection, journal: Journal, table: str) -> list[tuple[int, ...]]:
    return db.execute(f"SELECT * FROM {journal.name(table)} ORDER BY 1, 2").fetchall()


def test_cascades_and_replacements_are_seen(db: sqlite3.Connection) -> None:
    """Rows deleted with their owner, and the one that INSERT OR REPLACE drives out."""
    journal = Journal(db, [ROWS])
    db.execute("DELETE FROM owners WHERE id = 1")
    db.execute("INSERT OR REPLACE INTO rows VALUES (9, 2, 'z', 1)")
    assert notes(db, journal, "rows") == [(1, 1), (2, 1), (3, 1), (9, 0)]


def test_only_a_value_that_changes_counts(db: sqlite3.Connection) -> None:
    """Other columns and equal values are no change; to and from NULL is one."""
    journal = Journal(db, [ROWS])
    db.execute("UPDATE rows SET name = 'q', vector = vector WHERE id = 1")
    db.execute("UPDATE rows SET vector = NULL WHERE id = 2")
    db.execute("UPDATE rows SET vector = 7 WHERE id = 4")
    assert notes(db, journal, "rows") == [(2, 1), (4, 1)]


def test_upserts_and_what_was_there_before(db: sqlite3.Connection) -> None:
    """The first note of a pair tells whether it was there, whatever happens to it later."""
    journal = Journal(db, [PAIRS])
    db.executemany(
        "INSERT INTO pairs VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET weight = weight + excluded.weight",
        [(1, 2, 1), (2, 3, 1), (2, 3, 4), (1, 3, -5), (1, 4, 0)],
    )
    db.execute("DELETE FROM pairs WHERE weight = 0 OR a = 2")
    db.execute("INSERT INTO pairs VALUES (1, 3, 1)")
    assert notes(db, journal, "pairs") == [(1, 2, 1), (1, 3, 1), (2, 3, 0)]


def test_closing_leaves_nothing_behind(db: sqlite3.Connection) -> None:
    """Neither tables nor triggers; and a rollback does as much."""
    journal = Journal(db, [ROWS, PAIRS])
    journal.close()
    Journal(db, [ROWS])
    db.execute("ROLLBACK")
    assert db.execute("SELECT count(*) FROM sqlite_temp_master").fetchone()[0] == 0


def test_a_note_costs_the_same_among_many() -> None:
    """Four times the rows take about four times the steps of SQLite, not sixteen times."""
    few, many = (_steps(rows) for rows in (250, 1000))
    assert many < 6 * few


def _steps(rows: int) -> int:
    """Return how many hundreds of steps SQLite takes to insert and to change so many rows."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, owner, name, vector)")
    Journal(db, [ROWS])
    steps = [0]

    def count() -> int:
        steps[0] += 1
        return 0

    db.set_progress_handler(count, 100)
    db.executemany("INSERT INTO rows (id) VALUES (?)", ((at,) for at in range(rows)))
    db.execute("UPDATE rows SET vector = 1")
    db.close()
    return steps[0]
