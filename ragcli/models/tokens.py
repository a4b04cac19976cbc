"""Counts and locates tokens. Besides the encoders, only this module uses ``tokenizers``.

Importing ``tokenizers`` and reading a vocabulary takes about 20 ms; it imports nothing heavy.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BLOCK = 32_768
"""Characters per call of the tokenizer; larger blocks were not faster."""

BLOCKS_AT_ONCE = 16
"""Blocks processed at once; limits memory to the tokens of half a million characters (100 MB)."""

LONGEST_WORD = 100
"""Letters, not counting accents. A BERT tokenizer turns a longer word into one "unknown" token
(``max_input_chars_per_word``), so it would not read text without spaces."""

WORD_PIECE = 33
"""Letters of the pieces of longer words: decomposed Hangul is three times as long."""

_RUN = re.compile(rf"\S{{{WORD_PIECE + 1},}}+")
_WORD = re.compile(rf"[^\s!-/:-@\[-`{{-~]{{{WORD_PIECE + 1},}}+")


def word_breaks(text: str) -> list[int]:
    """Return the offsets, ascending, at which words that are too long must be cut.

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
    """Return ``text`` with a space at each of the ``breaks`` (default: its ``word_breaks``)."""
    breaks = word_breaks(text) if breaks is None else breaks
    edges = [0, *breaks, len(text)]
    return " ".join([text[a:b] for a, b in pairwise(edges)]) if breaks else text


def readable_for(tokenizer: Tokenizer, texts: Iterable[str]) -> list[str]:
    """Return texts with spaces in words that are too long for the tokenizer.

    A unigram model (SentencePiece) reads words of any length, and in scripts without spaces a
    whole paragraph is one.
    """
    return [readable(text) for text in texts] if _has_longest(tokenizer) else list(texts)


def _has_longest(tokenizer: Tokenizer) -> bool:
    return type(tokenizer.model).__name__ != "Unigram"


def load_tokenizer(folder: Path) -> Tokenizer:
    """Load the tokenizer of a model folder, without truncation and padding.

    It is shared: the encoder, the reader and the token offsets parse the file once, and must not
    change its settings. Raises ModelError when ``tokenizer.json`` is missing or cannot be read.
    """
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise ModelError(f"{folder} has no tokenizer.json", "give the folder of a complete model")
    stat = path.stat()
    return _parsed(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=2)
def _parsed(path: Path, _time: int, _size: int) -> Tokenizer:
    """The tokenizer in a file as it was at that time; parsing takes 25 ms."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception for a file it cannot parse
        raise ModelError(f"{path} cannot be read: {error}", "copy the model again") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class TokenOffsets:
    """Finds where each token of a text starts.

    Long texts are cut at white space into blocks, which limits memory and allows parallel work. No
    token of a BERT vocabulary crosses white space, so the result is the same; a tokenizer that
    marks word beginnings may return one more token at a cut. Very long words are read in pieces,
    as in the encoders (``readable_for``).
    """

    def __init__(self, folder: Path) -> None:
        """Load the tokenizer of model ``folder``; raises ModelError like ``load_tokenizer``."""
        self._tokenizer = load_tokenizer(folder)

    def __call__(self, text: str) -> NDArray[np.int64]:
        """Return offsets in characters, ascending, shape (tokens,), without special tokens."""
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
        limited = _has_longest(self._tokenizer)
        breaks = [word_breaks(t) if limited else [] for t in texts]
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
    """Map offsets in ``readable(text, breaks)`` to offsets in ``text``."""
    spaces = np.array(breaks, np.int64) + np.arange(len(breaks))
    return starts - np.searchsorted(spaces, starts)


def blocks(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield spans that tile ``text``, at most ``size`` characters each, cut before white space.

    A run of more than ``size`` characters without white space is cut after ``size`` characters.

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
