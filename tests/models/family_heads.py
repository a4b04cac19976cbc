"""Tiny models of one layer with the chat template and the marks of a family of models.

The templates have the shapes that the families document (which marks, who may have a system text,
what is trimmed, what is put in between); their texts are ours. The vocabulary is bytes and marks.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_WIDTH = 32
_U32, _F32, _BOOL, _TEXT, _LIST, _I32 = 4, 6, 7, 8, 9, 5
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6


@dataclass(frozen=True, slots=True)
class Family:
    """A template, its marks (the first begins every text, the second ends a reply), what it makes
    of the texts "SYSTEM" and "USER", and whether its vocabulary puts a blank before a text."""

    template: str
    marks: tuple[str, ...]
    prompt: str
    blank: bool = False


_SPLIT = (
    "{% if messages[0].role == 'system' %}{% set system = messages[0].content %}"
    "{% set rest = messages[1:] %}{% else %}{% set rest = messages %}{% endif %}"
)

FAMILIES = {
    "qwen 2.5": Family(
        "{%- if messages[0]['role'] == 'system' -%}"
        "{{ '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}"
        "{%- else -%}{{ '<|im_start|>system\\nYou help.<|im_end|>\\n' }}{%- endif -%}"
        "{%- for m in messages if m.role != 'system' -%}"
        "{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' + '\\n' }}{%- endfor -%}"
        "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}",
        ("<|endoftext|>", "<|im_end|>", "<|im_start|>"),
        "<|im_start|>system\nSYSTEM<|im_end|>\n<|im_start|>user\nUSER<|im_end|>\n"
        "<|im_start|>assistant\n",
    ),
    "qwen 3": Family(
        "{%- for m in messages -%}{%- set text = m.content.split('</think>')[-1] -%}"
        "{{ '<|im_start|>' + m.role + '\\n' + text + '<|im_end|>\\n' }}{%- endfor -%}"
        "{{ '<|im_start|>assistant\\n' }}"
        "{%- if enable_thinking is defined and enable_thinking is false -%}"
        "{{ '<think>\\n\\n</think>\\n\\n' }}{%- endif -%}",
        ("<|endoftext|>", "<|im_end|>", "<|im_start|>", "<think>", "</think>"),
        "<|im_start|>system\nSYSTEM<|im_end|>\n<|im_start|>user\nUSER<|im_end|>\n"
        "<|im_start|>assistant\n<think>\n\n</think>\n\n",
    ),
    "llama 3": Family(
        "{{- bos_token }}" + _SPLIT + "{%- set date = strftime_now('%d %b %Y') -%}"
        "{{- '<|start_header_id|>system<|end_header_id|>\\n\\nToday: ' + date + '\\n\\n' }}"
        "{{- system | trim }}{{- '<|eot_id|>' }}"
        "{%- for m in rest -%}{{- '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' "
        "+ m.content | trim + '<|eot_id|>' }}{%- endfor -%}"
        "{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}",
        ("<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>"),
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nToday: 26 Jul 2024\n\n"
        "SYSTEM<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nUSER<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "gemma 2": Family(
        "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
        "{{ raise_exception('no system role') }}{% endif %}"
        "{% for m in messages %}{{ '<start_of_turn>' + m.role + '\\n' + m.content | trim "
        "+ '<end_of_turn>\\n' }}{% endfor %}{{ '<start_of_turn>model\\n' }}",
        ("<bos>", "<end_of_turn>", "<start_of_turn>"),
        "<bos><start_of_turn>user\nSYSTEM\n\nUSER<end_of_turn>\n<start_of_turn>model\n",
    ),
    "gemma 3": Family(
        "{{ bos_token }}" + _SPLIT + "{%- for m in rest -%}"
        "{{ '<start_of_turn>' + m.role + '\\n' + (system + '\\n\\n' if loop.first else '') }}"
        "{%- if m.content is string -%}{{ m.content | trim }}{%- elif m.content is iterable -%}"
        "{%- for item in m.content -%}{{ item.text | trim }}{%- endfor -%}{%- endif -%}"
        "{{ '<end_of_turn>\\n' }}{%- endfor -%}"
        "{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- endif -%}",
        ("<bos>", "<end_of_turn>", "<start_of_turn>"),
        "<bos><start_of_turn>user\nSYSTEM\n\nUSER<end_of_turn>\n<start_of_turn>model\n",
    ),
    "mistral 0.3": Family(
        _SPLIT + "{{- bos_token }}{%- for m in rest -%}"
        "{%- if (m.role == 'user') != (loop.index0 % 2 == 0) -%}"
        "{{ raise_exception('user and assistant take turns') }}{%- endif -%}"
        "{%- if loop.last and system is defined -%}{{ '[INST] ' + system + '\\n\\n' + m.content "
        "+ '[/INST]' }}{%- else -%}{{ '[INST] ' + m.content + '[/INST]' }}{%- endif -%}"
        "{%- endfor -%}",
        ("<s>", "</s>", "[INST]", "[/INST]"),
        "<s>[INST] SYSTEM\n\nUSER[/INST]",
        blank=True,
    ),
    "mistral 7": Family(
        "{{- bos_token }}{%- for m in messages -%}{%- if m.role == 'system' -%}"
        "{{- '[SYSTEM_PROMPT]' + m.content + '[/SYSTEM_PROMPT]' }}{%- else -%}"
        "{{- '[INST]' + m.content + '[/INST]' }}{%- endif -%}{%- endfor -%}",
        ("<s>", "</s>", "[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
        "<s>[SYSTEM_PROMPT]SYSTEM[/SYSTEM_PROMPT][INST]USER[/INST]",
    ),
    "phi 3": Family(
        "{% for m in messages %}{% if m['content'] %}{{ '<|' + m.role + '|>\\n' + m.content "
        "+ '<|end|>\\n' }}{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}"
        "{{ eos_token }}{% endif %}",
        ("<s>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"),
        "<|system|>\nSYSTEM<|end|>\n<|user|>\nUSER<|end|>\n<|assistant|>\n",
        blank=True,
    ),
    "phi 4": Family(
        "{% for m in messages %}{{ '<|im_start|>' + m.role + '<|im_sep|>' + m.content "
        "+ '<|im_end|>' }}{% endfor %}{{ '<|im_start|>assistant<|im_sep|>' }}",
        ("<|endoftext|>", "<|im_end|>", "<|im_start|>", "<|im_sep|>"),
        "<|im_start|>system<|im_sep|>SYSTEM<|im_end|><|im_start|>user<|im_sep|>USER<|im_end|>"
        "<|im_start|>assistant<|im_sep|>",
    ),
    "smollm 2": Family(
        "{% for m in messages %}{% if loop.first and m.role != 'system' %}"
        "{{ '<|im_start|>system\\nYou help.<|im_end|>\\n' }}{% endif %}"
        "{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' + '\\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
        ("<|im_start|>", "<|im_end|>"),
        "<|im_start|>system\nSYSTEM<|im_end|>\n<|im_start|>user\nUSER<|im_end|>\n"
        "<|im_start|>assistant\n",
    ),
    "smollm 3": Family(
        _SPLIT + "{%- set mode = '/think' if enable_thinking else '/no_think' -%}"
        "{{- '<|im_start|>system\\nMode: ' + mode + '\\n\\n' + system + '<|im_end|>\\n' -}}"
        "{%- for m in rest -%}{%- if m.role == 'assistant' -%}{% generation %}{{ m.content }}"
        "{% endgeneration %}{%- else -%}{{ '<|im_start|>user\\n' + m.content + '<|im_end|>\\n' }}"
        "{%- endif -%}{%- endfor -%}{{ '<|im_start|>assistant\\n' }}"
        "{%- if not enable_thinking -%}{{ '<think>\\n\\n</think>\\n' }}{%- endif -%}",
        ("<|begin_of_text|>", "<|im_end|>", "<|im_start|>", "<think>", "</think>"),
        "<|im_start|>system\nMode: /no_think\n\nSYSTEM<|im_end|>\n"
        "<|im_start|>user\nUSER<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n",
    ),
}


def make_family(path: Path, family: Family) -> Path:
    """Write a model of a family as a GGUF file of some 200 KB; its replies are noise."""
    bytewise = [f"<0x{value:02X}>" for value in range(256)]
    tokens = ["<unk>", *bytewise, "▁", *family.marks]
    kinds = [_UNKNOWN, *[_BYTE] * 256, _NORMAL, *[_CONTROL] * len(family.marks)]
    first = len(tokens) - len(family.marks)
    shape = {"context_length": 512, "embedding_length": _WIDTH, "feed_forward_length": _WIDTH}
    shape |= {"block_count": 1, "attention.head_count": 1, "rope.dimension_count": _WIDTH}
    pairs = [
        _pair("general.architecture", _TEXT, _text("llama")),
        *(_pair(f"llama.{key}", _U32, struct.pack("<I", n)) for key, n in shape.items()),
        _pair("llama.attention.layer_norm_rms_epsilon", _F32, struct.pack("<f", 1e-5)),
        _pair("tokenizer.ggml.model", _TEXT, _text("llama")),
        _pair("tokenizer.ggml.tokens", _LIST, _list(_TEXT, [_text(t) for t in tokens])),
        _pair("tokenizer.ggml.scores", _LIST, _list(_F32, [struct.pack("<f", 0.0)] * len(tokens))),
        _pair(
            "tokenizer.ggml.token_type", _LIST, _list(_I32, [struct.pack("<i", k) for k in kinds])
        ),
        _pair("tokenizer.ggml.unknown_token_id", _U32, struct.pack("<I", 0)),
        _pair("tokenizer.ggml.bos_token_id", _U32, struct.pack("<I", first)),
        _pair("tokenizer.ggml.eos_token_id", _U32, struct.pack("<I", first + 1)),
        _pair("tokenizer.ggml.add_bos_token", _BOOL, bytes([family.marks[0] in family.prompt])),
        _pair("tokenizer.ggml.add_space_prefix", _BOOL, bytes([family.blank])),
        _pair("tokenizer.chat_template", _TEXT, _text(family.template)),
    ]
    matrices = {"token_embd": len(tokens), "output": len(tokens)}
    matrices |= {f"blk.0.attn_{name}": _WIDTH for name in ("q", "k", "v", "output")}
    matrices |= {f"blk.0.ffn_{name}": _WIDTH for name in ("gate", "up", "down")}
    norms = dict.fromkeys(("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"), 0)
    head = [struct.pack("<IQQ", 3, len(matrices) + len(norms), len(pairs)), *pairs]
    noise, data, offset = np.random.default_rng(0), list[bytes](), 0
    for name, rows in {**norms, **matrices}.items():
        sizes = (_WIDTH, rows) if rows else (_WIDTH,)
        head.append(_text(f"{name}.weight") + struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes))
        head.append(struct.pack("<IQ", 0, offset))
        values = noise.normal(0, 0.1, sizes) if rows else np.ones(sizes)
        data.append(values.astype("<f4").tobytes())
        offset += len(data[-1])
    start = b"GGUF" + b"".join(head)
    path.write_bytes(start + bytes(-len(start) % 32) + b"".join(data))
    return path


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _list(kind: int, items: Sequence[bytes]) -> bytes:
    return struct.pack("<IQ", kind, len(items)) + b"".join(items)


def _pair(name: str, kind: int, value: bytes) -> bytes:
    return _text(name) + struct.pack("<I", kind) + value
