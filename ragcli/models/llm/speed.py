"""Measures how fast a model reads prompts and generates text on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ragcli.models.cpu import usable_cpus
from ragcli.models.llm.engine import WIDTH
from ragcli.models.llm.model import Model
from ragcli.models.llm.session import CHUNK, LlamaSession

_STEPS = 8


def speed(path: Path, threads: int = 0, gpu_layers: int = 0) -> dict[str, float]:
    """Return tokens per second: of prompts (``read``), of one reply (``write``), and of several
    at once (``write_together``). Raises ModelError when the model cannot be used."""
    model = Model(path, gpu_layers)
    try:
        session = LlamaSession(model, WIDTH, CHUNK + 4 * _STEPS, threads or usable_cpus())
        try:
            return _measured(session, model.vocabulary)
        finally:
            session.close()
    finally:
        model.close()


def _measured(session: LlamaSession, vocabulary: int) -> dict[str, float]:
    prompt = [(7 * i + 100) % vocabulary for i in range(CHUNK)]
    session.feed(0, 0, prompt[:8])  # the first batch reads the weights from disk
    session.cut(0, 0)
    read = _seconds(lambda: session.feed(0, 0, prompt))
    for at in range(1, WIDTH):
        session.feed(at, 0, prompt[:8])

    def write(sequences: int, start: int) -> None:
        for step in range(start, start + _STEPS):
            session.step(
                [(at, (len(prompt) if at == 0 else 8) + step, 100) for at in range(sequences)]
            )

    one = _seconds(lambda: write(1, 0))
    for at in range(1, WIDTH):  # the same length as the first, which has generated tokens
        session.feed(at, 8, prompt[8 : 8 + _STEPS])
    together = _seconds(lambda: write(WIDTH, _STEPS))
    return {
        "read": CHUNK / read,
        "write": _STEPS / one,
        "write_together": WIDTH * _STEPS / together,
    }


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
