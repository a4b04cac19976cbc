"""Profiles summed up by a language model, with the store free while it writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from reading import reading

from ragcli.config import Settings
from ragcli.enriching import chunk_reading as reader
from ragcli.enriching.chunk_reading import WaitingWork
from ragcli.enriching.profile_summaries import (
    MAX_TOKENS,
    ModelSummaries,
    summaries_by,
    supported_part,
)
from ragcli.graph.profile import fragments
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.maintaining.check import check, stale
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.store.digest import digest
from ragcli.store.snapshot import open_snapshot
from ragcli.types import Event, IndexResult, silent

SETTINGS = Settings(workers=1)


class Scripted:
    """Writes "NAME, in short." and counts; ``store``: checked to be free while it writes."""

    def __init__(self, parameters: int = 3 * 10**9, context: int = 2048) -> None:
        self.fingerprint = "scripted"
        self.parameters, self.context = parameters, context
        self.prompts: list[Prompt] = []
        self.finish, self.text = "stop", "{name}, in short."
        self.store: Path | None = None

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        for at, prompt in enumerate(prompts):
            if self.store:
                other = sqlite3.connect(self.store / "store.sqlite", timeout=0)
                other.execute("BEGIN IMMEDIATE")
                other.close()
            self.prompts.append(prompt)
            name = prompt.user.splitlines()[0].removeprefix("Name: ")
            text = self.text.format(name=name)
            yield at, Completion(text, self.finish, 1, 1)  # type: ignore[arg-type]


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
    index(IndexRequest(tmp_path / "s", (docs,), extractions=tmp_path / "found.jsonl"), SETTINGS)
    return tmp_path / "s"


def use(monkeypatch: pytest.MonkeyPatch, model: Scripted) -> Scripted:
    """Put a model in place of the installed one."""
    monkeypatch.setattr(reader, "llm_file", lambda s: None if s == "none" else Path("a.gguf"))
    monkeypatch.setattr(reader, "open_llm", lambda _file, _settings: model)
    return model


def update(store: Path, **more: Any) -> IndexResult:
    """Bring the store in line, in hybrid mode: every chunk has recorded findings already."""
    return index(IndexRequest(store, mode="hybrid", **more), SETTINGS)


def profile(store: Path) -> tuple[str, str]:
    """The ferry's text, and who wrote it."""
    with reading(store) as db:
        row: tuple[str, str] = db.execute('SELECT text, "by" FROM entity_profiles').fetchone()
    return row


def digest_of(store: Path) -> str:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)["all"]


def test_many_fragments_are_summed_up_by_the_model(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each set of fragments once, in the next run not at all; nobody waits for the model."""
    assert profile(store)[1] == "extractive"
    model = use(monkeypatch, Scripted())
    model.store = store
    first = update(store)
    assert profile(store) == ("Sea Otter, in short.", "llm scripted")
    assert (first.llm_calls, first.waiting_profiles) == (1, 0)
    assert update(store).generation == first.generation
    assert [p.user.count("\n- ") for p in model.prompts] == [10]


def test_sentences_that_the_notes_do_not_bear_out_are_cut() -> None:
    """As a 1.5B model wrote them; a summary of which little is left is none."""
    parts = fragments(
        "Ravoire",
        ["On 14 March an avalanche at the Ravoire passed over the lengthened gallery.",
         "Hermine met the canton's blower at the Ravoire bend."],
    )  # fmt: skip
    made_up = "Ravoire is a mountainous area in France, known for its natural beauty."
    true = "On 14 March, an avalanche at the Ravoire passed over the gallery."
    also = "Hermine met the canton's blower at the bend."
    assert supported_part(f"{made_up}  {true}\n{also}", parts) == f"{true} {also}"
    assert supported_part(f"{made_up} {also}", parts) == ""
    assert supported_part("", parts) == ""


def test_progress_is_told_while_replies_are_written() -> None:
    """Each reply takes long: tokens, and the time left as soon as one has ended."""
    told: list[Event] = []

    class Slow(Scripted):
        """Tells twice: before and after its first reply."""

        def complete(
            self, prompts: Iterable[Prompt], watch: Watch | None = None
        ) -> Iterator[tuple[int, Completion]]:
            assert watch and watch.tell
            for reply in super().complete(prompts, watch):
                watch.written, watch.reading, watch.writing = watch.written + 80, 10.0, 30.0
                watch.tell(watch)
                watch.has_replied(200, 80)
                yield reply

    summaries = ModelSummaries(Slow())
    summaries([fragments(name, [f"{name} sailed."] * 2) for name in ("Ann", "Bo")])
    assert summaries.ask(told.append) == 2
    assert [(event.done, event.total, event.note) for event in told] == [
        (0, 2, "80 tokens written"),
        (1, 2, ""),
        (1, 2, "160 tokens written, about 24 s left"),
        (2, 2, ""),
    ]


def test_an_update_ends_as_a_fresh_index(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One note less: that set is asked about; a note that comes again was paid for before."""
    model = use(monkeypatch, Scripted())
    update(store)
    last = store.parent / "docs" / "9.txt"
    text = last.read_text()
    last.unlink()
    update(store)
    assert [p.user.count("\n- ") for p in model.prompts] == [10, 9]
    extractions = store.parent / "found.jsonl"
    for restored in (False, True):
        if restored:
            last.write_text(text)
            assert update(store, extractions=extractions).llm_calls == 0
        fresh = store.parent / f"fresh{restored}"
        index(IndexRequest(fresh, (last.parent,), mode="hybrid", extractions=extractions), SETTINGS)
        assert profile(fresh) == profile(store)
        assert digest_of(fresh) == digest_of(store)


@pytest.mark.parametrize(
    ("finish", "text"),
    [
        ("length", "{name}, in short."),
        ("stop", "The notes say all that the notes say, each thing once."),
        ("stop", "{name} is a French-speaking city in France."),
        ("stop", "{name} called at port 1 in 1912."),
        ("stop", ""),
    ],
)
def test_a_useless_reply_is_no_profile(
    store: Path, monkeypatch: pytest.MonkeyPatch, finish: str, text: str
) -> None:
    """Cut, or not what the notes say, as SmolLM2 writes: the fragments' own sentences stand, and
    the model is not asked again."""
    model = use(monkeypatch, Scripted())
    model.finish, model.text = finish, text
    first = update(store)
    assert profile(store)[1] == "extractive for llm scripted"
    again = update(store)
    assert (again.llm_calls, again.generation) == (0, first.generation)
    assert first.waiting_profiles == again.waiting_profiles == 0


def test_what_the_time_does_not_suffice_for_waits(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--max-minutes holds for summaries, too; --check tells what waits; the next run goes on."""
    model = use(monkeypatch, Scripted())
    result = update(store, minutes=0)
    assert (result.llm_calls, result.waiting_profiles) == (0, 1)
    assert profile(store)[1] == "extractive" and not model.prompts
    changes, waiting = stale(IndexRequest(store), SETTINGS)
    assert (changes, waiting) == ([], WaitingWork({}, 1))
    assert stale(IndexRequest(store), replace(SETTINGS, llm="none")) == ([], WaitingWork({}))
    assert update(store).waiting_profiles == 0
    assert profile(store) == ("Sea Otter, in short.", "llm scripted")
    assert stale(IndexRequest(store), SETTINGS) == ([], WaitingWork({}))


def test_replies_that_nothing_can_use_are_swept(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one for ten notes goes once there are nine; no live one is ever paid for again."""
    model = use(monkeypatch, Scripted())
    what = "unused replies of the language model"
    update(store)
    assert dict(check(store, SETTINGS))[what] == ""
    (store.parent / "docs" / "9.txt").unlink()
    update(store, minutes=0)
    assert dict(check(store, SETTINGS))[what].startswith("kept")  # one waits
    update(store)
    assert dict(check(store, replace(SETTINGS, llm="none")))[what].startswith("kept")
    assert dict(check(store, SETTINGS))[what] == "1 deleted"
    other = use(monkeypatch, Scripted())
    other.fingerprint = "other"
    assert dict(check(store, SETTINGS))[what].startswith("kept")  # it has not read the store
    use(monkeypatch, model)
    with sqlite3.connect(store / "store.sqlite") as db:
        db.execute("UPDATE entity_profiles SET \"by\" = 'extractive'")
    assert update(store).llm_calls == 0
    assert len(model.prompts) == 2 and profile(store)[1] == "llm scripted"


def test_another_model_writes_anew(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it would in a fresh store."""
    use(monkeypatch, Scripted())
    update(store)
    other = use(monkeypatch, Scripted())
    other.fingerprint = "other"
    assert update(store).llm_calls == 1
    assert profile(store)[1] == "llm other"


def test_a_small_model_is_not_asked(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it wrote would often be untrue, up to the size from which a model writes freely."""
    small = use(monkeypatch, Scripted(parameters=1_500_000_000))
    assert update(store).waiting_profiles == 0
    assert not small.prompts and profile(store)[1] == "extractive"
    assert summaries_by(small) is None and summaries_by(Scripted()) is not None


def test_notes_are_cut_to_what_the_model_can_read() -> None:
    """With room for its reply."""
    model = Scripted(context=700)
    summaries = ModelSummaries(model)
    summaries([fragments("Ann", [f"Ann sailed to port number {i} in spring." for i in range(300)])])
    summaries.ask(silent)
    (prompt,) = model.prompts
    assert model.count_tokens(prompt.system + prompt.user) + MAX_TOKENS <= model.context
