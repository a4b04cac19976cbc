"""Files are read in processes: one that crashes, hangs or takes too much is a failure by name."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragcli.corpus import read_pool
from ragcli.corpus.read import read, text
from ragcli.corpus.read_limits import ReadLimits
from ragcli.corpus.read_pool import ReadPool
from ragcli.errors import ReadError
from ragcli.types import ParsedDocument, Skipped, Source

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="no limits on processes")


def source(folder: Path, name: str, content: str = "<title>T</title><p>text\n<p>more") -> Source:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return Source(name, str(path), len(content), 0)


def results(pool: ReadPool, *sources: Source) -> Iterator[tuple[str, str]]:
    """(file, text) or (file, why not) of every document."""
    for each, documents in pool.each(sources):
        try:
            for found in documents:
                yield each.id, found.reason if isinstance(found, Skipped) else found.text
        except ReadError as error:
            yield each.id, error.message


def test_a_process_gives_what_the_reader_gives(tmp_path: Path) -> None:
    """The same records, in the order of the files, through one process."""
    names = ["c.html", "a.txt", "b.htm", "empty.html", "z.jsonl"]
    sources = [source(tmp_path, name, "" if name == "empty.html" else "<p>é") for name in names]
    sources.append(source(tmp_path, "d.html"))
    with ReadPool() as pool:
        found = [(s, list(documents)) for s, documents in pool.each(sources)]
    assert found == [(s, list(read(s))) for s in sources]
    assert isinstance(found[-1][1][0], ParsedDocument) and found[-1][1][0].line_starts == (0, 6)


def test_plain_text_starts_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_pool, "_process", lambda: pytest.fail("a process was started"))
    names = ("a.txt", "b.md", "c.jsonl")
    with ReadPool() as pool:
        assert len(list(results(pool, *(source(tmp_path, n, '{"text": "x"}') for n in names)))) == 3


@pytest.mark.parametrize("name", ["bad.txt", "bad.md", "bad.unknown"])
def test_an_unforeseen_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """In this process, too, it is a failure of its file alone."""

    def fail(_: Source) -> ParsedDocument:
        raise LookupError("unforeseen\x1b")

    monkeypatch.setattr(text, "load", fail)
    with ReadPool() as pool:
        found = results(pool, source(tmp_path, name), source(tmp_path, "z.jsonl", '{"text": "x"}'))
        told = dict(found)
    assert told[name] == rf"cannot read {name}: LookupError: unforeseen\x1b"
    assert told["z.jsonl"] == "x"


def play(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Run ``code`` instead of a reader for every file but those that are called good.html."""
    monkeypatch.setattr(
        read_pool,
        "_CODE",
        "import sys; sys.path[:] = eval(sys.argv[1])\n"
        "import os, time, struct\n"
        "from ragcli.corpus import read_worker\n"
        "real = read_worker._replies\n"
        "def replies(source, *more):\n"
        "    if source.id == 'good.html':\n"
        "        yield from real(source, *more)\n"
        "        return\n"
        f"    {code}\n"
        "    yield 'done', ''\n"
        "read_worker._replies = replies\n"
        "read_worker.main()",
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("os.abort()", "its reader crashed (signal 6)"),
        ("os._exit(3)", "its reader crashed (exit code 3)"),
        ("yield 'document', {}", "its reader failed"),
        ("yield 'document', []", "its reader failed"),
        ("yield 'nothing-known', {}", "its reader failed"),
        ("yield 'document', {'id': 'other', 'sha256': '', 'title': '', 'text': ''}", "is not a"),
        ("os.write(4, b'x' * 100)", "stopped: it gives more than 256 MB"),
        ("yield 'failed', 'a\\x1b]0;title\\x07b'; return", r"a\x1b]0;title\x07b"),
    ],
)
@POSIX
def test_a_reader_that_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, reason: str
) -> None:
    """Whatever it does, its file is named and the next one is read."""
    play(monkeypatch, code)
    bad, good = source(tmp_path, "bad.html"), source(tmp_path, "good.html")
    with ReadPool() as pool:
        found = list(results(pool, bad, good, bad, good))
    told = [text for name, text in found if name == "bad.html"]
    assert len(told) == 2 and all(reason in text for text in told)
    assert [name for name, _ in found if name == "good.html"] == ["good.html"] * 2


@POSIX
def test_time_of_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that computes for ever is stopped after its seconds."""
    play(monkeypatch, "\n    while True: pass")
    limits = ReadLimits(seconds=1)
    begin = time.monotonic()
    with ReadPool(limits) as pool:
        found = dict(results(pool, source(tmp_path, "a.html"), source(tmp_path, "good.html")))
    assert found["a.html"] == limits.too_slow and found["good.html"] == "text\n\nmore"
    assert time.monotonic() - begin < 60


def test_a_reader_that_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stops it: it takes no time of the processor."""
    play(monkeypatch, "time.sleep(1000)")
    monkeypatch.setattr(ReadLimits, "clock_seconds", 2)
    limits = ReadLimits()
    with ReadPool(limits) as pool:
        assert dict(results(pool, source(tmp_path, "a.html"))) == {"a.html": limits.too_slow}


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not limit memory")
def test_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that takes all memory fails alone."""
    play(
        monkeypatch,
        "read_worker.read = lambda *_: [bytearray(1 << 32)]; yield from real(source, *more)",
    )
    limits = ReadLimits(megabytes=512)
    with ReadPool(limits) as pool:
        found = dict(results(pool, source(tmp_path, "a.html"), source(tmp_path, "good.html")))
    assert found == {"a.html": limits.too_large, "good.html": "text\n\nmore"}


@POSIX
def test_processes_end_with_the_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a busy one, with the programs that it has started."""
    pids = tmp_path / "pids"
    start = "import subprocess; p = subprocess.Popen(['sleep', '1000']); "
    note = f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{p.pid}}'); "
    play(monkeypatch, f"{start}{note}time.sleep(1000)")
    with ReadPool() as pool:
        begun = pool.each([source(tmp_path, "a.txt", "x"), source(tmp_path, "a.html")])
        next(begun)
        deadline = time.monotonic() + 60
        while not pids.exists() or " " not in pids.read_text():
            assert time.monotonic() < deadline, "no worker has begun"
            time.sleep(0.05)
    for pid in map(int, pids.read_text().split()):
        deadline = time.monotonic() + 10
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not alive(pid)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def test_a_hostile_folder_lends_no_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader is started with the search path of this process and not in the current folder."""
    for name in ("orjson", "json", "struct", "lxml"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken over')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with ReadPool() as pool:
        assert [text for _, text in results(pool, source(tmp_path, "a.html"))] == ["text\n\nmore"]


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """A path reaches the reader byte by byte."""
    path = os.fsencode(tmp_path) + b"/caf\xe9.html"
    try:
        with open(path, "w") as file:  # noqa: PTH123 - the name is bytes
            file.write("<p>x")
    except OSError:
        pytest.skip("the system refuses such names")
    with ReadPool() as pool:
        (found,) = results(pool, Source("caf.html", os.fsdecode(path), 4, 0))
    assert found == ("caf.html", "x")


def test_limits_are_told_apart() -> None:
    """A file that was stopped is read again only under other limits."""
    limits = ReadLimits(60, 2048)
    assert all(map(limits.stopped, (limits.too_slow, limits.too_large, limits.too_long)))
    assert not limits.stopped(ReadLimits(seconds=61).too_slow)
    assert not limits.stopped("cannot read a.pdf: it needs a password")
    assert json.dumps(limits.too_large)
