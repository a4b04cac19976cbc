"""Writes a small test model: one layer of random weights, each matrix in another block format.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md; layout of the blocks:
https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-common.h
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

_WIDTH, _HEADS, _CONTEXT, _VOCABULARY = 256, 4, 256, 256
_U32, _F32, _TEXT = 4, 6, 8
# Kind: number, weights in a block, bytes of a block, offsets and values of its 16-bit scales. Any
# values of the other bytes are valid.
_KINDS: dict[str, tuple[int, int, int, dict[int, float]]] = {
    "F32": (0, 1, 4, {}),
    "Q4_0": (2, 32, 18, {0: 0.01}),
    "Q4_1": (3, 32, 20, {0: 0.01, 2: -0.07}),
    "Q8_0": (8, 32, 34, {0: 0.001}),
    "Q4_K": (12, 256, 144, {0: 4e-4, 2: 2e-3}),
    "Q5_K": (13, 256, 176, {0: 2e-4, 2: 2e-3}),
    "Q6_K": (14, 256, 210, {208: 5e-5}),
    "IQ4_XS": (23, 256, 136, {0: 5e-5}),
}
_MATRICES = {
    "token_embd.weight": "Q8_0",
    "blk.0.attn_q.weight": "Q4_0",
    "blk.0.attn_k.weight": "Q4_1",
    "blk.0.attn_v.weight": "Q8_0",
    "blk.0.attn_output.weight": "Q4_K",
    "blk.0.ffn_gate.weight": "Q5_K",
    "blk.0.ffn_up.weight": "Q6_K",
    "blk.0.ffn_down.weight": "IQ4_XS",
    "output.weight": "Q4_1",
}
_NORMS = ("output_norm.weight", "blk.0.attn_norm.weight", "blk.0.ffn_norm.weight")


def make_small(path: Path) -> Path:
    """Write the model as a GGUF file of 0.6 MB without a tokenizer; it is always the same."""
    pairs = [
        _pair("general.architecture", _TEXT, _text("llama")),
        _pair("tokenizer.ggml.model", _TEXT, _text("none")),
        *(
            _pair(f"llama.{name}", _U32, struct.pack("<I", value))
            for name, value in (
                ("block_count", 1),
                ("context_length", _CONTEXT),
                ("embedding_length", _WIDTH),
                ("feed_forward_length", _WIDTH),
                ("attention.head_count", _HEADS),
                ("rope.dimension_count", _WIDTH // _HEADS),
                ("vocab_size", _VOCABULARY),
            )
        ),
        _pair("llama.attention.layer_norm_rms_epsilon", _F32, struct.pack("<f", 1e-5)),
    ]
    head = [b"GGUF", struct.pack("<IQQ", 3, len(_NORMS) + len(_MATRICES), len(pairs)), *pairs]
    data: list[bytes] = []
    offset = 0
    generator = np.random.default_rng(0)
    for name, kind in {**dict.fromkeys(_NORMS, "F32"), **_MATRICES}.items():
        shape = (_WIDTH,) if name in _NORMS else (_WIDTH, _WIDTH)
        head.append(_text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape))
        head.append(struct.pack("<IQ", _KINDS[kind][0], offset))
        data.append(_weights(kind, generator))
        offset += len(data[-1])
    start = b"".join(head)
    path.write_bytes(start + bytes(-len(start) % 32) + b"".join(data))
    return path


def _weights(kind: str, generator: np.random.Generator) -> bytes:
    """Return the bytes of a norm of ones, or of a random matrix."""
    _, block, size, scales = _KINDS[kind]
    if kind == "F32":
        return np.ones(_WIDTH, "<f4").tobytes()
    blocks = generator.integers(0, 256, (_WIDTH * _WIDTH // block, size), np.uint8)
    for at, scale in scales.items():
        blocks[:, at : at + 2] = np.frombuffer(np.float16(scale).tobytes(), np.uint8)
    return blocks.tobytes()


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _pair(name: str, kind: int, value: bytes) -> bytes:
    return _text(name) + struct.pack("<I", kind) + value
