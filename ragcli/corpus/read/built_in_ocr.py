"""Reads scanned pages with the models of ``rapidocr``, which come with its package (extra ``ocr``).

It runs in the process that reads the file, on one thread, so that a page gives the same text
however many files are read beside it. The paths of the models are given, so nothing is looked for
in the network; a model that is missing is an error.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ragcli.corpus.normalised_text import normalise
from ragcli.corpus.read.ocr import GreyPicture, OcrError, OcrTime
from ragcli.corpus.read.pdf_layout import Line
from ragcli.corpus.read.seen_lines import (
    SeenText,
    are_turned,
    in_lines,
    is_tall,
    turned_back,
)
from ragcli.text.words import one_line

_MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx"}
_MOST_PIXELS = 2_900_000
"""Pixels of a picture: those of a page of A4 at 170 dots an inch (docs/formats.md has figures)."""
_DOTS = 300 / 72
_LONGEST_SIDE = 20_000
_LEAST_SURE = 0.5
"""Confidence of a text that is kept."""
_POOR = 0.8
"""Mean confidence of a page that may be upside down."""


class BuiltInOcr:
    """The models, loaded at the first page; all pages of a file share ``seconds`` of processor."""

    def __init__(
        self, seconds: float, inside: bool = False, begins: Callable[[], None] = lambda: None
    ) -> None:
        self.inside = inside
        self._time = OcrTime(seconds, time.process_time, begins)

    def scale(self, width: float, height: float) -> float:
        """As ``Ocr``."""
        return min(_DOTS, math.sqrt(_MOST_PIXELS / max(width * height, 1.0)))

    def lines(self, picture: GreyPicture) -> list[Line]:
        """As ``Ocr``; a page that lies on its side or upside down is turned."""
        self._time.left()
        pixels = np.frombuffer(picture.pixels, np.uint8).reshape(picture.height, picture.width)
        found = _seen(pixels)
        turns = _other_turns(found)
        readings = [(0, found), *((turn, _seen(_turned(pixels, turn))) for turn in turns)]
        turn, best = max(readings, key=lambda reading: _worth(reading[1]))
        height, width = _turned(pixels, turn).shape
        sure = [one for one in best if one.confidence >= _LEAST_SURE]
        return [turned_back(line, turn) for line in in_lines(sure, width, height)]


def _other_turns(found: Sequence[SeenText]) -> tuple[int, ...]:
    """The quarter turns that may show more than what was seen without any."""
    if are_turned(found):
        return 1, 3
    poor = _worth(found) < _POOR * sum(len(one.text) for one in found)
    return (2,) if poor else ()


def _worth(found: Sequence[SeenText]) -> float:
    """How many letters were read, each counted as it is sure; not those that run down the page."""
    return sum(len(one.text) * one.confidence for one in found if not is_tall(one))


def _turned(pixels: Any, turns: int) -> Any:
    """A picture after quarter turns against the clock."""
    return np.ascontiguousarray(np.rot90(pixels, turns)) if turns else pixels


def _seen(pixels: Any) -> list[SeenText]:
    """The texts in a grey picture, in any order."""
    try:
        result = _engine()(pixels)
    except MemoryError:
        raise
    except Exception as error:
        raise OcrError(" ".join(f"{type(error).__name__}: {error}".split())[-200:]) from error
    if result.txts is None:
        return []
    found = zip(result.boxes, result.txts, result.scores, strict=True)
    made = (SeenText(one_line(normalise(t)[0]), float(s), np.asarray(b)) for b, t, s in found)
    return [text for text in made if text.text]


@cache
def _engine() -> Any:
    """The models; loading them takes a second, and the process reads further files."""
    import cv2
    from rapidocr import RapidOCR

    cv2.setNumThreads(1)
    threads = "EngineConfig.onnxruntime.{}_op_num_threads"
    settings: dict[str, Any] = {
        **{f"{part}.model_path": str(_model(name)) for part, name in _MODELS.items()},
        **{threads.format(which): 1 for which in ("intra", "inter")},
        "Global.log_level": "critical",
        "Global.text_score": 0.0,
        "Global.use_cls": False,  # it turns single lines; pages are turned here
        # Pictures have the right size when they come here.
        "Global.max_side_len": _LONGEST_SIDE,
        "Det.limit_type": "max",
        "Det.limit_side_len": _LONGEST_SIDE,
    }
    return RapidOCR(params=settings)


def _model(name: str) -> Path:
    """The file of a model; raises OcrError if the package has none of this name."""
    found = find_spec("rapidocr")
    folders = (found.submodule_search_locations or []) if found else []
    file = next((path for f in folders if (path := Path(f, "models", name)).is_file()), None)
    if file is None:
        raise OcrError(f"rapidocr has no model {name}", started=False)
    return file
