"""Every reader on damaged files: real files of each format, changed at random, and any bytes.

A file gives documents that hold together, or one reason; its reader may be killed, and the next
file is read. ``FUZZ_EXAMPLES`` sets how many files of each format are tried (``make fuzz``).
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragcli.corpus.read import _READERS
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.read_pool import ReadPool
from ragcli.errors import ReadError
from ragcli.types import ParsedDocument, Skipped, Source

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "3"))
DATA = Path(__file__).parent.parent / "data"
SEEDS = sorted(path for path in DATA.iterdir() if path.suffix.lower() in _READERS)
PARTS = [b"\0", b"\xff\xfe", b"<" * 50, b"[" * 200, b'{"a":' * 200, b"\x1b]0;x\x07", b"&#" * 20]
PARTS += [b"\\begin{a}" * 50, b"(" * 100, b"{\\rtf" * 50, b"\r\n\r\n", "\u202e".encode(), b"-" * 99]

fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def pool() -> Iterator[ReadPool]:
    with ReadPool(ReadLimits(seconds=30, megabytes=2048)) as opened:
        yield opened


def changed(content: bytes, seed: int) -> bytes:
    """The content with one to four changes: bytes flipped, parts put in, doubled or cut out."""
    chance = random.Random(seed)
    made = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(made) + 1)
        end = min(len(made), at + chance.choice((1, 8, 100, 5000)))
        change = chance.randrange(4)
        if change == 0:
            made[at:end] = bytes(chance.randrange(256) for _ in made[at:end])
        elif change == 1:
            made[at:at] = chance.choice(PARTS)
        elif change == 2:
            made[at:at] = made[at:end] * chance.choice((1, 20))
        else:
            del made[at:end]
    return bytes(made)


def holds_together(pool: ReadPool, path: Path, content: bytes) -> None:
    """Read a file through the pool and check what comes out."""
    path.write_bytes(content)
    source = Source(path.name, str(path), len(content), 0)
    ((_, documents),) = pool.each([source])
    try:
        for found in documents:
            check(source, found)
    except ReadError as error:
        assert error.message.isprintable() and not error.message.startswith("stopped")


def check(source: Source, found: ParsedDocument | Skipped) -> None:
    if isinstance(found, Skipped):
        assert found.reason.isprintable()
        return
    text = found.text
    assert found.id.startswith(source.id) and text.strip() and text.encode("utf-8")
    assert list(found.line_starts) == sorted(found.line_starts)
    assert all(0 <= at <= len(text) for at in found.line_starts)
    assert all(0 <= at <= len(text) for at, _, _ in found.headings)
    assert all(0 <= start <= end <= len(text) for start, end in found.protected)


@pytest.mark.parametrize("seed_file", SEEDS, ids=lambda path: path.name)
@fuzz
@given(seed=st.integers(0, 2**32))
def test_a_damaged_file(seed_file: Path, pool: ReadPool, tmp_path: Path, seed: int) -> None:
    content = changed(seed_file.read_bytes(), seed)
    holds_together(pool, tmp_path / seed_file.name, content)


@pytest.mark.parametrize("suffix", [*sorted(_READERS), "", ".unknown"])
@fuzz
@given(content=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode()))
def test_any_bytes(suffix: str, pool: ReadPool, tmp_path: Path, content: bytes) -> None:
    holds_together(pool, tmp_path / f"any{suffix}", content)
