"""How many characters of scanned pages are read right, and how long a page takes.

    python bench/scans.py

It needs the extra ``ocr``. Twenty pages of the sample corpus are drawn as a scanner shows them: at
300 and 150 dots an inch, straight and askew, in one and in two columns, in small print, a little
blurred and with specks. The accuracy of a page is one less the edits that turn what was read into
what stands there, as a share of its characters; runs of white space count as one space. Seconds are
those of one processor.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from ragcli.corpus.read.built_in_ocr import BuiltInOcr
from ragcli.corpus.read.ocr import GreyPicture
from ragcli.corpus.read.pdf_layout import lay_out

ROOT = Path(__file__).resolve().parent.parent
TEXTS = (
    "valley/rescue-corps-handbook.md",
    "cooperative/history-of-the-cooperative.md",
)
_PAGE = (8.27, 11.69)  # inches of A4
_MARGIN, _GAP = 1.0, 0.4
_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Kind:
    """How a page looks: degrees that it is askew, columns, and points of its print."""

    name: str
    askew: float = 0.0
    columns: int = 1
    points: float = 11.0


KINDS = (
    Kind("straight"),
    Kind("askew by 2 degrees", askew=2.0),
    Kind("two columns", columns=2, points=10.0),
    Kind("two columns, askew by 2 degrees", askew=-2.0, columns=2, points=10.0),
    Kind("small print, 7 points", points=7.0),
)


def page(words: list[str], kind: Kind, dots: int, seed: int) -> tuple[GreyPicture, str]:
    """A scanned page of as many of the words as fit, and its text."""
    width, height = (round(side * dots) for side in _PAGE)
    sheet = Image.new("L", (width, height), 245)
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(kind.points / 72 * dots)
    step = kind.points * 1.3 / 72 * dots
    inner = _PAGE[0] - 2 * _MARGIN - (kind.columns - 1) * _GAP
    each = inner / kind.columns * dots
    lines: list[str] = []
    rest = iter(_wrapped(words, font, each))
    for column in range(kind.columns):
        left = _MARGIN * dots + column * (each + _GAP * dots)
        for n in range(int((_PAGE[1] - 2 * _MARGIN) * dots / step)):
            line = next(rest, "")
            draw.text((left, _MARGIN * dots + n * step), line, font=font, fill=25)
            lines.append(line)
    sheet = sheet.rotate(kind.askew, Image.Resampling.BICUBIC, fillcolor=245)
    sheet = sheet.filter(ImageFilter.GaussianBlur(dots / 300))
    noise = np.random.default_rng(seed).normal(0, 12, (height, width))
    pixels = np.clip(np.asarray(sheet, np.float32) + noise, 0, 255).astype(np.uint8)
    return GreyPicture(width, height, pixels.tobytes()), " ".join(lines)


def _wrapped(words: list[str], font: Any, width: float) -> Iterator[str]:
    line = ""
    for word in words:
        longer = f"{line} {word}".strip()
        if font.getlength(longer) > width:
            yield line
            longer = word
        line = longer
    yield line


def accuracy(read: str, written: str) -> float:
    """One less the share of characters that must be changed.

    >>> accuracy("abcd", "abxd")
    0.75
    """
    read, written = " ".join(read.split()), " ".join(written.split())
    codes = np.frombuffer(written.encode("utf-32-le"), np.uint32)
    row = np.arange(len(codes) + 1)
    steps = np.arange(len(codes) + 1)
    for letter in read:
        changed = np.minimum(row[:-1] + (codes != ord(letter)), row[1:] + 1)
        row = np.minimum.accumulate(np.concatenate(([row[0] + 1], changed)) - steps) + steps
    return 1 - float(row[-1]) / len(codes)


def shrunk(picture: GreyPicture, ocr: BuiltInOcr) -> GreyPicture:
    """The picture in the size in which it is read."""
    scale = min(1.0, ocr.scale(picture.width, picture.height))
    image = Image.frombytes("L", (picture.width, picture.height), picture.pixels)
    image = image.resize((round(image.width * scale), round(image.height * scale)))
    return GreyPicture(image.width, image.height, image.tobytes())


def main() -> None:
    """Print a row for each kind of page."""
    ocr = BuiltInOcr(_SECONDS)
    texts = [
        re.sub(r"[#*_`|>]+", " ", (ROOT / "sample_corpus" / name).read_text("utf-8")).split()
        for name in TEXTS
    ]
    ocr.lines(GreyPicture(64, 64, bytes([255]) * 64 * 64))  # loads the models
    print("| page | dots an inch | pages | characters right | s a page |")
    print("|---|---:|---:|---:|---:|")
    everything: list[tuple[float, float]] = []
    for kind in KINDS:
        for dots in (300, 150):
            got = []
            for n, words in enumerate(texts):
                scan, written = page(words, kind, dots, n)
                began = time.process_time()
                lines = ocr.lines(shrunk(scan, ocr))
                seconds = time.process_time() - began
                got.append((accuracy(lay_out([lines])[0].text, written), seconds))
            _row(kind.name, str(dots), got)
            everything += got
    _row("all", "", everything)


def _row(name: str, dots: str, got: list[tuple[float, float]]) -> None:
    right, seconds = (mean(values) for values in zip(*got, strict=True))
    print(f"| {name} | {dots} | {len(got)} | {right:.2%} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
