"""Profiles summed up by a language model, with the store free while it writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson
import pytest

from ragcli.config import Settings
from ragcli.graph.profile import fragments
from ragcli.models.completion import Completion, Prompt
from ragcli.pipeline.clock import Clock
from ragcli.pipeline.commit import commit
from ragcli.pipeline.index import Request, index
from ragcli.pipeline.summaries import MAX_TOKENS, ModelSummaries, summaries_by
from ragcli.pipeline.tools import Tools
from ragcli.store.connection import generation, open_store
from ragcli.store.replies import Remembering
from ragcli.store.write import Writer
from ragcli.types import silent

SETTINGS = Settings(workers=1)


class Scripted:
    """Writes "NAME, in short." and counts; ``store``: checked to be free while it writes."""

    fingerprint = "scripted"

    def __init__(self, parameters: int = 2 * 10**9, context: int = 2048) -> None:
        self.parameters, self.context = parameters, context
        self.prompts: list[Prompt] = []
        self.finish = "stop"
        self.store: Path | None = None

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Completion]]:
        for at, prompt in enumerate(prompts):
            if self.store:
                other = sqlite3.connect(self.store / "store.sqlite", timeout=0)
                other.execute("BEGIN IMMEDIATE")
                other.close()
            self.prompts.append(prompt)
            name = prompt.user.splitlines()[0].removeprefix("Name: ")
            yield at, Completion(f"{name}, in short.", self.finish, 1, 1)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Ten documents that each say something else of one ferry; nothing is committed twice."""
    docs = tmp_path / "docs"
    docs.mkdir()
    lines = []
    for i in range(10):
        text = f"The Sea Otter called at port {i}."
        (docs / f"{i}.txt").write_text(text)
        said = {"name": "Sea Otter", "type": "work", "description": f"It called at port {i}."}
        lines.append(orjson.dumps({"text": text, "entities": [said]}))
    (tmp_path / "found.jsonl").write_bytes(b"\n".join(lines))
    index(Request(tmp_path / "s", (docs,), extractions=tmp_path / "found.jsonl"), SETTINGS)
    return tmp_path / "s"


def profile(db: sqlite3.Connection) -> tuple[str, str]:
    row: tuple[str, str] = db.execute('SELECT text, "by" FROM entity_profiles').fetchone()
    return row


def again(store: Path, model: Scripted) -> tuple[str, str]:
    """Take one chunk's findings away and commit with the model's summaries."""
    db = open_store(store, readonly=False)
    row, key, data = db.execute(
        "SELECT c.id, c.findings, x.data FROM chunks c JOIN documents d ON d.id = c.doc"
        " JOIN extractions x ON x.hash = c.findings WHERE d.doc = '9.txt'"
    ).fetchone()
    summaries = ModelSummaries(Remembering(model, db))
    before = generation(db)
    for found in ({row: None}, {row: key}):
        Writer(db).keep("extractions", {key: data})
        commit(db, store, Tools(SETTINGS), Clock(), silent, found, summaries)
    assert generation(db) == before + 2
    text = profile(db)
    db.close()
    return text


def test_many_fragments_are_summed_up_by_the_model(store: Path) -> None:
    """Each set of fragments once, in the next run not at all; nobody waits for the model."""
    db = open_store(store, readonly=False)
    assert profile(db)[1] == "extractive"
    db.close()
    model = Scripted()
    model.store = store
    assert again(store, model) == ("Sea Otter, in short.", "llm scripted")
    assert [p.user.count("\n- ") for p in model.prompts] == [9, 10]
    assert again(store, model) == ("Sea Otter, in short.", "llm scripted")
    assert len(model.prompts) == 2


def test_a_cut_reply_is_no_profile(store: Path) -> None:
    """Then the fragments' own sentences are."""
    model = Scripted()
    model.finish = "length"
    assert again(store, model)[1] == "extractive"


def test_a_small_model_is_not_asked() -> None:
    """What it wrote would often be untrue."""
    assert summaries_by(Scripted(parameters=135_000_000)) is None
    assert summaries_by(Scripted()) is not None
    assert summaries_by(None) is None


def test_notes_are_cut_to_what_the_model_can_read() -> None:
    """With room for its reply."""
    model = Scripted(context=700)
    summaries = ModelSummaries(model)
    summaries([fragments("Ann", [f"Ann sailed to port number {i} in spring." for i in range(300)])])
    summaries.ask(silent)
    (prompt,) = model.prompts
    assert model.count_tokens(prompt.system + prompt.user) + MAX_TOKENS <= model.context
