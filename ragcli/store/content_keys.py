"""Keys of the caches by content: a hash of the model and of the text."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b


def text_hash(model: str, text: str) -> bytes:
    """The key of the output of ``model`` for ``text``: 16 bytes."""
    return blake2b(f"{model}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def code_hash(model: str, text: str) -> bytes:
    """The key of the code of a vector that ``model`` makes of ``text`` (search/level_codes.py).

    It differs from that of the vector: the one cannot be taken for the other.
    """
    return text_hash(f"{model} in levels", text)


def unknown(hashes: Sequence[bytes], known: set[bytes]) -> list[int]:
    """Positions of the first occurrence of each hash that is not known."""
    seen = set(known)
    out = []
    for i, key in enumerate(hashes):
        if key not in seen:
            seen.add(key)
            out.append(i)
    return out
