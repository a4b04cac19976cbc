"""Converts a model's weights to 8 bits (Q8_0), which every processor multiplies in batches."""

from __future__ import annotations

import ctypes
from pathlib import Path

from ragcli.errors import ModelError
from ragcli.models.cpu import usable_cpus
from ragcli.models.llm.gguf import read_gguf
from ragcli.models.llm.llama_library import complaints, llama, why

_Q8_0 = 7  # llama.cpp's number for files whose weights are mostly Q8_0
_BYTES_PER_WEIGHT = 34 / 32


def q8_size(path: Path) -> int:
    """Return the approximate bytes of the model in ``path`` with weights of 8 bits."""
    return int(read_gguf(path).parameters * _BYTES_PER_WEIGHT)


def write_q8(path: Path, target: Path) -> None:
    """Write ``path`` to ``target`` in 8 bits; everything else, the license included, stays.

    Raises ModelError when llama-cpp-python is missing, the kind of weights cannot be read, or the
    disk is full; ``target`` may then be incomplete.
    """
    lib = llama()
    complaints.clear()
    parameters = lib.llama_model_quantize_default_params()
    parameters.ftype = _Q8_0
    parameters.allow_requantize = True
    parameters.nthread = usable_cpus()
    failed = lib.llama_model_quantize(
        str(path).encode(), str(target).encode(), ctypes.byref(parameters)
    )
    if failed:
        reason = why("llama.cpp gives no reason; the disk may be full")
        raise ModelError(f"{path} cannot be converted: {reason}", "add it without --q8")
    read_gguf(target)  # checks that the file is complete
