"""Count and place tokens: the one owner of ``tokenizers`` besides the encoders.

Importing ``tokenizers`` and reading a vocabulary takes about 20 ms; it pulls in nothing heavy.
"""

from __future__ import annotations

from collections.abc import Iterator
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
        encodings = self._tokenizer.encode_batch(
            [text[start:end] for start, end in spans], add_special_tokens=False
        )
        return [
            np.fromiter((begin for begin, _ in offsets), np.int64, len(offsets)) + start
            for (start, _), offsets in zip(spans, (e.offsets for e in encodings), strict=True)
        ]


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
