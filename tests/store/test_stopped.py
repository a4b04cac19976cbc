"""Signals that come while SQLite calls a function of the store."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from ragcli.ending import TERMINATED, ending_in_order
from ragcli.errors import StoreError
from ragcli.store import live_views, packing
from ragcli.store.connection import FILE, as_store_errors, connect, create
from ragcli.store.rebuild import CACHES, carry
from ragcli.store.snapshot.snapshot import open_snapshot

SELECT = "SELECT plain_text(column1) FROM (VALUES (x'78'))"
# SQLite computes the first row when it executes, the second when that is fetched.
LATER = "SELECT plain_text(column1) FROM (VALUES ('a'), (x'78'))"


@pytest.fixture
def signalled(monkeypatch: pytest.MonkeyPatch) -> Callable[[signal.Signals], None]:
    """Let the signal come while SQLite calls ``plain_text``."""

    def at_unpacking(number: signal.Signals) -> None:
        def inflated(_value: bytes) -> bytes:
            signal.raise_signal(number)
            return b""

        monkeypatch.setattr(packing, "_inflated", inflated)

    return at_unpacking


@pytest.mark.parametrize(
    ("number", "raised"),
    [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)],
)
def test_a_signal_in_a_function_that_sqlite_calls_ends_in_order(
    tmp_path: Path,
    signalled: Callable[[signal.Signals], None],
    number: signal.Signals,
    raised: type[BaseException],
) -> None:
    signalled(number)
    with (
        pytest.raises(raised) as stop,
        ending_in_order(),
        closing(connect(tmp_path / FILE, readonly=False)) as db,
    ):
        db.execute(SELECT).fetchall()
    if raised is SystemExit:
        assert stop.value.args == (TERMINATED,)


READINGS: dict[str, Callable[[sqlite3.Connection], object]] = {
    "execute": lambda db: db.execute(SELECT),
    "executemany": lambda db: db.executemany("INSERT INTO t SELECT plain_text(?)", [(b"x",)]),
    "executescript": lambda db: db.executescript(f"{SELECT};"),
    "fetchone": lambda db: [(rows := db.execute(LATER)).fetchone(), rows.fetchone()],
    "fetchmany": lambda db: db.execute(LATER).fetchmany(2),
    "fetchall": lambda db: db.execute(LATER).fetchall(),
    "rows": lambda db: list(db.execute(LATER)),
    "a cursor": lambda db: db.cursor().execute(SELECT),
}


@pytest.mark.parametrize("way", READINGS)
def test_whoever_passes_over_errors_of_sqlite_does_not_pass_over_a_signal(
    tmp_path: Path, signalled: Callable[[signal.Signals], None], way: str
) -> None:
    signalled(signal.SIGINT)
    with (
        pytest.raises(KeyboardInterrupt),
        ending_in_order(),
        closing(connect(tmp_path / FILE, readonly=False)) as db,
    ):
        db.execute("CREATE TABLE t (x)")
        with suppress(sqlite3.Error):
            READINGS[way](db)


def test_ctrl_c_while_a_rebuild_copies_extractions(
    tmp_path: Path, signalled: Callable[[signal.Signals], None]
) -> None:
    """Damaged rows are left out; a signal in the function that finds them is no damage."""
    for store in ("old", "draft"):
        create(tmp_path / store)
    with closing(connect(tmp_path / "old" / FILE, readonly=False)) as old:
        old.execute("INSERT INTO extractions VALUES (x'00', x'78')")
    signalled(signal.SIGINT)
    with (
        closing(connect(tmp_path / "draft" / FILE, readonly=False)) as db,
        pytest.raises(KeyboardInterrupt),
        ending_in_order(),
    ):
        carry(db, tmp_path / "old" / FILE, CACHES)


def test_a_signal_in_the_check_of_a_query_ends_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Viewed:
        def __contains__(self, _table: object) -> bool:
            signal.raise_signal(signal.SIGINT)
            return False

    create(tmp_path)
    with pytest.raises(KeyboardInterrupt), ending_in_order(), open_snapshot(tmp_path) as snapshot:
        monkeypatch.setattr(live_views, "VIEWED", Viewed())
        snapshot.db.execute("SELECT value FROM meta").fetchall()


def test_an_earlier_signal_that_was_caught_does_not_hide_damage(tmp_path: Path) -> None:
    with ending_in_order(), closing(connect(tmp_path / FILE, readonly=False)) as db:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(StoreError), as_store_errors(tmp_path / FILE):
            db.execute(SELECT).fetchall()


def test_each_loss_is_told_once(
    tmp_path: Path,
    signalled: Callable[[signal.Signals], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signalled(signal.SIGINT)
    with ending_in_order(), closing(connect(tmp_path / FILE, readonly=False)) as db:
        with pytest.raises(KeyboardInterrupt), as_store_errors(tmp_path / FILE):
            db.execute(SELECT).fetchall()
        monkeypatch.undo()
        with pytest.raises(StoreError), as_store_errors(tmp_path / FILE):
            db.execute(SELECT).fetchall()


def test_handlers_are_as_before_and_others_stay() -> None:
    def own(_number: int, _frame: Any) -> None: ...

    former = signal.signal(signal.SIGINT, own)
    try:
        with ending_in_order():
            assert signal.getsignal(signal.SIGINT) is own
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGINT, former)


def test_without_a_signal_an_error_of_sqlite_is_told_as_such(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError),
        ending_in_order(),
        as_store_errors(tmp_path / FILE),
        closing(sqlite3.connect(tmp_path / FILE)) as db,
    ):
        db.execute("SELECT nothing FROM nowhere")
