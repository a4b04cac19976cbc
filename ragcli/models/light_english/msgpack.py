"""Reads MessagePack, the format of a spaCy pipeline's files, without importing spaCy."""

from __future__ import annotations

from typing import Any

import msgpack
import numpy as np


def unpack(data: bytes) -> Any:
    """Return the value in ``data``. Raises ValueError if it is truncated or not MessagePack."""
    try:
        return msgpack.unpackb(data, strict_map_key=False, object_hook=_array)
    except msgpack.UnpackException as error:
        raise ValueError(f"MessagePack of {len(data)} bytes: {error}") from error


def _array(pairs: dict[Any, Any]) -> Any:
    """Convert a map that encodes an array or a number; return any other map unchanged.

    msgpack-numpy writes an array as "nd", "type", "shape" and "data", with keys of bytes or text.
    """
    if "nd" not in pairs and b"nd" not in pairs:
        return pairs
    parts = {k if isinstance(k, str) else k.decode(): v for k, v in pairs.items()}
    flat = np.frombuffer(parts["data"], np.dtype(parts["type"]))
    return flat.reshape(parts["shape"]) if parts["nd"] else flat[0]
