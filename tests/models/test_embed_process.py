"""Embedding in a process of its own: the same vectors, and an end in order whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.config import Settings
from ragcli.errors import ModelError
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.models import embed_process, model_set
from ragcli.models.embed_process import EmbedProcess
from ragcli.models.encoder import LightEncoder
from ragcli.models.model_set import ModelSet
from ragcli.types import Event

MADE = """
import sys; sys.path[:] = eval(sys.argv[1])
import numpy as np
from ragcli.errors import ModelError
from ragcli.models import embed_worker
from ragcli.types import Event
class Made:
    dim = 3
    def encode_passages(self, texts, report):
        for done in range(len(texts)):
            print('a library prints')
            report(Event('embed', done + 1, len(texts)))
        BODY
        return np.array([[len(t), ord(t[0]), 1] for t in texts], np.float32)
def opened(folder):
    OPENED
    return Made()
embed_worker.open_embedder = opened
embed_worker.main()
"""


def made(monkeypatch: pytest.MonkeyPatch, body: str = "pass", opened: str = "pass") -> EmbedProcess:
    """A process whose embedder gives (length, first character, 1) for each text."""
    code = MADE.replace("BODY", body).replace("OPENED", opened)
    monkeypatch.setattr(embed_process, "_CODE", code)
    return EmbedProcess(Path("model"))


def test_vectors_come_in_the_order_of_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is told, and what a library prints is no reply."""
    events: list[Event] = []
    process = made(monkeypatch)
    try:
        found = process.encode_passages(["ab", "\u00fcber\n", "x"], events.append)
        assert found.dtype == np.float16
        assert found.tolist() == [[2, 97, 1], [5, 252, 1], [1, 120, 1]]
        assert process.encode_passages(["yz"]).tolist() == [[2, 121, 1]]
    finally:
        process.end()
    assert [(e.stage, e.done, e.total) for e in events] == [("embed", n, 3) for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("body", "opened", "kind", "message"),
    [
        ("pass", "raise ModelError('no such model', 'copy it')", ModelError, "no such model"),
        ("raise MemoryError('too little')", "pass", RuntimeError, "MemoryError: too little"),
        ("import os; os._exit(7)", "pass", ModelError, r"has ended \(exit code 7\)"),
        ("pass", "import os; os._exit(7)", ModelError, r"has ended \(exit code 7\)"),
    ],
)
def test_a_failure_is_told(
    monkeypatch: pytest.MonkeyPatch, body: str, opened: str, kind: type[Exception], message: str
) -> None:
    """Whether the model cannot be loaded, a library fails or the process dies."""
    process = made(monkeypatch, body, opened)
    try:
        with pytest.raises(kind, match=message):
            process.encode_passages(["a"])
    finally:
        process.end()
    assert process._process.returncode is not None


def test_nothing_is_imported_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be any folder of documents."""
    for name in ("json", "re", "os", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    kept = [entry for entry in sys.path if entry not in ("", ".")]
    monkeypatch.setattr(sys, "path", kept)
    start = embed_process._CODE.partition("from ragcli")[0]
    code = start + "import json, re, os, numpy; sys.exit(43)"
    monkeypatch.setattr(embed_process, "_CODE", code)
    process = EmbedProcess(Path("model"))
    try:
        with pytest.raises(ModelError, match="exit code 43"):
            process.encode_passages(["a"])
    finally:
        process.end()


def test_a_report_that_raises_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would embed on for nobody."""
    process = made(monkeypatch)

    def stop(_event: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        process.encode_passages(["a"] * 3, stop)
    assert process._process.returncode is not None


@pytest.mark.skipif(sys.platform == "win32", reason="asks for a process by a signal")
def test_it_ends_with_its_parent() -> None:
    """Although the parent was killed while a model is being loaded."""
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from ragcli.models import embed_process\n"
        f"embed_process._CODE = {MADE!r}.replace('BODY', 'pass').replace('OPENED',"
        " 'import time; time.sleep(60)')\n"
        "process = embed_process.EmbedProcess(Path('model'))\n"
        "print(process._process.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    child = int(done.stdout)
    end = time.monotonic() + 30
    while _alive(child):
        assert time.monotonic() < end, "it lives on"
        time.sleep(0.05)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return sys.platform != "linux"
    return state != "Z"  # no one waits for it here


def test_vectors_are_those_of_the_light_encoder(light: LightEncoder) -> None:
    """To a cosine of 0.999; this process imports no PyTorch, and one processor embeds here."""
    code = (
        "import json, sys\n"
        "from ragcli.config import Settings\n"
        "from ragcli.models import model_set\n"
        "model_set.usable_cpus = lambda: 2\n"
        "models = model_set.ModelSet(Settings())\n"
        "models.embed_beside()\n"
        "days = [f'On day {n} the keeper wrote down {n * 37} litres.' for n in range(800)]\n"
        "texts = [' '.join(days[n : n + 40]) for n in range(0, 800, 40)]\n"
        "vectors = models.embed(texts)\n"
        "models.close()\n"
        "imported = 'torch' in sys.modules\n"
        "print(json.dumps([imported, texts[:3], vectors[:3].tolist()]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    imported, texts, vectors = json.loads(done.stdout)
    assert not imported
    cosines = (light.encode_passages(texts) * np.array(vectors)).sum(axis=1)
    assert cosines.min() > 0.999


class Counted:
    """In place of a process: counts starts and ends."""

    started = ended = 0

    def __init__(self, _folder: Path) -> None:
        Counted.started += 1

    def encode_passages(self, texts: Sequence[str], *_: object) -> NDArray[np.float16]:
        return np.eye(384, dtype=np.float16)[[len(text) % 384 for text in texts]]

    def end(self) -> None:
        Counted.ended += 1


@pytest.mark.parametrize(("days", "processes"), [(1200, 1), (20, 0)])
def test_a_run_starts_at_most_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int, processes: int
) -> None:
    """None for little text; it is ended with the run."""
    monkeypatch.setattr(model_set, "EmbedProcess", Counted)
    monkeypatch.setattr(ModelSet, "embed_beside", lambda self: setattr(self, "_beside", True))
    monkeypatch.setattr(Counted, "started", 0)
    monkeypatch.setattr(Counted, "ended", 0)
    text = " ".join(f"On day {n} the keeper wrote down {n * 37} litres." for n in range(days))
    (tmp_path / "day.txt").write_text(text)
    index(IndexRequest(tmp_path / "s", (tmp_path / "day.txt",)), Settings(workers=1))
    assert (Counted.started, Counted.ended) == (processes, processes)


def test_it_can_be_ended_while_a_thread_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C does not wait until a model is loaded."""
    process = made(monkeypatch, opened="import time; time.sleep(60)")
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(process.encode_passages, ["a"])
        process.end()
        with pytest.raises((ModelError, ValueError)):
            asked.result(30)
