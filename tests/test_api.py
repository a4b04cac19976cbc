"""The Python API: what ``import ragcli`` gives, what it costs, and what it promises."""

from __future__ import annotations

import doctest
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Run

import ragcli
from ragcli import api
from ragcli.store.connection import create
from ragcli.store.lock import writer_lock

QUESTION = "What caused the radar's false alarms on sunny afternoons?"
STORY = "Charles Babbage designed the Analytical Engine. Ada Lovelace wrote notes on it.\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, without settings."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def python(code: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """A fresh Python that runs ``code``."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=300, **more,
    )  # fmt: skip


def test_the_import_is_light() -> None:
    """Nothing but the package itself: no other module of ours, no library, under 50 ms."""
    code = (
        "import sys, time; before = set(sys.modules); began = time.process_time(); import ragcli\n"
        "spent = time.process_time() - began\n"
        "new = {m for m in set(sys.modules) - before if m not in sys.stdlib_module_names}\n"
        "print(spent, *sorted(m for m in new if '.' not in m or m.startswith('ragcli')))"
    )
    runs = [python(code).stdout.split() for _ in range(3)]
    assert runs[0][1:] == ["ragcli", "ragcli.version"]
    assert min(float(run[0]) for run in runs) < 0.05


def test_a_store_handle_loads_nothing_heavy(sample_store: Path) -> None:
    """A question from Python costs what one on the command line does."""
    code = (
        f"import ragcli, sys\nwith ragcli.Store.open({str(sample_store)!r}) as store:\n"
        f"    print(len(store.search({QUESTION!r})))\n"
        "heavy = ('torch', 'spacy', 'transformers', 'rich', 'typer')\n"
        "print(*[m for m in heavy if m in sys.modules])"
    )
    assert python(code).stdout == "10\n\n"


def test_the_public_names_are_there_and_no_others() -> None:
    """Each name of ``__all__`` can be used; ``dir`` shows it; a wrong one is an AttributeError."""
    assert all(getattr(ragcli, name) is not None for name in ragcli.__all__)
    assert set(ragcli.__all__) <= set(dir(ragcli)) and set(ragcli._HOME) < set(ragcli.__all__)
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = ragcli.nothing_like_it
    public = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    errors = [name for name in ragcli.__all__ if name.endswith("Error") or "Store" in name]
    assert not [name for name in errors if name not in public]


def test_the_examples_in_the_modules(place: Path) -> None:
    """Docstrings of the API, in their order."""
    (place / "docs").mkdir()
    (place / "docs" / "engine.txt").write_text(STORY)
    for name, text in (
        ("work", "Jon Berg repaired the pump in May."),
        ("private", "The boat was sold in Genoa."),
    ):
        (place / f"{name}.txt").write_text(text)
        ragcli.index(place / f"{name}.txt", place / name)
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    tests = finder.find(api, globs={"ragcli": ragcli})
    for test in sorted(tests, key=lambda test: test.lineno or 0):
        runner.run(test)
    assert runner.tries >= 4 and runner.failures == 0


def test_the_examples_in_the_documentation(place: Path) -> None:
    """docs/python.md, from the top."""
    page = str(ROOT / "docs" / "python.md")
    found = doctest.testfile(page, module_relative=False, encoding="utf-8")
    assert found.attempted >= 20 and found.failed == 0


def test_the_command_line_says_the_same(called: Run, sample_store: Path) -> None:
    """There is one path: answer, hits and documents are those of ``ragcli``."""
    with ragcli.Store.open(sample_store) as store:
        answer = store.ask(QUESTION)
        documents = [d.doc for d in store.documents()]
        hits = store.search(QUESTION)
    listed = called("inspect", "docs", "--json", "--store", sample_store).stdout.splitlines()
    assert [json.loads(line)["doc"] for line in listed] == documents
    asked = json.loads(called("ask", QUESTION, "--json", "--store", sample_store).stdout)
    assert answer.reply.text == asked["answer"]
    assert [h.chunk for h in answer.hits] == [h["chunk"] for h in asked["hits"]]
    # What an answer reads of them changes their order.
    assert {h.chunk for h in answer.hits} == {h.chunk for h in hits}
    assert answer.timings_ms.keys() == asked["timings_ms"].keys()


def test_a_handle_shows_one_generation(place: Path) -> None:
    """Two updates later it still answers from its own files, which those runs may have deleted."""
    (place / "docs").mkdir()
    (place / "docs" / "a.txt").write_text(STORY)
    ragcli.index("docs", "s")
    with ragcli.Store.open("s") as store:
        for number in range(3):
            (place / "docs" / f"b{number}.txt").write_text(f"Jacquard built loom {number}.")
            assert ragcli.update("s").added == 1
        assert store.generation == 1 and [d.doc for d in store.documents()] == ["a.txt"]
        found = {hit.doc for mode in ("auto", "naive", "bm25") for hit in
                 store.search("Who built loom 2?", mode=mode)}  # fmt: skip
        assert found <= {"a.txt"}
    with ragcli.Store.open("s") as store:
        assert store.generation == 4 and len(store.documents()) == 4


def test_threads_may_share_a_handle(sample_store: Path) -> None:
    """Calls take turns and give what one thread alone is given."""
    questions = [QUESTION, "Who signed the resin letter?", "Who keeps the Ysolde hut?"]
    with ragcli.Store.open(sample_store) as store:
        alone = [store.ask(question).reply for question in questions]
        with ThreadPoolExecutor(4) as threads:
            together = list(threads.map(lambda question: store.ask(question).reply, questions * 3))
    assert together == alone * 3


def test_threads_may_open_a_handle_each(sample_store: Path) -> None:
    """And all begin at the same moment."""
    start = threading.Barrier(4)

    def ask(_: int) -> str:
        start.wait(timeout=30)
        with ragcli.Store.open(sample_store) as store:
            return store.ask(QUESTION).reply.text

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(ask, range(4)))) == 1


def test_a_closed_handle_says_so(sample_store: Path) -> None:
    """Closing twice does nothing; another thread may close, too."""
    store = ragcli.Store.open(sample_store)
    thread = threading.Thread(target=store.close)
    thread.start()
    thread.join()
    store.close()
    assert "closed" in repr(store)
    with pytest.raises(ragcli.StoreError, match="is closed"):
        store.ask(QUESTION)


def test_what_is_wrong_is_an_error_with_a_hint(sample_store: Path, place: Path) -> None:
    """Of the kind that the documentation names; nothing is written."""
    with ragcli.Store.open(sample_store) as store:
        wrongs: list[Any] = [{"top_k": 0}, {"mode": "best"}, {"answer": "maybe"}]
        for wrong in wrongs:
            with pytest.raises(ragcli.ConfigError) as caught:
                store.ask(QUESTION, **wrong)
            assert caught.value.hint
        with pytest.raises(ragcli.InputError):
            store.ask("  ")
        with pytest.raises(ragcli.InputError):
            store.text("nowhere.md")
    for path in ("", Path("nowhere")):
        with pytest.raises(ragcli.RagcliError):
            ragcli.Store.open(path)
    calls: tuple[Callable[[], object], ...] = (
        lambda: ragcli.update("nowhere"),
        lambda: ragcli.index([], "nowhere"),
        lambda: ragcli.index("", "nowhere"),
        lambda: ragcli.index("missing", "nowhere"),
        lambda: ragcli.index(".", "nowhere", settings=ragcli.Settings(top_k=-1)),
    )
    for call in calls:
        with pytest.raises(ragcli.RagcliError):
            call()
    with pytest.raises(TypeError, match="topk"):
        ragcli.index(".", "nowhere", topk=1)  # type: ignore[call-arg]
    assert list(place.iterdir()) == []


def test_a_first_run_under_way_is_told(place: Path) -> None:
    """Before its end there is nothing to read, which is no reason to start another one."""
    store = place / "s"
    create(store)
    with writer_lock(store), pytest.raises(ragcli.StoreMissing, match="is still running"):
        ragcli.Store.open(store)
    with pytest.raises(ragcli.StoreMissing, match="is empty") as caught:
        ragcli.Store.open(store)
    assert "ragcli index" in caught.value.hint
    (store / "lock.pid").write_text("1")  # left behind by a run that was killed
    with pytest.raises(ragcli.StoreMissing, match="is empty"):
        ragcli.Store.open(store)


def test_a_script_needs_no_guard(place: Path) -> None:
    """Worker processes do not run the script again that called ``index``."""
    (place / "docs").mkdir()
    (place / "docs" / "long.txt").write_text("".join(f"{i}. {STORY}" for i in range(600)))
    script = place / "script.py"
    script.write_text(
        "import ragcli\nprint('once')\n"
        "print(ragcli.index('docs', 's', settings=ragcli.Settings(workers=2)).failed)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=300, cwd=place
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "once\n()\n"


CLIENT = """
import ragcli
from ragcli import Answer, Document, Event, Hit, IndexResult, Settings, Store


def show(event: Event) -> None:
    print(event.stage, event.done / max(event.total, 1))


result: IndexResult = ragcli.index(["a", "b"], "store", report=show, include=["*.md"])
print(result.added + 1)
with Store.open("store", Settings(top_k=3)) as store:
    answer: Answer = store.ask("Who?", mode="walk", on_text=print)
    hits: tuple[Hit, ...] = store.search("Who?", top_k=2)
    documents: tuple[Document, ...] = store.documents()
    print(answer.reply.text.upper(), hits[0].start, documents[0].status)
reveal_type(ragcli.update("store"))
"""


def test_annotations_reach_a_client(place: Path) -> None:
    """mypy --strict accepts a client, knows the types, and finds a wrong argument."""
    assert (ROOT / "ragcli" / "py.typed").is_file()
    (place / "right.py").write_text(CLIENT)
    (place / "wrong.py").write_text('import ragcli\nragcli.Store.open("s").ask("Who?", topk=1)\n')
    env = {**os.environ, "MYPYPATH": str(ROOT)}
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent",
               "--ignore-missing-imports",
               "--cache-dir", str(ROOT / ".mypy_cache" / "client")]  # fmt: skip
    command += ["right.py", "wrong.py"]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    lines = done.stdout.splitlines()
    (right,) = (line for line in lines if line.startswith("right.py"))
    assert "IndexResult" in right, done.stdout
    (wrong,) = (line for line in lines if " error: " in line)
    assert wrong.startswith("wrong.py") and 'keyword argument "topk"' in wrong, done.stdout
