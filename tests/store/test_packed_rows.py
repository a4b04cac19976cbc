"""Rows of JSON as columns: the same bytes again, or not packed at all."""

from __future__ import annotations

import contextlib
import zlib

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.store.packed_rows import columns_of, rows_of
from ragcli.store.packing import pack_data, packed_data, plain_data

offsets = st.integers(0, 2**40)
texts = st.text(max_size=5)
rows = st.lists(st.tuples(offsets, offsets, texts, texts, offsets), max_size=20)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=9), rows)
def test_any_rows_come_back_to_the_byte(
    by: str, found: list[tuple[int, int, str, str, int]]
) -> None:
    """Also offsets that fall, texts with any character, and no rows: those are not packed so."""
    data = orjson.dumps([by, found])
    assert plain_data(pack_data(data)) == data
    assert plain_data(packed_data(zlib.compress(data))) == data
    assert plain_data(packed_data(data)) == data


def test_rows_in_order_are_packed_as_columns() -> None:
    """As an extraction is: half of the bytes that its JSON takes, compressed."""
    names = ["anchor", "Borgholm", "captain", "Dalby", "ferry"]
    found = [[9 * n, 9 * n + len(x), "LOC", x, n // 7] for n, x in enumerate(names * 40)]
    data = orjson.dumps(["spacy", found])
    columns = columns_of(data)
    assert columns is not None and rows_of(columns) == data
    assert len(pack_data(data)) < 0.6 * len(zlib.compress(data))


@pytest.mark.parametrize(
    "data",
    [
        b'["x",[]]',
        b'["x",[[2,1,"a"]]]',
        b'["x",[[1,2],[1]]]',
        b'["x",[[1.5]]]',
        b'["x",[[true]]]',
        b'["x",[["a\\u0000b"]]]',
        b'["x", [[1,2]]]',
        b'{"a":1}',
        b"[1]",
        b"no JSON",
    ],
)
def test_what_has_another_form_is_compressed_as_it_is(data: bytes) -> None:
    assert plain_data(pack_data(data)) == data
    assert columns_of(data) is None or rows_of(columns_of(data) or b"") == data


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_damage_is_told(cut: int) -> None:
    """Wherever columns are cut, or a byte of them changes, no other error comes out."""
    packed = pack_data(orjson.dumps(["spacy", [[n, n + 2, "LOC", "ab", 0] for n in range(9)]]))
    inner = zlib.decompress(packed[1:])
    changed = bytearray(inner)
    changed[cut % len(inner)] ^= 0xFF
    for damaged in (
        packed[: 1 + cut % (len(packed) - 1)],
        b"\x01" + zlib.compress(inner[: max(cut % len(inner), 1)]),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            plain_data(damaged)
        assert packed_data(damaged) == damaged
    with contextlib.suppress(ValueError):
        plain_data(b"\x01" + zlib.compress(bytes(changed)))


def test_a_number_without_an_end_is_damage() -> None:
    """It would take hours to build."""
    head = b'["x",1,[0],[99]]'
    with pytest.raises(ValueError, match="too large"):
        rows_of(len(head).to_bytes(4, "little") + head + b"\xff" * 99)
