"""A language model reads the chunks: what it is asked, what is kept, and what a kill costs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from reading import reading

from ragcli.cli.index import verdict
from ragcli.config import Settings
from ragcli.enriching import chunk_reading as reader
from ragcli.enriching import describing
from ragcli.errors import ConfigError, ModelError
from ragcli.extract.codec import unpack_findings
from ragcli.indexing.estimate import estimate
from ragcli.indexing.export_findings import extracted
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.maintaining.check import check, stale
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.models.locate import llm_file
from ragcli.store.connection import open_store
from ragcli.store.digest import digest
from ragcli.store.meta import generation, get_meta
from ragcli.store.snapshot import open_snapshot
from ragcli.types import Findings, IndexResult, silent

READS, WRITES = 100, 30
"""Tokens per second of the fake."""
NAMES = ("Mara Linde", "Jon Berg", "Ada Holm", "Port Vale")


class Fake:
    """A model that answers as it is told and writes down what it was asked."""

    parameters = 135_000_000
    context = 4096
    fingerprint = "fake"

    def __init__(self, answer: str = "", seconds: float = 0.0) -> None:
        self.answer = answer
        self.seconds = seconds
        self.asked: list[Prompt] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        for i, prompt in enumerate(prompts):
            self.asked.append(prompt)
            time.sleep(self.seconds)
            if path := os.environ.get("FAKE_LOG"):
                with Path(path).open("a") as log:
                    log.write(f"{hash_of(prompt)}\n")
            read, written = self.tokens(prompt)
            if watch:
                watch.has_replied(read, written)
                watch.read, watch.written = watch.read + read, watch.written + written
                watch.reading += read / READS
                watch.writing += written / WRITES
            yield i, Completion(self.says(prompt), "stop", read, written)

    def says(self, prompt: Prompt) -> str:
        """Its reply."""
        return self.answer or _first_words(prompt)

    def tokens(self, _prompt: Prompt) -> tuple[int, int]:
        """What a prompt takes to read, and its reply to write."""
        return 10, 3


class Talkative(Fake):
    """It writes the more the more it reads, and lists a name where it is to list names."""

    share = 0.33
    listing = 0.75  # of one that lists names; so much was measured with a small model

    def says(self, prompt: Prompt) -> str:
        """The first name that stands in the text."""
        name = next((name for name in NAMES if name in prompt.user), "Nobody")
        return f"E | {name} | person | {name}.\n...\n" if "E |" in prompt.system else name

    def tokens(self, prompt: Prompt) -> tuple[int, int]:
        """The words of the text and of a chat template, and a share of them."""
        words = len(prompt.user.split()) + 12
        return words, round(words * (self.listing if "E |" in prompt.system else self.share))


def hash_of(prompt: Prompt) -> str:
    return f"{prompt.user!r}"


def _first_words(prompt: Prompt) -> str:
    """Some words of the sentence that the prompt shows."""
    return " ".join(prompt.user.split()[2:6]).strip(".,")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fake:
    """A fake in place of the model file."""
    return put_in_place(Fake(), monkeypatch, tmp_path)


def put_in_place(fake: Fake, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fake:
    """Let it be the model; what it does is kept in a folder of its own."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(reader, "llm_file", lambda _setting: Path("fake.gguf"))
    monkeypatch.setattr(reader, "open_llm", lambda _file, _settings: fake)
    return fake


def write(folder: Path, documents: int = 6) -> Path:
    """Documents in which people are related in so many words."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(documents):
        a, b = NAMES[i % 4], NAMES[(i + 1) % 4]
        text = f"{a}, the keeper of lamp {i}, wrote a long angry letter to {b} in May. {b} slept."
        (folder / f"d{i}.txt").write_text(text)
    return folder


def run(folder: Path, store: Path, mode: str = "hybrid", **more: object) -> IndexResult:
    settings = Settings(workers=1, llm=str(more.pop("llm", "auto")))
    return index(IndexRequest(store, (folder,), mode=mode, **more), settings)  # type: ignore[arg-type]


def found(store: Path) -> dict[str, Findings | None]:
    """Document -> the findings of its only chunk."""
    with reading(store) as db:
        rows = db.execute(
            "SELECT d.doc, plain_data(x.data) FROM chunks c JOIN documents d ON d.id = c.doc"
            " LEFT JOIN extractions x ON x.hash = c.findings WHERE d.died IS NULL"
        ).fetchall()
    return {doc: data and unpack_findings(data) for doc, data in rows}


def digest_of(store: Path) -> str:
    with open_snapshot(store) as snapshot:
        return digest(snapshot)["all"]


def test_hybrid_describes_what_the_pipeline_found(model: Fake, tmp_path: Path) -> None:
    """The fast store is there first; then every chunk has findings, and the graph says so."""
    result = run(write(tmp_path / "docs"), tmp_path / "s")
    assert (result.described, result.waiting, result.generation) == (6, 0, 2)
    assert result.llm_calls == len(model.asked) > 0
    assert result.llm_tokens == 13 * result.llm_calls
    findings = found(tmp_path / "s")["d0.txt"]
    assert findings and {e.name for e in findings.entities} >= {"Mara Linde", "Jon Berg"}
    with reading(tmp_path / "s") as db:
        assert db.execute("SELECT count(*) FROM statements").fetchone()[0] >= 6
        assert get_meta(db, "mode") == "hybrid"
        assert int(get_meta(db, "llm_calls")) == result.llm_calls


def test_an_update_keeps_the_mode_and_asks_about_what_changed(model: Fake, tmp_path: Path) -> None:
    """One document edited: only its own prompts; nothing changed: none. It ends as if fresh."""
    folder = write(tmp_path / "docs")
    run(folder, tmp_path / "s")
    model.asked.clear()
    assert run(folder, tmp_path / "s", mode="").llm_calls == 0
    (folder / "d3.txt").write_text("Ada Holm, the keeper of nothing, met a cousin of Jon Berg.")
    (folder / "d1.txt").rename(folder / "moved.txt")
    result = run(folder, tmp_path / "s", mode="")
    assert result.changed == 1 and result.renamed == 1
    assert result.llm_calls == len(model.asked) > 0
    assert all("Ada Holm" in p.user for p in model.asked)
    run(folder, tmp_path / "fresh")
    assert digest_of(tmp_path / "s") == digest_of(tmp_path / "fresh")


@pytest.fixture
def few_a_run(model: Fake, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Lets the time of a run with a limit be over after some prompts, however fast the machine is.
    Called before each run."""
    begun = 0

    def begin() -> None:
        nonlocal begun
        begun = len(model.asked)

    def over(deadline: float | None) -> bool:
        return deadline is not None and len(model.asked) >= begun + 12

    monkeypatch.setattr(describing, "has_passed", over)
    yield begin


def test_upgrade_in_place_under_a_time_budget(
    model: Fake, few_a_run: Callable[[], None], tmp_path: Path
) -> None:
    """A fast store is upgraded bit by bit; no prompt is asked twice; it ends as if at once."""
    folder = write(tmp_path / "docs", 30)
    assert run(folder, tmp_path / "s", mode="fast").llm_calls == 0
    assert not model.asked
    waiting = [30]
    while waiting[-1] and len(waiting) < 31:
        few_a_run()
        waiting.append(run(folder, tmp_path / "s", minutes=60).waiting)
        assert waiting[-1] < waiting[-2]
    assert waiting[-1] == 0 and len(waiting) > 3
    prompts = [(p.system, p.user) for p in model.asked]
    assert len(prompts) == len(set(prompts))
    run(folder, tmp_path / "fresh")
    assert digest_of(tmp_path / "s") == digest_of(tmp_path / "fresh")


def test_check_lists_the_documents_that_wait(
    model: Fake, few_a_run: Callable[[], None], tmp_path: Path
) -> None:
    """Of a store that is half described; without its model, of those that nobody has read."""
    folder = write(tmp_path / "docs", 20)
    few_a_run()
    result = run(folder, tmp_path / "s", minutes=60)
    assert 0 < result.waiting < 20
    changes, waiting = stale(IndexRequest(tmp_path / "s"), Settings())
    assert sum(waiting.chunks.values()) == len(changes) == result.waiting
    assert [c["doc"] for c in changes if c["change"] == "waiting"] == sorted(waiting.chunks)
    unread = {doc for doc, findings in found(tmp_path / "s").items() if findings is None}
    assert set(waiting.chunks) == unread
    assert stale(IndexRequest(tmp_path / "s"), Settings(llm="none"))[0] == []
    run(folder, tmp_path / "s")
    assert stale(IndexRequest(tmp_path / "s"), Settings())[0] == []


def test_replies_of_texts_that_are_gone_are_swept(model: Fake, tmp_path: Path) -> None:
    """A chunk's own are kept, even for what it no longer needs itself: nothing is paid twice."""
    folder = write(tmp_path / "docs")
    run(folder, tmp_path / "s")
    (folder / "d3.txt").write_text("Ada Holm, the keeper of nothing, met a cousin of Jon Berg.")
    (folder / "d5.txt").unlink()
    run(folder, tmp_path / "s")
    settings = Settings(workers=1)
    replies = "unused replies of the language model"
    swept = int(dict(check(tmp_path / "s", settings))[replies].removesuffix(" deleted"))
    assert swept > 0
    with reading(tmp_path / "s") as db:
        left = db.execute("SELECT count(*) FROM replies").fetchone()[0]
    assert left == len(model.asked) - swept
    assert dict(check(tmp_path / "s", settings))[replies] == ""
    # Forget what was found, but not what was said: all of it is there.
    with closing(open_store(tmp_path / "s", readonly=False)) as db:
        db.execute("UPDATE chunks SET findings = NULL")
        db.execute("DELETE FROM extractions WHERE hash NOT IN (SELECT extraction FROM chunks)")
    asked = len(model.asked)
    assert run(folder, tmp_path / "s").described == 5
    assert len(model.asked) == asked


def test_without_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """hybrid needs one, unless it is left for later; auto does without."""
    monkeypatch.setattr(reader, "llm_file", lambda _setting: None)
    folder = write(tmp_path / "docs")
    with pytest.raises(ModelError, match="needs a language model"):
        run(folder, tmp_path / "s")
    with pytest.raises(ConfigError, match="unknown extraction mode"):
        run(folder, tmp_path / "s", mode="heavy")
    assert run(folder, tmp_path / "s", llm="none").described == 0
    assert run(folder, tmp_path / "auto", mode="auto").described == 0


def test_recorded_findings_are_not_asked_again(model: Fake, tmp_path: Path) -> None:
    """What somebody gave stays; the others are asked."""
    folder = write(tmp_path / "docs", 2)
    file = tmp_path / "x.jsonl"
    file.write_text('{"doc": "d0.txt", "entities": [{"name": "lamp 0"}], "by": "somebody"}\n')
    result = run(folder, tmp_path / "s", extractions=file)
    assert result.described == 1
    kept = found(tmp_path / "s")
    assert kept["d0.txt"] and kept["d0.txt"].by == "somebody"
    assert kept["d1.txt"] and kept["d1.txt"].by.startswith("hybrid.")


def test_light_counts_failures_by_reason(model: Fake, tmp_path: Path) -> None:
    """Made-up names are dropped; a chunk that keeps nothing has failed, and says why."""
    model.answer = "E | Napoleon | person | An emperor.\n...\n"
    result = run(write(tmp_path / "docs"), tmp_path / "s", mode="light")
    assert result.problems == (("name not in the text", 6),)
    findings = found(tmp_path / "s")["d0.txt"]
    assert findings and findings.entities == () and findings.problem == "name not in the text"
    assert verdict(result) == 1
    assert verdict(replace(result, problems=(("one of six", 1),))) == 0


def test_the_text_around_duplicates_is_asked_about_once(model: Fake, tmp_path: Path) -> None:
    """Two documents of equal text: one conversation, findings in both."""
    folder = write(tmp_path / "docs", 1)
    shutil.copy(folder / "d0.txt", folder / "copy.txt")
    result = run(folder, tmp_path / "s")
    assert result.described == 2
    kept = found(tmp_path / "s")
    assert kept["copy.txt"] == kept["d0.txt"] is not None
    assert len({p.user for p in model.asked}) == len(model.asked)


def test_dry_run_counts_calls(model: Fake, tmp_path: Path) -> None:
    """By the prompts of some chunks; before the first run with a short trial of the speed."""
    folder = write(tmp_path / "docs")
    request = IndexRequest(tmp_path / "s", (folder,), mode="hybrid")
    first = estimate(request, Settings(), silent)
    assert len(model.asked) == 4, "the speed is measured with a few short prompts"
    assert not (tmp_path / "s").exists()
    result = run(folder, tmp_path / "s")
    assert (first.llm_chunks, first.llm_calls) == (6, result.llm_calls)
    assert first.llm_seconds > 0 and first.seconds >= first.llm_seconds
    done = estimate(request, Settings(), silent)
    assert (done.llm_chunks, done.llm_calls, done.llm_seconds) == (0, 0, 0.0)
    write(tmp_path / "docs", 12)
    model.asked.clear()
    next_ = estimate(request, Settings(), silent)
    assert (next_.llm_chunks, next_.llm_calls) == (6, result.llm_calls)
    assert next_.llm_calibration == "it reads 100 and writes 30 tokens/s, as in its last run"
    assert first.llm_calibration.endswith("in a trial now")
    assert not model.asked, "the last run's speed is known"


@pytest.mark.parametrize("mode", ["light", "hybrid"])
def test_an_estimate_is_within_half_of_what_happens(
    mode: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Few long documents and many short ones: tokens and time before any run, and better once the
    model has read anything, also in another store."""
    model = put_in_place(Talkative(), monkeypatch, tmp_path)

    def documents(name: str) -> Path:
        folder = write(tmp_path / name, 20)
        for i in range(3):
            pairs = [(a, b) for a in NAMES for b in NAMES * 9]
            told = (f"{a} of {name} saw {b} near lamp {i}.{n}." for n, (a, b) in enumerate(pairs))
            (folder / f"long{i}.txt").write_text("\n\n".join(told))
        return folder

    for name, within in (("first", 1.5), ("second", 1.2)):
        request = IndexRequest(tmp_path / f"{name}.s", (documents(name),), mode=mode)
        said = estimate(request, Settings(workers=1), silent)
        model.asked.clear()
        result = run(request.paths[0], request.store, mode)
        took = [model.tokens(prompt) for prompt in model.asked]
        seconds = sum(read / READS + written / WRITES for read, written in took)
        shared = sum(len(prompt.system.split()) for prompt in model.asked)
        tokens = sum(map(sum, took)) + shared
        assert 1 / within < said.llm_tokens / tokens < within
        assert 1 / within < said.llm_seconds / seconds < within
        assert 1 / within < said.llm_calls / result.llm_calls < within


def test_extract_on_one_machine_index_on_another(model: Fake, tmp_path: Path) -> None:
    """The lines of one store, given to another, end in the same graph without asking anybody."""
    folder = write(tmp_path / "docs")
    (folder / "long.txt").write_text("\n\n".join(f"{NAMES[i % 4]} met Ann B." for i in range(900)))
    request = IndexRequest(Path(), (folder,), mode="hybrid")
    with extracted(request, None, Settings(workers=1)) as (result, records):
        text = "".join(json.dumps(record) + "\n" for record in records)
    assert result.described == len(text.splitlines()) > 7
    (tmp_path / "x.jsonl").write_text(text)
    model.asked.clear()
    given = run(folder, tmp_path / "s", mode="fast", extractions=tmp_path / "x.jsonl")
    assert given.unmatched == () and not model.asked
    run(folder, tmp_path / "direct")
    assert digest_of(tmp_path / "s") == digest_of(tmp_path / "direct")


def test_the_default_model_labels_with_the_words_of_the_text(tmp_path: Path) -> None:
    """SmolLM2-135M on one sentence: a label is a run of the words between the names."""
    if llm_file() is None:
        pytest.skip("the default language model is not installed")
    text = "Mara Linde was for many years the only friend of Jon Berg. They met in Port Vale."
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text(text)
    result = run(folder, tmp_path / "s")
    assert result.llm_calls >= 1 and result.problems == ()
    findings = found(tmp_path / "s")["a.txt"]
    assert findings
    labels = {(r.source, r.target): r.keywords for r in findings.relations}
    (label,) = labels["Mara Linde", "Jon Berg"]
    assert f" {label} " in " was for many years the only friend of "


SCRIPT = """
import sys
from pathlib import Path
here = Path(sys.argv[1])
sys.path[:0] = [str(here), str(here.parent)]
from test_describing import Fake, run
from ragcli.enriching import chunk_reading as reader
from ragcli.enriching import describing
reader.llm_file = lambda _setting: Path("fake.gguf")
reader.open_llm = lambda _file, _settings: Fake(seconds=0.02)
run(Path(sys.argv[2]), Path(sys.argv[3]))
"""


def test_kill_9_while_the_model_reads_pays_for_nothing_twice(model: Fake, tmp_path: Path) -> None:
    """Killed again and again: the store answers from the first commit on, at most the reply
    under way is lost with each kill, and the end is that of a calm run."""
    folder = write(tmp_path / "docs", 25)
    log = tmp_path / "log"
    script = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(Path(__file__).parent)]
    command = [*script, str(folder), str(tmp_path / "s")]
    kills = 0
    for _ in range(6):
        process = subprocess.Popen(command, env={**os.environ, "FAKE_LOG": str(log)})
        before = len(log.read_text().splitlines()) if log.exists() else 0
        while process.poll() is None:
            now = len(log.read_text().splitlines()) if log.exists() else 0
            if now >= before + 9:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.01)
        process.wait()
        if process.returncode == 0:
            break
        with reading(tmp_path / "s") as db:
            assert generation(db) >= 1
    subprocess.run(command, check=True, env={**os.environ, "FAKE_LOG": str(log)})
    asked = log.read_text().splitlines()
    assert kills >= 3
    assert len(asked) - len(set(asked)) <= kills
    run(folder, tmp_path / "calm")
    assert digest_of(tmp_path / "s") == digest_of(tmp_path / "calm")


def read_chunks(store: Path) -> int:
    """How many chunks have findings that readers see."""
    return sum(findings is not None for findings in found(store).values())


def test_ctrl_c_shows_what_is_done(
    model: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the next commit is due; the rest is asked later, and nothing twice."""
    folder = write(tmp_path / "docs", 12)
    answer = _first_words

    def press(prompt: Prompt) -> str:
        if len(model.asked) == 10:
            raise KeyboardInterrupt
        return answer(prompt)

    monkeypatch.setattr(sys.modules[__name__], "_first_words", press)
    with pytest.raises(KeyboardInterrupt):
        run(folder, tmp_path / "s")
    assert 0 < read_chunks(tmp_path / "s") < 12
    assert run(folder, tmp_path / "s").waiting == 0
    assert len({p.user for p in model.asked}) >= len(model.asked) - 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")
def test_sigterm_shows_what_is_done_and_ends_soon(tmp_path: Path) -> None:
    """As the system sends it: exit code 143, the findings are committed."""
    folder = write(tmp_path / "docs", 25)
    log = tmp_path / "log"
    script = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(Path(__file__).parent)]
    command = [*script, str(folder), str(tmp_path / "s")]
    process = subprocess.Popen(command, env={**os.environ, "FAKE_LOG": str(log)})
    try:
        while process.poll() is None and not (
            log.exists() and len(log.read_text().splitlines()) > 9
        ):
            time.sleep(0.01)
        process.terminate()
        assert process.wait(60) == 143
    finally:
        process.kill()
    assert 0 < read_chunks(tmp_path / "s") < 25
