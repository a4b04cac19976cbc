"""Count and place tokens: the one owner of ``tokenizers`` besides the encoders.

Importing ``tokenizers`` and reading a vocabulary takes about 20 ms; it pulls in nothing heavy.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BLOCK = 32_768
"""Characters given to the tokenizer at once; larger blocks were no faster."""

BLOCKS_AT_ONCE = 16
"""Blocks in flight: bounds memory to the tokens of half a million characters (about 100 MB)."""

LONGEST_WORD = 100
"""Letters, accents aside. A BERT vocabulary gives a longer word one "unknown" token (the
tokenizer's ``max_input_chars_per_word``), so of text without spaces nothing would be read."""

WORD_PIECE = 33
"""Letters of the pieces that longer words are read in: decomposed Hangul is three times as long."""

_RUN = re.compile(rf"\S{{{WORD_PIECE + 1},}}+")
_WORD = re.compile(rf"[^\s!-/:-@\[-`{{-~]{{{WORD_PIECE + 1},}}+")


def word_breaks(text: str) -> list[int]:
    """Return the offsets at which words that no vocabulary reads are to be cut, ascending.

    >>> word_breaks("x" * 101), word_breaks("x" * 100)
    ([33, 66, 99], [])
    """
    return [
        at
        for run in _RUN.finditer(text)
        for word in _WORD.finditer(text, *run.span())
        if len(unicodedata.normalize("NFD", word[0])) > LONGEST_WORD
        for at in range(word.start() + WORD_PIECE, word.end(), WORD_PIECE)
    ]


def readable(text: str, breaks: list[int] | None = None) -> str:
    """Return ``text`` with a space at each of the ``breaks``, its ``word_breaks`` if not given."""
    breaks = word_breaks(text) if breaks is None else breaks
    edges = [0, *breaks, len(text)]
    return " ".join([text[a:b] for a, b in pairwise(edges)]) if breaks else text


def load_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a model folder, with truncation and padding off.

    Raises ModelError when ``tokenizer.json`` is missing or cannot be read.
    """
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    if not path.is_file():
        raise ModelError(f"{folder} has no tokenizer.json", "give the folder of a complete model")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception for a file it cannot parse
        raise ModelError(f"{path} cannot be read: {error}", "copy the model again") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class TokenOffsets:
    """Where each token of a text starts.

    Long texts are cut at white space into blocks, so that memory stays bounded and the blocks
    are tokenised in parallel. No token of a BERT vocabulary crosses white space, so the cut
    changes nothing; a tokenizer that marks word beginnings may place one token more at a cut.
    Words without an end are read in pieces, as the encoders do (``readable``).
    """

    def __init__(self, folder: Path) -> None:
        """Load the tokenizer of model ``folder``; raises ModelError as ``load_tokenizer``."""
        self._tokenizer = load_tokenizer(folder)

    def __call__(self, text: str) -> NDArray[np.int64]:
        """Offsets in characters, ascending, shape (tokens,); special tokens are left out."""
        found = [np.empty(0, np.int64)]
        group: list[tuple[int, int]] = []
        for span in blocks(text, BLOCK):
            group.append(span)
            if len(group) == BLOCKS_AT_ONCE:
                found += self._starts(text, group)
                group = []
        found += self._starts(text, group)
        return np.concatenate(found)

    def _starts(self, text: str, spans: list[tuple[int, int]]) -> list[NDArray[np.int64]]:
        if not spans:
            return []
        texts = [text[start:end] for start, end in spans]
        breaks = [word_breaks(t) for t in texts]
        encodings = self._tokenizer.encode_batch(
            [readable(t, cuts) for t, cuts in zip(texts, breaks, strict=True)],
            add_special_tokens=False,
        )
        found = ([at for at, _ in encoding.offsets] for encoding in encodings)
        return [
            _without_spaces(np.array(starts, np.int64), cuts) + start
            for (start, _), starts, cuts in zip(spans, found, breaks, strict=True)
        ]


def _without_spaces(starts: NDArray[np.int64], breaks: list[int]) -> NDArray[np.int64]:
    """Offsets in ``readable(text, breaks)`` -> offsets in ``text``."""
    spaces = np.array(breaks, np.int64) + np.arange(len(breaks))
    return starts - np.searchsorted(spaces, starts)


def blocks(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Spans that tile ``text``, at most ``size`` characters each, cut before white space.

    A run of more than ``size`` characters without white space is cut where ``size`` falls.

    >>> list(blocks("one two three", 8))
    [(0, 7), (7, 13)]
    """
    start = 0
    while len(text) - start > size:
        end = start + size
        while end > start and not text[end].isspace():
            end -= 1
        end = end if end > start else start + size
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)
