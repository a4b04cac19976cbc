"""Starts and kills Python processes that work for this one, over pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing import spawn
from typing import Any, BinaryIO


def start(
    code: str, *arguments: str, errors: int | None = None, isolated: bool = True
) -> subprocess.Popen[bytes]:
    """Run ``code`` in a session of its own, which Ctrl-C does not reach.

    ``sys.argv[1]`` is the parent's search path as JSON, the ``arguments`` follow. An isolated
    process takes neither PYTHON* variables nor the current folder, which may be a hostile one. Its
    standard error goes to ``errors``, by default where the parent's goes.
    """
    path = [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100 - "" is the current folder
    own: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        own = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    options = ["-I"] if isolated else []
    return subprocess.Popen(
        [os.fsdecode(spawn.get_executable()), *options, "-c", code, json.dumps(path), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        **own,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and the programs that it has started."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):  # it has ended since
            os.killpg(process.pid, signal.SIGKILL)


def pipes(process: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    """The process's standard input and output."""
    assert process.stdin is not None and process.stdout is not None
    return process.stdin, process.stdout  # type: ignore[return-value]
