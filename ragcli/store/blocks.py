"""Blocks of documents as bytes: a few bytes each, because most are close to the one before."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import orjson

from ragcli.types.blocks import KINDS, Block, FlatBlock, joined, tree

_LEVEL = 6


def pack_blocks(rows: Sequence[FlatBlock]) -> bytes:
    """Pack flat blocks: of each its depth and kind as one number, the distance from the start of
    the one before, and its length.

    >>> rows = [(0, 0, 5, 90), (1, 1, 5, 20), (2, 3, 7, 12)]
    >>> unpack_blocks(zlib.decompress(pack_blocks(rows))) == rows
    True
    """
    numbers, before = [], 0
    for depth, kind, start, end in rows:
        numbers += [depth * len(KINDS) + kind, start - before, end - start]
        before = start
    columns = [numbers[n::3] for n in range(3)]
    return zlib.compress(orjson.dumps(columns), _LEVEL)


def unpack_blocks(data: bytes) -> list[FlatBlock]:
    """Return what ``pack_blocks`` packed, given as the view ``live_blocks`` inflates it."""
    kinds, gaps, lengths = orjson.loads(data)
    found, at = [], 0
    for kind, gap, length in zip(kinds, gaps, lengths, strict=True):
        at += gap
        found.append((*divmod(kind, len(KINDS)), at, at + length))
    return found


def blocks_of_pieces(pieces: Sequence[bytes]) -> tuple[Block, ...]:
    """The blocks of parts of a document that follow each other."""
    return joined(block for piece in pieces for block in tree(unpack_blocks(piece)))
