"""Reads scanned pages: what all ways to read them share, and a program of the user that does.

The program gets a picture and prints its text. It belongs to the reader's process: it has the same
limits and is killed with it. ``built_in_ocr`` needs no program.
"""

from __future__ import annotations

import shlex
import struct
import subprocess
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.decode import decode
from ragcli.corpus.read.pdf_layout import Line

BUILT_IN = "built-in"
"""In place of a command: the extra ``ocr`` reads the pages."""
UNREAD = "which may be"
"""In the reason for pages that nothing has tried to read; as soon as something can, it does."""
NO_TIME = "(setting ocr_seconds)"
"""In the reason for pages that were left for want of time; more time lets them be read."""

_DOTS = 300 / 72
"""Pixels per point: 300 dots per inch, as OCR programs expect."""
_MOST_PIXELS = 6000
"""The longest side of a picture; a page may claim to be as large as a house."""
_LONGEST_REASON = 120


class OcrError(Exception):
    """Nothing was read of a page; ``started`` is False if what reads does not even run."""

    def __init__(self, reason: str, started: bool = True) -> None:
        super().__init__(reason)
        self.started = started


@dataclass(frozen=True, slots=True)
class GreyPicture:
    """A grey picture: a byte for each pixel, row by row."""

    width: int
    height: int
    pixels: bytes

    def png(self) -> bytes:
        """The picture as a PNG file."""
        starts = range(0, self.width * self.height, self.width)
        lines = b"".join(b"\0" + self.pixels[at : at + self.width] for at in starts)
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 0, 0, 0, 0)
        parts = (b"IHDR", head), (b"IDAT", zlib.compress(lines, 1)), (b"IEND", b"")
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
            for name, data in parts
        )


class Ocr(Protocol):
    """Something that reads pictures; ``inside``: also those inside documents that have text."""

    inside: bool

    def scale(self, width: float, height: float) -> float:
        """Pixels per unit in which it wants a page, or a picture, of a width and a height."""

    def lines(self, picture: GreyPicture) -> list[Line]:
        """The lines of a picture, normalised, in reading order; raises OcrError.

        Sizes and places are in heights of most of its lines.
        """


class OcrTime:
    """The seconds in which all scanned pages of a file are read.

    ``clock`` returns seconds. ``begins`` is called before each page, which may have a new limit.
    """

    def __init__(
        self, seconds: float, clock: Callable[[], float], begins: Callable[[], None]
    ) -> None:
        self._seconds, self._clock, self._begins = seconds, clock, begins
        self._end = clock() + seconds

    def left(self) -> float:
        """Seconds that are left for the next page; raises OcrError if there are none."""
        left = self._end - self._clock()
        if left <= 0:
            raise OcrError(no_time(self._seconds))
        self._begins()
        return left


def no_time(seconds: float) -> str:
    """The reason for pages that are left because those before took all the time."""
    return f"no time left after {seconds:,.0f} s {NO_TIME}"


def is_installed() -> bool:
    """Whether the extra ``ocr`` is."""
    return all(map(find_spec, ("rapidocr", "onnxruntime")))


def unread(what: str) -> str:
    """The reason for pictures that nothing has tried to read, and what would."""
    how = "" if is_installed() else " (to read them: pip install 'ragcli[ocr]')"
    return f"{UNREAD} {what}{how}"


class OcrCommand:
    """A command that reads a picture in PNG from standard input and prints its text in UTF-8.

    The command is split into words as a shell does, but no shell runs.
    """

    def __init__(
        self,
        command: str,
        seconds: float,
        inside: bool = False,
        begins: Callable[[], None] = lambda: None,
    ) -> None:
        self.inside = inside
        self._command = command
        self._time = OcrTime(seconds, time.monotonic, begins)
        self._seconds = seconds

    def scale(self, width: float, height: float) -> float:
        """As ``Ocr``."""
        return min(_DOTS, _MOST_PIXELS / max(width, height, 1.0))

    def lines(self, picture: GreyPicture) -> list[Line]:
        """As ``Ocr``. A program gives no places: the lines are below each other."""
        left = self._time.left()
        try:
            words = shlex.split(self._command)
            done = subprocess.run(words, input=picture.png(), capture_output=True, timeout=left)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise OcrError(f"the command cannot be started: {reason}", started=False) from error
        except subprocess.TimeoutExpired as error:
            raise OcrError(no_time(self._seconds)) from error
        if done.returncode:
            said = " ".join((decode(done.stderr[:1000]) or "").split())[:_LONGEST_REASON]
            raise OcrError(f"exit code {done.returncode}{': ' * bool(said)}{said}")
        text = normalise(decode(done.stdout) or "")[0].strip()
        return [
            Line(line.strip(), 1.0, -n, -n - 1.0, False)
            for n, line in enumerate(text.split("\n"))
            if line.strip()
        ]


def page_picture(
    page: Any, ocr: Ocr, crop: tuple[float, float, float, float] = (0, 0, 0, 0)
) -> GreyPicture:
    """Return a page of pypdfium2 as a picture; ``crop``: points that are cut off, from the left and
    then against the clock."""
    width, height = page.get_size()
    scale = ocr.scale(width - crop[0] - crop[2], height - crop[1] - crop[3])
    with closing(page.render(scale=scale, grayscale=True, crop=crop)) as bitmap:
        rows, stride, width = bytes(bitmap.buffer), bitmap.stride, bitmap.width
        lines = (rows[at : at + width] for at in range(0, stride * bitmap.height, stride))
        return GreyPicture(width, bitmap.height, b"".join(lines))
