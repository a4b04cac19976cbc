"""doctor: checks machine, libraries, models, store and network access, in this order."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ragcli.config import Settings, pipelines_of
from ragcli.errors import RagcliError
from ragcli.maintaining.check import check
from ragcli.maintaining.libraries import CheckResult, library_checks
from ragcli.models.cpu import available_memory, cpu_flags, has_bf16, usable_cpus
from ragcli.models.english_pipeline import check_pipeline
from ragcli.models.llm import llama_installed
from ragcli.models.llm.amx import REPAIR, amx_works, has_amx
from ragcli.models.locate import embedder_folder, llm_file, spacy_path
from ragcli.models.reading_scores import kept_score
from ragcli.search import derive
from ragcli.store.listings import counts
from ragcli.store.snapshot import open_snapshot
from ragcli.text.scripts import NAMES
from ragcli.text.words import counted

# Indexing a small folder takes about 1 GB.
_ENOUGH_MEMORY = 2 * 2**30
_SHOWN_FLAGS = ("avx2", "avx512f", "avx512_bf16", "amx_int8", "asimd", "bf16")

# Loaded by every Python process of the network check, including workers. It allows local pipes
# between processes, and urllib3's test for IPv6 on import, which binds ::1, port 0.
_WATCH = """
import os, socket, sys

def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto"):
        family = getattr(args[0], "family", None) if args else None
        if event == "socket.bind" and args[1] == ("::1", 0):
            return
        if family != getattr(socket, "AF_UNIX", object()):
            with open(os.environ["RAGCLI_SOCKETS"], "a", encoding="utf-8") as log:
                log.write(f"{event} {args[1:]}\\n")
            raise OSError("sockets are refused here")

sys.addaudithook(watch)
"""
_STORY = "Ada Lovelace wrote notes on the Analytical Engine. Charles Babbage had designed it.\n"


def examine(settings: Settings, store: Path | None) -> Iterator[CheckResult]:
    """Run all checks in order; ``store`` is None if there is none."""
    yield from _machine()
    yield from library_checks()
    yield from _models(settings)
    yield from _store(store)
    yield _network()


def mend(settings: Settings, store: Path) -> Iterator[CheckResult]:
    """Repair what can be repaired without a network: yields one result for each repair.

    That is what ``inspect check`` repairs: files that can be made again from the store, rows that
    nothing uses, and the format of a store of an earlier release. What is beyond repair is a
    result with state "bad" and a command.
    """
    try:
        for part, finding in check(store, settings):
            if finding:
                yield CheckResult(part, "ok", f"fixed: {finding}")
    except RagcliError as error:
        yield CheckResult("store", "bad", f"not fixed: {error.message}", error.hint)


def _machine() -> Iterator[CheckResult]:
    python = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield CheckResult("python", "ok", python)
    flags = cpu_flags()
    shown = [flag for flag in _SHOWN_FLAGS if flag in flags]
    speed = "bfloat16 in hardware" if has_bf16(flags) else "no bfloat16: embedding is slower"
    yield CheckResult("processor", "ok", f"{usable_cpus()} usable CPUs; {' '.join(shown)}; {speed}")
    free = available_memory()
    if free is None:
        yield CheckResult("memory", "note", "this system does not report free memory")
    elif free < _ENOUGH_MEMORY:
        yield CheckResult(
            "memory", "note", _gib(free), "indexing needs 1 to 2 GiB: close other programs"
        )
    else:
        yield CheckResult("memory", "ok", _gib(free))


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB free"


def _models(settings: Settings) -> Iterator[CheckResult]:
    yield _model("embedder", lambda: embedder_folder(settings.embedder))
    yield _model("english pipeline", lambda: spacy_path(settings.spacy))
    for code in pipelines_of(settings.languages):
        yield _model(f"{NAMES[code]} pipeline", partial(_pipeline, settings.languages, code))
    yield (llm := _model("language model", lambda: llm_file(settings.llm)))
    if llm.state == "ok" and (file := llm_file(settings.llm)):
        yield _reading(file)
    if has_amx() and llama_installed():
        if amx_works():
            yield CheckResult("AMX kernels", "ok", "llama.cpp's work")
        else:
            yield CheckResult("AMX kernels", "note", "llama.cpp's crash and are not used", REPAIR)


def _pipeline(languages: str, code: str) -> Path:
    """The folder of a language's pipeline. Raises ModelError if it cannot be loaded."""
    folder = spacy_path(pipelines_of(languages)[code])
    check_pipeline(folder, code)
    return folder


def _model(name: str, find: Callable[[], Path | None]) -> CheckResult:
    try:
        path = find()
    except RagcliError as error:
        return CheckResult(name, "bad", error.message, error.hint)
    if path is None:
        return CheckResult(
            name, "note", "none installed; optional", 'pip install "ragcli[smollm2]"'
        )
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return CheckResult(name, "ok", f"{path} ({sum(p.stat().st_size for p in files) / 1e6:.0f} MB)")


def _reading(file: Path) -> CheckResult:
    """Whether the language model answers by itself."""
    score = kept_score(file)
    if score is None:
        return CheckResult(
            "reading test", "note", "not done: sentences answer", f"ragcli models check {file.stem}"
        )
    who = "the model answers" if score.passed else "sentences answer, unless --answer llm"
    return CheckResult("reading test", "ok", f"{score.right} of {score.asked} right: {who}")


def _store(store: Path | None) -> Iterator[CheckResult]:
    if store is None:
        yield CheckResult(
            "store", "note", "none in this folder or a parent folder", "ragcli index FOLDER"
        )
        return
    try:
        with open_snapshot(store) as snapshot:
            current = snapshot.generation
            facts = counts(snapshot)
    except RagcliError as error:
        yield CheckResult("store", "bad", error.message, error.hint)
        return
    failed, documents = facts["failed_documents"], facts["documents"]
    yield CheckResult(
        "store",
        "note" if failed else "ok",
        f"{store}: {counted(documents, 'document')}, {failed} unreadable,"
        f" {facts['bytes'] / 1e6:.1f} MB",
        "ragcli inspect docs" if failed else "",
    )
    if current and (found := derive.vector_problem(store, current)):
        yield CheckResult("vectors", "bad", found, "ragcli inspect check")
    if current and (found := derive.problem(store, current)):
        yield CheckResult("derived files", "bad", found, "ragcli inspect check")
    elif current:
        yield CheckResult("derived files", "ok", f"generation {current}")


def _network() -> CheckResult:
    """Run index and ask in processes that log and refuse every use of a socket."""
    with tempfile.TemporaryDirectory(prefix="ragcli-doctor-") as folder:
        where = Path(folder)
        (where / "sitecustomize.py").write_text(_WATCH, encoding="utf-8")
        (where / "documents").mkdir()
        (where / "documents" / "engine.txt").write_text(_STORY, encoding="utf-8")
        log = where / "sockets"
        ways = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
        env = {**os.environ, "PYTHONPATH": ways, "RAGCLI_SOCKETS": str(log)}
        for args in (
            ("index", str(where / "documents"), "--quiet"),
            ("ask", "Who designed the Analytical Engine?", "--answer", "extractive", "--quiet"),
        ):
            command = [sys.executable, "-m", "ragcli", *args, "--store", str(where / "store")]
            done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder)
            if log.exists():
                opened = log.read_text(encoding="utf-8").splitlines()
                return CheckResult("network", "bad", f"{args[0]} used a socket: {opened[0]}")
            if done.returncode:
                last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0]
                return CheckResult("network", "bad", f"ragcli {args[0]} failed: {last}")
    return CheckResult(
        "network", "ok", "index and ask ran with sockets disabled and tried to open none"
    )
