"""``bench/peers/extraction.py``: what it counts of a peer, which is played by a small script."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

# At the end: bench has a file of the name of a library, llm.
sys.path.append(str(ROOT / "bench"))

from peers import extraction

WORKER = """
import json, sys
def tell(what): print(json.dumps(what), flush=True)
for name, text in json.loads(sys.stdin.readline())["add"].items():
    tell({"messages": [{"role": "user", "content": text}]})
    said = json.loads(sys.stdin.readline())
    tell({"done": name})
    if said["stop"]:
        break
tell({"entities": {"Ada Holm": "", "Zürich": "", "Vega": ""},
      "relations": [["ada holm", "Vega", "x"], ["Vega", "Rome", "y"]],
      "complaints": {"not a row of the format": 2}})
"""
TEXTS = {"a.md": "Ada Holm sailed on the Vega.", "b.md": "Nobody saw Rome."}


class Model:
    """Replies at once; the second reply is cut."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def create_chat_completion(
        self, messages: Sequence[Mapping[str, str]], **_more: Any
    ) -> dict[str, Any]:
        self.asked.append(messages[-1]["content"])
        choice = {
            "message": {"content": "x"},
            "finish_reason": "stop" if len(self.asked) == 1 else "length",
        }
        return {"choices": [choice], "usage": {"prompt_tokens": 40, "completion_tokens": 7}}


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script takes the place of LightRAG's process, this Python that of its environment."""
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER, encoding="utf-8")
    monkeypatch.setattr(extraction, "WORKER", worker)
    return Path(sys.executable)


def test_calls_and_what_stands_in_the_text_are_counted(peer: Path) -> None:
    """Names without regard to case; a relation needs both."""
    model = Model()
    side = extraction.theirs(model, TEXTS, 3600, peer)
    assert model.asked == list(TEXTS.values())
    assert (side.documents, side.calls, side.read, side.written) == (2, 2, 80, 14)
    assert (side.entities, side.named, side.relations, side.linked) == (3, 2, 2, 2)
    assert side.complaints == {"reply cut": 1, "not a row of the format": 2}


def test_no_document_is_begun_after_the_time(peer: Path) -> None:
    """What was not read does not count as text."""
    side = extraction.theirs(Model(), TEXTS, -1, peer)
    assert (side.documents, side.calls, side.linked) == (1, 1, 1)


def test_documents_are_the_first_short_ones_by_name(tmp_path: Path) -> None:
    """Below the folder, too."""
    (tmp_path / "sub").mkdir()
    for name, words in (("b.md", 3), ("a.txt", 9), ("sub/c.md", 2), ("d.pdf", 1)):
        (tmp_path / name).write_text("word " * words)
    assert list(extraction.documents_of(tmp_path, 5, 5)) == ["b.md", "sub/c.md"]
    assert list(extraction.documents_of(tmp_path, 1, 5)) == ["b.md"]


def test_without_the_peer_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And does nothing else: the model is not opened."""
    monkeypatch.setattr(
        sys,
        "argv",
        ["x", str(tmp_path), "--llm", "none.gguf", "--peer", str(tmp_path / "python")],
    )
    extraction.main()
    assert "skipped: LightRAG is not installed" in capsys.readouterr().out
