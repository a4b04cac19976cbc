"""Contexts of short texts, an encoder that counts words, and a model that says what it is told."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from laid_out import blocks_in
from numpy.typing import NDArray

from ragcli.retrieve.context import fit
from ragcli.text.words import content_words
from ragcli.types import Citation, Context, Hit, Part

DIM = 256


def context_of(*documents: tuple[str, str]) -> Context:
    """Make a context of whole documents, given as (title, text), best first."""
    hits = [
        Hit(
            f"c{n}",
            f"{n}.txt",
            title,
            0,
            len(text),
            1,
            1 + text.count("\n"),
            text,
            1 / n,
            n,
            blocks=blocks_in(text),
        )
        for n, (title, text) in enumerate(documents, start=1)
    ]
    return fit(hits, 10**6, len)


def stands(citation: Citation, document_text: str) -> bool:
    """Tell whether the quote stands in the document, to the character, where it says."""
    return bool(citation.quote) and document_text[citation.start : citation.end] == citation.quote


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    """Map texts to (m, DIM) unit rows by hashing their words: like texts share words."""
    rows = np.zeros((len(texts), DIM), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in content_words(text):
            row[zlib.crc32(word.encode()) % DIM] += 1
        row /= np.linalg.norm(row) or 1
    return rows


class Parrot:
    """A model that writes one text, a few characters at a time."""

    def __init__(self, text: str, parameters: int = 7, context: int = 4096, step: int = 3) -> None:
        self.text, self.parameters, self.context, self.step = text, parameters, context, step
        self.asked: tuple[str, str] = ("", "")

    def count_tokens(self, text: str) -> int:
        """Count words."""
        return len(text.split())

    def generate(self, system: str, user: str, max_tokens: int) -> Iterator[str]:
        """Yield the text in pieces."""
        self.asked = (system, user)
        for at in range(0, len(self.text), self.step):
            yield self.text[at : at + self.step]


def part_of(text: str, headings: tuple[tuple[int, str], ...] = (), title: str = "") -> Part:
    """A whole document as one part, with its blocks."""
    blocks = blocks_in(text, headings)
    lines = 1, 1 + text.count("\n")
    return Part(1, "d.md", title, 0, len(text), *lines, text, headings=headings, blocks=blocks)
