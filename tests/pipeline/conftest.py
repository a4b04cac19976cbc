"""What tests of many runs share: runs without what takes their time and is tested elsewhere."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import pytest

from ragcli.pipeline.tools import Tools


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Vectors by hash of the text; nothing waits for the disk."""

    def embed(_: Tools, texts: Sequence[str], *_more: object) -> np.ndarray:  # type: ignore[type-arg]
        seeds = [int.from_bytes(sha256(t.encode()).digest()[:8]) for t in texts]
        rows = [np.random.default_rng(seed).standard_normal(384) for seed in seeds]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float16).reshape(-1, 384)

    monkeypatch.setattr(Tools, "embed", embed)
    monkeypatch.setattr(os, "fsync", lambda _: None)
    return monkeypatch
