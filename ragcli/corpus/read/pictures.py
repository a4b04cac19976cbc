"""Reads pictures (.png, .jpg, .tiff) in which there is text, with what the extra ``ocr`` brings.

Pillow opens these formats and no others, whatever is in the file.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ragcli.corpus.read.decode import EMPTY, bytes_of
from ragcli.corpus.read.file_text import damage
from ragcli.corpus.read.ocr import GreyPicture, Ocr, is_installed, unread
from ragcli.corpus.read.scanned_pages import ScannedPages
from ragcli.text.words import counted
from ragcli.types import ParsedDocument, Skipped, Source

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
NO_TEXT = "a picture, "
"""How the reason for a picture that gives no text begins."""
_FORMATS = ("PNG", "JPEG", "TIFF")
_MOST_PIXELS = 100_000_000
_LEAST_SIDE = 16
"""Pixels of the shorter side of a picture in which text is looked for; the other is longer."""
_BITS = 8  # more than that are left of a grey of 16 bits


def is_picture(path: str) -> bool:
    """Whether a file is a picture, by its suffix."""
    return PurePosixPath(path).suffix.lower() in SUFFIXES


def read(source: Source, ocr: Ocr | None = None) -> Iterator[ParsedDocument | Skipped]:
    """Yield the document of a picture, a page for each picture of a TIFF file.

    Raises Unreadable if the file is damaged or too large.
    """
    if not source.size or ocr is None or not is_installed():
        yield Skipped(source.id, f"{NO_TEXT}{unread('a scan')}" if source.size else EMPTY)
        return
    raw = bytes_of(source)
    pages = ScannedPages()
    raised = OSError, SyntaxError, ValueError, TypeError, EOFError, IndexError, KeyError
    with damage("a picture", raised):
        _look(raw, pages, ocr)
    made = pages.document(source.id, raw)
    if not made.text:
        yield Skipped(source.id, f"{NO_TEXT}{pages.problem or 'too small for text'}")
        return
    yield made
    if pages.scans and pages.problem:
        which = counted(len(pages.scans), "page")
        yield Skipped(f"{source.id}:{pages.scans[0]}", f"no text on {which}: {pages.problem}")


def _look(raw: bytes, pages: ScannedPages, ocr: Ocr) -> None:
    """Read each picture of a file."""
    from PIL import Image

    with closing(Image.open(io.BytesIO(raw), formats=_FORMATS)) as image:
        for number in range(1, getattr(image, "n_frames", 1) + 1):
            image.seek(number - 1)
            pages.found.append([])
            width, height = image.size
            if width * height > _MOST_PIXELS:
                most = f"at most {_MOST_PIXELS // 1_000_000} million are read"
                raise ValueError(f"it has {width:,} x {height:,} pixels; {most}")
            if min(image.size) >= _LEAST_SIDE and max(image.size) >= 3 * _LEAST_SIDE:
                pages.look(number, ocr, partial(_grey, image))
            else:
                pages.scans.append(number)


def _grey(image: Any, ocr: Ocr) -> GreyPicture:
    """The picture upright in grey, on white, not larger than it is to be read."""
    from PIL import Image, ImageOps

    if image.mode.startswith("I;16"):
        image = image.point(lambda grey: grey / (1 << _BITS)).convert("L")
    image = ImageOps.exif_transpose(image)
    if image.has_transparency_data:
        shown = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", shown.size, "white"), shown)
    grey = image.convert("L")
    scale = min(1.0, ocr.scale(*grey.size))
    if scale < 1:
        size = max(1, round(grey.width * scale)), max(1, round(grey.height * scale))
        grey = grey.resize(size, Image.Resampling.BOX if scale < 0.5 else Image.Resampling.BICUBIC)
    return GreyPicture(grey.width, grey.height, grey.tobytes())
