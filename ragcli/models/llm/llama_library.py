"""Imports llama.cpp's library when it is first needed, and captures its log."""

from __future__ import annotations

import ctypes
import os
from collections import deque
from typing import Any

from ragcli.errors import ModelError
from ragcli.models.locate import package_folder

complaints: deque[str] = deque(maxlen=3)
"""The last errors that llama.cpp logged, for messages."""

# llama.cpp calls back into Python for its log, so the callback must outlive every model.
_keep_alive: list[Any] = []
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
    if not _keep_alive:
        _keep_alive.append(llama_cpp.llama_log_callback(_listen))
        llama_cpp.llama_log_set(_keep_alive[0], ctypes.c_void_p(0))
    return llama_cpp


def why(otherwise: str) -> str:
    """Return llama.cpp's last errors and clear them; ``otherwise`` if there are none."""
    text = " ".join(complaints).strip() or otherwise
    complaints.clear()
    return text


def _listen(level: int, text: bytes, _data: Any) -> None:
    if level == _LEVEL_ERROR:
        complaints.append(text.decode(errors="replace").strip())
