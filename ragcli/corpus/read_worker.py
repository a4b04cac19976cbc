"""Reads files for another process, which may kill this one: see ``read_pool``.

Requests come on standard input and replies go to standard output, each as a length of 4 bytes and
JSON. JSON and not pickle: whoever takes over a reader must not get into the parent with it.
"""

from __future__ import annotations

import os
import signal
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, BinaryIO

import orjson

from ragcli.corpus.read import read
from ragcli.corpus.read.ocr import BUILT_IN, Ocr, OcrCommand
from ragcli.errors import ReadError
from ragcli.types import Skipped, Source

_LENGTH = struct.Struct(">I")
# What a library may write to the disk.
_MOST_WRITTEN = 1 << 30


def send(stream: BinaryIO, message: Any) -> None:
    """Write a message."""
    packed = orjson.dumps(message)
    stream.write(_LENGTH.pack(len(packed)) + packed)
    stream.flush()


def receive(stream: BinaryIO, most: int) -> tuple[Any, int]:
    """Return the next message and its bytes; EOFError at the end, OverflowError beyond ``most``."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    if length > most:
        raise OverflowError
    packed = stream.read(length)
    if len(packed) < length:
        raise EOFError
    return orjson.loads(packed), length


def main() -> None:
    """Answer requests until the parent closes the pipe or dies."""
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    requests, replies = _own_streams()
    while True:
        try:
            request, _ = receive(requests, 1 << 20)
        except EOFError:
            return
        _limit(request["seconds"], request["megabytes"])
        path, real = (os.fsdecode(request[key].encode("latin-1")) for key in ("path", "real"))
        source = Source(request["id"], path, request["size"], request["mtime_ns"], real=real)
        for reply in _replies(source, _ocr(request, replies)):
            send(replies, reply)


def _ocr(request: Any, replies: BinaryIO) -> Ocr | None:
    """What reads scanned pages; the parent hears of the first one, and each has its own limit."""
    announced: list[bool] = []

    def begins() -> None:
        if not announced:
            announced.append(True)
            send(replies, ("scans", ""))
        _limit_processor(request["seconds"])

    command, seconds = request["ocr"], request["ocr_seconds"]
    if command == BUILT_IN:
        from ragcli.corpus.read.built_in_ocr import BuiltInOcr  # takes 0.1 s, for a few files

        return BuiltInOcr(seconds, request["inside"], begins)
    return OcrCommand(command, seconds, request["inside"], begins) if command else None


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take the pipes away from libraries, which may read and print whatever a file says."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


def _limit(seconds: int, megabytes: int) -> None:
    """Limit what the next file may take. It does nothing on Windows."""
    if sys.platform == "win32":
        return
    import resource

    _limit_processor(seconds)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_FSIZE, _MOST_WRITTEN)
    if sys.platform == "linux":  # macOS accepts this limit and ignores it
        _set(resource.RLIMIT_AS, megabytes << 20)


def _limit_processor(seconds: int) -> None:
    """Limit the processor time from now on."""
    if sys.platform == "win32":
        return
    import resource

    _set(resource.RLIMIT_CPU, int(time.process_time()) + 1 + seconds)


def _set(which: int, most: int) -> None:
    import resource

    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(which, (most, hard))


def _replies(source: Source, ocr: Ocr | None) -> Iterator[tuple[str, Any]]:
    """Yield what a file gives, then "done", or the reason why there is no more."""
    try:
        for item in read(source, ocr):
            yield ("skipped" if isinstance(item, Skipped) else "document"), asdict(item)
    except ReadError as error:
        yield "failed", error.message
    except MemoryError:
        yield "memory", ""
    else:
        yield "done", ""
