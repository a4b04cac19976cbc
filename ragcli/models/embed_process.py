"""Embeds many texts in a process of its own: both cores work while PyTorch is imported.

Importing PyTorch is more than a second of Python code, which would keep the interpreter from
reading, chunking and extracting. Later the embedder and these do not wait for each other either.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.embed_worker import LENGTH
from ragcli.types import Event, Report, silent
from ragcli.worker_process import kill, pipes, start

# The search path comes before any other import: the current folder may be a hostile one.
_CODE = (
    "import sys; sys.path[:] = eval(sys.argv[1]);"
    "from ragcli.models.embed_worker import main; main()"
)
# Seconds between the end of a process's replies and its end.
_LAST_SECONDS = 5


class EmbedProcess:
    """A process that embeds; it is started at once, and loads the model of ``folder`` beside.

    Several threads may ask; their texts are embedded one after the other.
    """

    def __init__(self, folder: Path) -> None:
        # Not isolated: it reads the user's own model, and what this process may not do (tests
        # refuse the network to every Python), it may not do either.
        self._process = start(_CODE, str(folder), isolated=False)
        self._turn = threading.Lock()

    def encode_passages(self, texts: Sequence[str], report: Report = silent) -> NDArray[np.float16]:
        """Return unit vectors of passages and of names, (len(texts), dim), in half precision.

        ``report`` receives an Event of stage "embed" after each batch, which counts texts. What it
        raises ends the process. Raises ModelError when the model cannot be loaded or the process
        has died, RuntimeError for what PyTorch raises.
        """
        with self._turn:
            try:
                return self._ask(texts, report)
            except (OSError, EOFError) as error:
                raise ModelError(
                    f"the process that embeds has ended ({self._ended()})",
                    "the machine may lack memory; run the command again to continue",
                ) from error
            except BaseException:
                self.end()
                raise

    def _ask(self, texts: Sequence[str], report: Report) -> NDArray[np.float16]:
        requests, replies = pipes(self._process)
        packed = orjson.dumps(list(texts))
        requests.write(LENGTH.pack(len(packed)) + packed)
        requests.flush()
        while True:
            line = replies.readline()
            if not line.endswith(b"\n"):
                raise EOFError
            reply = orjson.loads(line)
            if "done" in reply:
                report(Event("embed", reply["done"], len(texts)))
            elif "error" in reply:
                raise _error(reply)
            else:
                size = reply["rows"], reply["dim"]
                content = replies.read(2 * size[0] * size[1])
                if len(content) < 2 * size[0] * size[1]:
                    raise EOFError
                return np.frombuffer(content, np.float16).reshape(size)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        kill(self._process)
        self._process.wait()
        for pipe in pipes(self._process):
            try:
                pipe.close()
            except OSError:  # no process reads what was not yet written
                continue

    def _ended(self) -> str:
        """Say how the process ended. One that dies closes its pipe a moment before."""
        try:
            code = self._process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            kill(self._process)
            code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def _error(reply: dict[str, str]) -> Exception:
    if reply["error"] == "known":
        return ModelError(reply["message"], reply["hint"])
    return RuntimeError(f"{reply['error']}: {reply['message']}")
