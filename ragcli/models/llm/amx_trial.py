"""Tests llama.cpp's AMX kernels with a small model (see ``amx``). It may crash the process."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.models.llm.model import Model
from ragcli.models.llm.session import LlamaSession
from ragcli.models.llm.small_model import make_small

_TOKENS = 40  # more than two tiles of 16
_CLOSE = 0.1  # of the largest logit: roundings of 8-bit activations made 0.01


def trial() -> bool:
    """Return whether a small model gives the same with and without AMX. May crash the process."""
    with tempfile.TemporaryDirectory() as folder:
        file = make_small(Path(folder) / "small.gguf")
        plain, fast = (_logits(file, extra) for extra in (False, True))
    return bool(np.abs(plain - fast).max() <= _CLOSE * np.abs(plain).max())


def _logits(file: Path, extra_buffers: bool) -> NDArray[np.float32]:
    """Return the logits of several tokens at once and of a single token."""
    model = Model(file, extra_buffers=extra_buffers)
    session = LlamaSession(model, 1, 2 * _TOKENS, threads=2)
    session.feed(0, 0, range(_TOKENS), every=True)
    rows = [session.logits(i).copy() for i in range(_TOKENS)]
    session.step([(0, _TOKENS, 7)])
    rows.append(session.logits(0).copy())
    session.close()
    model.close()
    return np.array(rows)


def main() -> int:
    """Run the test; return 1 if the results differ. A crash has another exit code."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is possible: write no core dump
    except ImportError:
        pass  # not a Unix
    return 0 if trial() else 1
