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

FILE = "lexicon.json"
_LONG = 100


@dataclass(frozen=True, slots=True)
class Features:
    """Features of U distinct words: ``keys`` (U, 4), and ``rows`` (U,) of vectors, -1 for none."""

    keys: NDArray[np.uint64]
    rows: NDArray[np.int64]


class Lexicon:
    """Looks up words, each a text and the norm that a special case sets, or ""."""

    def __init__(self, folder: Path) -> None:
        tables = orjson.loads((folder / FILE).read_bytes())
        self._symbols: dict[str, int] = tables["symbols"]
        self._norms: dict[str, str] = tables["norms"]
        self._rows: dict[int, int] = msgpack.unpack((folder / "vocab" / "key2row").read_bytes())

    def key(self, text: str) -> int:
        """Return spaCy's number for a string."""
        symbol = self._symbols.get(text)
        return string_hash(text) if symbol is None else symbol

    def __call__(self, words: Sequence[tuple[str, str]]) -> Features:
        """Return the features of words."""
        keys = np.array([self._features(*word) for word in words], np.uint64)
        rows = [self._rows.get(self.key(text), -1) for text, _ in words]
        return Features(keys, np.array(rows, np.int64))

    def _features(self, text: str, norm: str) -> tuple[int, ...]:
        forms = (norm or self._norms.get(text) or text.lower(), text[0], text[-3:], shape(text))
        return tuple(map(self.key, forms))


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
