"""Imports llama.cpp's library when it is first needed, and captures its log."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from ragcli.errors import ModelError
from ragcli.models.locate import package_folder

complaints: dict[int, bytes] = {}
"""The first line of each level that llama.cpp logged since this was cleared, for messages: the
later ones say that what called the failed function has failed."""

# llama.cpp calls this for its log, so it must outlive every model. Python handles a signal between
# two instructions of Python code, and ctypes drops what the handler raises in a callback. A method
# of C has no such instructions, so Ctrl-C waits until llama.cpp returns. The third argument, which
# llama.cpp always passes as it was set, is left out.
_LISTEN = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p)(complaints.setdefault)
_LEVEL_ERROR = 4


def llama_installed() -> bool:
    """Return whether llama-cpp-python is installed, without importing it."""
    return package_folder("llama_cpp") is not None


def llama() -> Any:
    """Return the ``llama_cpp`` module. Raises ModelError when it cannot be used."""
    # Threads that wait for each other spin. When another program uses one of their cores, they
    # would spin for its whole time slice at every layer, so they sleep after some 50 microseconds.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    try:
        import llama_cpp
    except (ImportError, OSError, RuntimeError) as error:  # the last two: its library is broken
        raise ModelError(
            f"llama-cpp-python cannot be used: {error}", 'pip install "ragcli[llm]"'
        ) from error
    llama_cpp.llama_log_set(ctypes.cast(_LISTEN, llama_cpp.llama_log_callback), None)
    return llama_cpp


def why(otherwise: str) -> str:
    """Return llama.cpp's first error since the last clearing; ``otherwise`` if there is none."""
    text = complaints.get(_LEVEL_ERROR, b"").decode(errors="replace").strip()
    complaints.clear()
    return text or otherwise
