"""A model of the shape of Qwen2.5-0.5B with random weights, to measure what its size costs.

Its first tokens, and the rules that join them, are those of a real model, so that text becomes as
many tokens as it would; the rest of the 151,936 are made up.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ragcli.models.llm import gguf

VOCABULARY, LAYERS, WIDTH, HEADS, KV_HEADS, INNER = 151_936, 24, 896, 14, 2, 4864
_U32, _F32, _TEXT, _LIST = 4, 6, 8, 9
_Q4_0, _PLAIN = 2, 0


def lists(path: Path, wanted: set[str]) -> dict[str, bytes]:
    """Lists of a GGUF file's head as they stand there: type of item, count, items."""
    found: dict[str, bytes] = {}
    with path.open("rb") as file:
        file.seek(8)
        _, pairs = gguf._unpack(file, "<QQ")
        for _ in range(pairs):
            name = gguf._text(file).decode()
            (kind,) = gguf._unpack(file, "<I")
            start = file.tell()
            gguf._skip_list(file) if kind == _LIST else gguf._value(file, kind)
            if name in wanted:
                end = file.tell()
                file.seek(start)
                found[name] = file.read(end - start)
    return found


def make_model(real: Path, out: Path) -> Path:
    """Write the model to ``out``; ``real``: a GGUF file with a byte-level vocabulary."""
    taken = lists(real, {"tokenizer.ggml.tokens", "tokenizer.ggml.merges"})
    tokens, merges = taken["tokenizer.ggml.tokens"], taken["tokenizer.ggml.merges"]
    (count,) = struct.unpack_from("<Q", tokens, 4)
    more = b"".join(text(f"made{i}") for i in range(count, VOCABULARY))
    tokens = tokens[:4] + struct.pack("<Q", VOCABULARY) + tokens[12:] + more
    marks = [3, 3, 3] + [1] * (VOCABULARY - 3)
    kinds = struct.pack(f"<IQ{VOCABULARY}i", 5, VOCABULARY, *marks)
    pairs = [
        pair("general.architecture", _TEXT, text("qwen2")),
        pair("tokenizer.ggml.model", _TEXT, text("gpt2")),
        pair("tokenizer.ggml.pre", _TEXT, text("smollm")),
        *(
            pair(f"tokenizer.ggml.{mark}_token_id", _U32, struct.pack("<I", 2))
            for mark in ("bos", "eos")
        ),
        *(
            pair(f"qwen2.{name}", _U32, struct.pack("<I", value))
            for name, value in [
                *[("block_count", LAYERS), ("context_length", 4096), ("embedding_length", WIDTH)],
                *[("feed_forward_length", INNER), ("attention.head_count", HEADS)],
                *[("attention.head_count_kv", KV_HEADS)],
            ]
        ),
        pair("qwen2.attention.layer_norm_rms_epsilon", _F32, struct.pack("<f", 1e-6)),
        pair("qwen2.rope.freq_base", _F32, struct.pack("<f", 1e6)),
        pair("tokenizer.ggml.tokens", _LIST, tokens),
        pair("tokenizer.ggml.token_type", _LIST, kinds),
        pair("tokenizer.ggml.merges", _LIST, merges),
    ]
    with out.open("wb") as file:
        write(file, pairs, shapes())
    return out


def shapes() -> list[tuple[str, tuple[int, ...]]]:
    """Names of the tensors, and their shapes as GGUF has them (the fastest first)."""
    found: list[tuple[str, tuple[int, ...]]] = [
        ("token_embd.weight", (WIDTH, VOCABULARY)),
        ("output_norm.weight", (WIDTH,)),
    ]
    kv = WIDTH // HEADS * KV_HEADS
    for i in range(LAYERS):
        found += [
            (f"blk.{i}.{name}.weight", shape)
            for name, shape in [
                *[("attn_norm", (WIDTH,)), ("ffn_norm", (WIDTH,)), ("attn_q", (WIDTH, WIDTH))],
                *[
                    ("attn_k", (WIDTH, kv)),
                    ("attn_v", (WIDTH, kv)),
                    ("attn_output", (WIDTH, WIDTH)),
                ],
                *[("ffn_gate", (WIDTH, INNER)), ("ffn_up", (WIDTH, INNER))],
                *[("ffn_down", (INNER, WIDTH))],
            ]
        ]
        found += [
            (f"blk.{i}.attn_{name}.bias", (size,))
            for name, size in [("q", WIDTH), ("k", kv), ("v", kv)]
        ]
    return found


def write(file: BinaryIO, pairs: list[bytes], tensors: list[tuple[str, tuple[int, ...]]]) -> None:
    """Head, then weights: matrices in 4 bits, the rest plain."""
    file.write(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + b"".join(pairs))
    offset = 0
    for name, shape in tensors:
        kind = _Q4_0 if len(shape) == 2 else _PLAIN
        size = int(np.prod(shape)) // 32 * 18 if kind == _Q4_0 else 4 * shape[0]
        file.write(text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset))
        offset += -(-size // 32) * 32
    file.write(bytes(-file.tell() % 32))
    rng = np.random.default_rng(0)
    for _, shape in tensors:
        if len(shape) == 1:
            data = np.ones(shape[0], "<f4").tobytes()
        else:
            blocks = np.zeros(int(np.prod(shape)) // 32, [("scale", "<f2"), ("nibbles", "u1", 16)])
            blocks["scale"] = 0.2 / np.sqrt(shape[0])
            blocks["nibbles"] = rng.integers(0, 256, (blocks.size, 16), np.uint8)
            data = blocks.tobytes()
        file.write(data + bytes(-len(data) % 32))


def text(value: str) -> bytes:
    """A GGUF text."""
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(name: str, kind: int, value: bytes) -> bytes:
    """A name and its value in a GGUF head."""
    return text(name) + struct.pack("<I", kind) + value
