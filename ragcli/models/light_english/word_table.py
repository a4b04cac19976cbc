"""Remembers the vectors of words by themselves, which are the same in every text.

They take a third of the time of the analysis; in a large run nearly every word has occurred before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from ragcli.models.light_english.lexicon import Lexicon
from ragcli.models.light_english.tok2vec import TOGETHER, Tok2Vec
from ragcli.models.light_english.tokenizer import Word

Floats = NDArray[np.float32]
Key = tuple[str, str]
"""A word's text, and the norm that a special case sets."""

MOST = 30_000
"""Words that are remembered, of 768 bytes each; when they are more, all are forgotten."""

_KEY = itemgetter(Word._fields.index("text"), Word._fields.index("norm"))


class WordTable:
    """The vectors of words by themselves, for several networks."""

    def __init__(self, lexicon: Lexicon, networks: Sequence[Tok2Vec], most: int = MOST) -> None:
        self._lexicon = lexicon
        self._networks = networks
        self._most = most
        self._places: dict[Key, int] = {}
        self._rows: list[Floats] = [np.empty((0, 0), np.float32) for _ in networks]

    def __call__(self, words: Iterable[Word]) -> list[Floats]:
        """Return the vectors of T words by themselves, for each network: (T, d)."""
        keys = list(map(_KEY, words))
        distinct = dict.fromkeys(keys)
        new = [key for key in distinct if key not in self._places]
        if new and self._places and len(self._places) + len(new) > self._most:
            self._places.clear()
            new = list(distinct)
        if new:
            self._learn(new)
        at = [self._places[key] for key in keys]
        return [rows[at] for rows in self._rows]

    def _learn(self, new: Sequence[Key]) -> None:
        known, total = len(self._places), len(self._places) + len(new)
        features = self._lexicon([*new, *[new[0]] * (-len(new) % TOGETHER)])
        for number, network in enumerate(self._networks):
            alone = network.alone(features)[: len(new)]
            if total > len(self._rows[number]):
                larger = np.empty((max(2 * known, total), alone.shape[1]), np.float32)
                if known:
                    larger[:known] = self._rows[number][:known]
                self._rows[number] = larger
            self._rows[number][known:total] = alone
        self._places.update(zip(new, range(known, total), strict=True))
