"""What reading one file may cost."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

from ragcli.corpus.read.ocr import BUILT_IN

MOST_TEXT = 256 << 20
"""Bytes of text and places that one file may give."""
_PATIENCE = 5
"""A reader may wait for a slow disk, so the clock allows more than the processor does."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Processor time in seconds and memory in megabytes for one file that is not plain text.

    ``ocr`` is what reads scanned pages: a command, ``ocr.BUILT_IN``, or "": nothing. It has
    ``ocr_seconds`` for all those of a file; ``inside``: it also reads the pictures in documents.

    Systems without limits on processes have no limit on memory (macOS, Windows), and the clock
    limits the time (Windows).
    """

    seconds: int = 60
    megabytes: int = 2048
    ocr: str = ""
    ocr_seconds: int = 1800
    inside: bool = False

    @property
    def sees(self) -> str:
        """What reads pictures, and which; another value may read other text in them."""
        of = f" {version('rapidocr')}" if self.ocr == BUILT_IN else ""
        return f"{self.ocr}{of}{', inside' * self.inside}" if self.ocr else ""

    @property
    def clock_seconds(self) -> int:
        """Seconds after which a reader is stopped even if it only waits."""
        return _PATIENCE * self.seconds

    @property
    def ocr_clock_seconds(self) -> int:
        """Seconds after which it is stopped once it has begun with scanned pages."""
        return _PATIENCE * (self.seconds + self.ocr_seconds)

    @property
    def too_slow(self) -> str:
        """The reason for a reader that was stopped for its time."""
        return f"stopped: reading it takes more than {self.seconds} s (setting read_seconds)"

    @property
    def too_large(self) -> str:
        """The reason for a reader that was stopped for its memory."""
        return f"stopped: reading it takes more than {self.megabytes:,} MB (setting read_megabytes)"

    @property
    def too_long(self) -> str:
        """The reason for a file that gives too much text."""
        return f"stopped: it gives more than {MOST_TEXT >> 20} MB of text"

    def stopped(self, reason: str) -> bool:
        """Return whether a file failed by these limits, so that it will fail again."""
        return reason in (self.too_slow, self.too_large, self.too_long)
