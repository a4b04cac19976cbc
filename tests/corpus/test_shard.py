"""Shards: each document in one of them, in the same one on every machine, about as many in each."""

from __future__ import annotations

from collections import Counter

import pytest

from ragcli.corpus.scan import Scan
from ragcli.corpus.shard import MOST_SHARDS, WHOLE, Shard, fingerprint
from ragcli.errors import InputError
from ragcli.types import Source

NAMES = [f"folder{n % 7}/note {n}.md" for n in range(4000)]


@pytest.mark.parametrize("of", [2, 3, 16])
def test_each_file_is_in_one_shard_and_shards_are_even(of: int) -> None:
    counts: Counter[int] = Counter()
    for name in NAMES:
        (home,) = (n for n in range(1, of + 1) if Shard(n, of).concerns(name))
        assert Shard(home, of).holds(name, name)
        counts[home] += 1
    mean = len(NAMES) / of
    assert all(abs(counts[n] - mean) < 5 * mean**0.5 for n in range(1, of + 1))


def test_the_division_never_changes() -> None:
    """Machines with different versions of ragcli, and later updates, must agree."""
    homes = [next(n for n in range(1, 5) if Shard(n, 4).concerns(name)) for name in NAMES[:12]]
    assert homes == [4, 1, 4, 4, 3, 3, 2, 4, 1, 1, 3, 4]


def test_records_are_divided_by_their_ids_and_other_parts_by_their_file() -> None:
    shard, other = Shard(1, 2), Shard(2, 2)
    records = [f"corpus.jsonl#{n}" for n in range(200)]
    assert shard.concerns("corpus.jsonl") and other.concerns("corpus.jsonl")
    held = [shard.holds("corpus.jsonl", record) for record in records]
    assert held == [not other.holds("corpus.jsonl", record) for record in records]
    assert 70 < sum(held) < 130
    sheets = {shard.holds("book.xlsx", f"book.xlsx#{n}") for n in range(50)}
    assert sheets == {shard.concerns("book.xlsx")}


def test_the_whole_is_one_shard() -> None:
    assert all(WHOLE.concerns(name) and WHOLE.holds(name, name) for name in NAMES)
    assert Shard.parse("1/1") == WHOLE and str(Shard(3, 8)) == "3/8"
    assert Shard.parse(f"{MOST_SHARDS}/{MOST_SHARDS}").of == MOST_SHARDS


@pytest.mark.parametrize(
    "text", ["", "2", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", " 1/2", "1/10000", "１/２"]
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="a shard cannot be"):
        Shard.parse(text)


def test_the_fingerprint_depends_on_names_and_sizes_alone() -> None:
    def scan(size: int, changed: int) -> Scan:
        return Scan((), (Source("a.md", f"/x{changed}/a.md", size, changed),), ())

    assert fingerprint(scan(1, 2)) == fingerprint(scan(1, 3)) != fingerprint(scan(2, 2))
