"""Texts and extractions are packed in the store, and SQL reads them as they were."""

from __future__ import annotations

import sqlite3
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.store import packing
from ragcli.store.packing import define_functions, pack_data, pack_text, plain_data, plain_text


@settings(deadline=None)
@given(st.text())
def test_texts_come_back(text: str) -> None:
    """Short and long ones."""
    assert plain_text(pack_text(text)) == text
    assert plain_text(pack_text(text * 50)) == text * 50


def test_only_what_gets_shorter_is_packed() -> None:
    """A short text stays readable in the file."""
    assert pack_text("harbour") == "harbour"
    assert isinstance(pack_text("harbour lights " * 20), bytes)


def test_sql_reads_packed_and_plain_values() -> None:
    """An extraction that a former release wrote is plain JSON."""
    db = sqlite3.connect(":memory:")
    define_functions(db)
    text = "The harbour lights had gone out. " * 9
    query = "SELECT substr(plain_text(?), 5, 7), plain_text(?), plain_data(?), plain_data(?)"
    values = (pack_text(text), None, pack_data(b"[1, []]"), b"[1, []]")
    assert db.execute(query, values).fetchone() == ("harbour", None, b"[1, []]", b"[1, []]")


@pytest.mark.parametrize("data", [b"x\x9c", zlib.compress(b"harbour")[:-3], b"x\x9cnot packed"])
def test_damaged_values_are_told(data: bytes) -> None:
    """Not read as something else."""
    with pytest.raises(ValueError, match="packed value"):
        plain_data(data)


def test_a_value_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store from elsewhere may hold a kilobyte that unpacks to a gigabyte."""
    monkeypatch.setattr(packing, "MOST", 1000)
    with pytest.raises(ValueError, match="too large"):
        plain_data(pack_data(bytes(2000)))
