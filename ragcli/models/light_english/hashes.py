"""The hash functions of spaCy's strings and of thinc's embedding tables.

MurmurHash64A and the second half of MurmurHash3_x86_128, by Austin Appleby (public domain):
https://github.com/aappleby/smhasher.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_MASK = (1 << 64) - 1
_M = 0xC6A4A7935BD1E995


@lru_cache(maxsize=1 << 16)
def string_hash(text: str) -> int:
    """Return MurmurHash64A of the text's UTF-8 bytes, with the seed 1."""
    data = text.encode("utf-8", "surrogatepass")
    found = 1 ^ (len(data) * _M & _MASK)
    whole = len(data) & ~7
    for at in range(0, whole, 8):
        part = int.from_bytes(data[at : at + 8], "little") * _M & _MASK
        found = (found ^ ((part ^ part >> 47) * _M & _MASK)) * _M & _MASK
    if whole < len(data):
        found = (found ^ int.from_bytes(data[whole:], "little")) * _M & _MASK
    found = (found ^ found >> 47) * _M & _MASK
    return found ^ found >> 47


def row_hashes(keys: NDArray[np.uint64], seed: int) -> NDArray[np.uint32]:
    """Return four 32-bit hashes of each key: (n,) -> (n, 4)."""
    with np.errstate(over="ignore"):
        turned = keys * np.uint64(0x87C37B91114253D5)
        turned = (turned << np.uint64(31)) | (turned >> np.uint64(33))
        start = np.uint64(seed ^ 8)
        one = (turned * np.uint64(0x4CF5AD432745937F) ^ start) + start
        two = _mix(one + start)
        one = _mix(one) + two
        two = one + two
    low = np.uint64(0xFFFFFFFF)
    parts = (one & low, one >> np.uint64(32), two & low, two >> np.uint64(32))
    return np.stack(parts, axis=1).astype(np.uint32)


def _mix(h: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the final mix of MurmurHash3: every input bit affects every output bit."""
    h = (h ^ h >> np.uint64(33)) * np.uint64(0xFF51AFD7ED558CCD)
    h = (h ^ h >> np.uint64(33)) * np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ h >> np.uint64(33)
