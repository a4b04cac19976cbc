"""Beginnings of prompts that outlast a session, and a process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragcli.models.llm import Llm
from ragcli.models.llm.kept_heads import IN_MEMORY, ON_DISK, KeptHeads
from ragcli.models.llm.session import LlamaSession
from ragcli.models.locate import llm_file

FILE = llm_file()
HEAD = tuple(range(40))


def test_a_state_lasts_in_its_folder_and_belongs_to_its_key(tmp_path: Path) -> None:
    """Short beginnings are not worth a file."""
    first = KeptHeads("model", tmp_path)
    first.put(HEAD, b"state")
    first.put(HEAD[:4], b"short")
    assert first.get(HEAD[:4]) == b"short"
    again = KeptHeads("model", tmp_path)
    assert (again.get(HEAD), again.get(HEAD[:4]), again.get(HEAD[1:])) == (b"state", None, None)
    assert KeptHeads("another", tmp_path).get(HEAD) is None
    assert KeptHeads("model").get(HEAD) is None


def test_a_damaged_file_counts_for_nothing(tmp_path: Path) -> None:
    """llama.cpp would take the bytes as they are."""
    KeptHeads("model", tmp_path).put(HEAD, b"state")
    (file,) = tmp_path.glob("*.head")
    for data in (file.read_bytes()[:-1], b"", file.read_bytes()[:-1] + b"x"):
        file.write_bytes(data)
        assert KeptHeads("model", tmp_path).get(HEAD) is None


def test_a_file_that_may_only_be_read_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models in a folder of somebody else's."""
    KeptHeads("model", tmp_path).put(HEAD, b"state")

    def refused(_: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "touch", refused)
    assert KeptHeads("model", tmp_path).get(HEAD) == b"state"


def test_few_are_kept_the_last_used(tmp_path: Path) -> None:
    """In memory and on disk."""
    kept = KeptHeads("model", tmp_path)
    for number in range(ON_DISK):
        kept.put((number, *HEAD), bytes([number]))
    for at, file in enumerate(sorted(tmp_path.glob("*.head"), key=lambda f: f.read_bytes()[-1])):
        os.utime(file, (1000 + at, 1000 + at))
    assert KeptHeads("model", tmp_path).get((0, *HEAD)) == b"\0"  # used: no longer the oldest
    kept.put((99, *HEAD), b"c")
    assert len(list(tmp_path.glob("*.head"))) == ON_DISK and not list(tmp_path.glob("*.part"))
    fresh = KeptHeads("model", tmp_path)
    assert fresh.get((0, *HEAD)) == b"\0" and fresh.get((1, *HEAD)) is None
    bare = KeptHeads()
    for number in range(IN_MEMORY + 1):
        bare.put((number,), b"x")
    assert bare.get((0,)) is None and bare.get((1,)) == b"x"


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path: Path) -> None:
    """A file stands in its place."""
    (tmp_path / "file").touch()
    kept = KeptHeads("model", tmp_path / "file" / "folder")
    kept.put(HEAD, b"state")
    assert kept.get(HEAD) == b"state"


@pytest.mark.skipif(FILE is None, reason="extra smollm2 is not installed")
def test_replies_from_a_kept_beginning_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In other sessions and other processes; the beginning is read once in all."""
    assert FILE is not None
    read, feed = list[int](), LlamaSession.feed

    def counted(
        session: LlamaSession, at: int, start: int, tokens: tuple[int, ...], **how: bool
    ) -> int:
        read.extend([len(tokens)] if start == 0 else [])
        return feed(session, at, start, tokens, **how)

    monkeypatch.setattr(LlamaSession, "feed", counted)
    system = "You answer questions from the passages that you are given. Be brief and true. " * 3

    def replies(heads: Path | None) -> list[str]:
        model = Llm(FILE, context=512, threads=1, heads=heads)
        try:
            ask = [(system, "What is a hut?"), ("", "Say yes."), (system, "What is snow made of?")]
            return ["".join(model.generate(*each, max_tokens=12)) for each in ask]
        finally:
            model.close()

    calm = replies(None)
    assert len([n for n in read if n > 32]) == 1, "two questions, one beginning"
    assert replies(tmp_path) == calm
    read.clear()
    assert replies(tmp_path) == calm
    assert not [n for n in read if n > 32]
