"""Reads scanned pages with a program of the user, which gets a picture and prints its text.

The program belongs to the reader's process: it has the same limits and is killed with it.
"""

from __future__ import annotations

import shlex
import struct
import subprocess
import time
import zlib
from typing import Any

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.decode import decode

UNREAD = "which may be scans"
"""In the reason for pages that an OCR command has not seen; with one, they are read again."""

_DOTS = 300 / 72
"""Pixels per point: 300 dots per inch, as OCR programs expect."""
_MOST_PIXELS = 6000
"""The longest side of a picture; a page may claim to be as large as a house."""
_LONGEST_REASON = 120


class OcrError(Exception):
    """The program gave no text for a page; ``started`` is False if it does not even run."""

    def __init__(self, reason: str, started: bool = True) -> None:
        super().__init__(reason)
        self.started = started


class Ocr:
    """A command that reads a picture in PNG from standard input and prints its text in UTF-8.

    All pages of a file share ``seconds`` of the clock. The command is split into words as a shell
    does, but no shell runs.
    """

    def __init__(self, command: str, seconds: float) -> None:
        self._command = command
        self._end = time.monotonic() + seconds

    def text(self, page: Any) -> str:
        """Return the text of a page of a PDF file; raises OcrError."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise OcrError("no time left (setting read_seconds)")
        try:
            words = shlex.split(self._command)
            done = subprocess.run(words, input=_picture(page), capture_output=True, timeout=left)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise OcrError(f"the command cannot be started: {reason}", started=False) from error
        except subprocess.TimeoutExpired as error:
            raise OcrError("no time left (setting read_seconds)") from error
        if done.returncode:
            said = " ".join((decode(done.stderr[:1000]) or "").split())[:_LONGEST_REASON]
            raise OcrError(f"exit code {done.returncode}{': ' * bool(said)}{said}")
        return normalise(decode(done.stdout) or "")[0].strip()


def _picture(page: Any) -> bytes:
    """Return a page of pypdfium2 as a grey PNG."""
    scale = min(_DOTS, _MOST_PIXELS / max(*page.get_size(), 1.0))
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        rows, stride = bytes(bitmap.buffer), bitmap.stride
        lines = (rows[at : at + bitmap.width] for at in range(0, stride * bitmap.height, stride))
        return png(bitmap.width, bitmap.height, b"".join(b"\0" + line for line in lines))
    finally:
        bitmap.close()


def png(width: int, height: int, lines: bytes) -> bytes:
    """Return a PNG of grey pixels; each of ``lines`` is its filter, 0, and its pixels."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = (b"IHDR", head), (b"IDAT", zlib.compress(lines, 1)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
