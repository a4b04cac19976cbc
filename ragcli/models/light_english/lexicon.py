"""Looks up the features of a word as spaCy's vocabulary does: norm, prefix, suffix and shape.

A feature is the hash of a string, or a small constant for the few strings that spaCy predefines
("agent" and "mark" are among them). ``lexicon.json`` contains these, and the norms that are not
the word in lower case. Training writes it beside the pipeline's own files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from ragcli.models.light_english import msgpack
from ragcli.models.light_english.hashes import string_hash
from ragcli.models.light_english.tokenizer import Word

FILE = "lexicon.json"
_REMEMBERED = 100_000
_LONG = 100


@dataclass(frozen=True, slots=True)
class Features:
    """Features of U distinct words: ``keys`` (U, 4), and ``rows`` (U,) of vectors, -1 for none."""

    keys: NDArray[np.uint64]
    rows: NDArray[np.int64]


class Lexicon:
    """Looks up words and caches the results."""

    def __init__(self, folder: Path) -> None:
        tables = orjson.loads((folder / FILE).read_bytes())
        self._symbols: dict[str, int] = tables["symbols"]
        self._norms: dict[str, str] = tables["norms"]
        self._rows: dict[int, int] = msgpack.unpack((folder / "vocab" / "key2row").read_bytes())
        self._known: dict[tuple[str, str], tuple[int, ...]] = {}

    def key(self, text: str) -> int:
        """Return spaCy's number for a string."""
        symbol = self._symbols.get(text)
        return string_hash(text) if symbol is None else symbol

    def unique(self, words: Sequence[Word]) -> tuple[Features, NDArray[np.intp]]:
        """Return the features of the distinct words, and for each of T words its index in them."""
        places: dict[tuple[str, str], int] = {}
        at = [places.setdefault((w.text, w.norm), len(places)) for w in words]
        found = [self._known.get(word) or self._look_up(*word) for word in places]
        table = np.array(found, np.uint64)
        return Features(table[:, :4], table[:, 4].astype(np.int64) - 1), np.array(at)

    def _look_up(self, text: str, norm: str) -> tuple[int, ...]:
        forms = (norm or self._norms.get(text) or text.lower(), text[0], text[-3:], shape(text))
        row = self._rows.get(self.key(text), -1)
        features = (*map(self.key, forms), row + 1)
        if len(self._known) < _REMEMBERED:
            self._known[text, norm] = features
        return features


def shape(text: str) -> str:
    """Return the pattern of capitals, small letters and digits, with runs of at most four.

    For example, "Ada's" -> "Xxx'x".
    """
    if len(text) >= _LONG:
        return "LONG"
    signs: list[str] = []
    for char in text:
        if char.isalpha():
            sign = "X" if char.isupper() else "x"
        else:
            sign = "d" if char.isdigit() else char
        if signs[-4:] != [sign] * 4:
            signs.append(sign)
    return "".join(signs)
