"""Embeds texts for another process: see ``embed_process``.

A request is a list of texts in JSON, behind its length in 8 bytes. A reply is a line of JSON:
``{"done": n}`` after each batch, ``{"rows": n, "dim": d}`` followed by the vectors in half
precision, or ``{"error": kind, "message": ..., "hint": ...}``.
"""

from __future__ import annotations

import os
import queue
import signal
import struct
import sys
import threading
from pathlib import Path
from typing import BinaryIO

import numpy as np
import orjson

from ragcli.errors import RagcliError
from ragcli.models.embed import Embedder
from ragcli.models.embedder_settings import UnsupportedModelError
from ragcli.models.torch_encoder import TorchEncoder
from ragcli.types import Event

LENGTH = struct.Struct(">Q")


def open_embedder(folder: Path) -> Embedder | TorchEncoder:
    """Load the fastest program that knows the model of ``folder``. Raises ModelError."""
    try:
        return TorchEncoder(folder)
    except UnsupportedModelError:
        return Embedder(folder)


def main() -> None:
    """Load the model that the command line names, and answer until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what a library prints must not get among the replies
    waiting: queue.Queue[list[str]] = queue.Queue()
    threading.Thread(target=_take, args=(requests, waiting), daemon=True).start()
    embedder: Embedder | TorchEncoder | None = None
    problem: dict[str, str] | None = None
    try:
        embedder = open_embedder(Path(sys.argv[2]))
    except Exception as error:  # the first request gets it
        problem = _told(error)
    while True:
        texts = waiting.get()
        if embedder is None:
            _reply(replies, problem)
        else:
            _answer(replies, embedder, texts)


def _take(requests: BinaryIO, waiting: queue.Queue[list[str]]) -> None:
    """Queue the requests; end the process with its parent, whatever it is computing."""
    while True:
        head = requests.read(LENGTH.size)
        length = LENGTH.unpack(head)[0] if len(head) == LENGTH.size else -1
        packed = requests.read(length) if length >= 0 else b""
        if len(packed) != length:
            os._exit(0)
        waiting.put(orjson.loads(packed))


def _answer(replies: BinaryIO, embedder: Embedder | TorchEncoder, texts: list[str]) -> None:
    def tell(event: Event) -> None:
        _reply(replies, {"done": event.done})

    try:
        vectors = embedder.encode_passages(texts, tell).astype(np.float16)
    except Exception as error:  # the parent raises what the libraries raise
        _reply(replies, _told(error))
    else:
        _reply(replies, {"rows": len(vectors), "dim": embedder.dim}, vectors.tobytes())


def _told(error: Exception) -> dict[str, str]:
    if isinstance(error, RagcliError):
        return {"error": "known", "message": error.message, "hint": error.hint}
    return {"error": type(error).__name__, "message": str(error), "hint": ""}


def _reply(replies: BinaryIO, message: object, content: bytes = b"") -> None:
    try:
        replies.write(orjson.dumps(message) + b"\n" + content)
        replies.flush()
    except BrokenPipeError:  # the parent has gone
        os._exit(0)
