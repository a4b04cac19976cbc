"""Whether AMX kernels work: a trial that may crash, and what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ragcli.models.llm import amx, amx_trial, llama_installed
from ragcli.models.llm.gguf import read_gguf
from ragcli.models.llm.small_model import make_small

needs_llama = pytest.mark.skipif(not llama_installed(), reason="extra llm is not installed")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of what was found, in a folder of this test."""
    monkeypatch.setenv("RAGCLI_MODELS", str(tmp_path / "models"))
    amx.amx_works.cache_clear()
    yield tmp_path / "models" / ".amx.json"
    amx.amx_works.cache_clear()


def test_the_small_model_is_always_the_same(tmp_path: Path) -> None:
    """Nine matrices of 256 x 256 in eight kinds of blocks; as long as its head says."""
    first, second = (make_small(tmp_path / name).read_bytes() for name in ("a", "b"))
    assert first == second
    found = read_gguf(tmp_path / "a")
    assert (found.parameters, found.end) == (9 * 256 * 256 + 3 * 256, len(first))


@pytest.mark.parametrize(
    ("code", "works"),
    [("pass", True), ("raise SystemExit(1)", False), ("import os; os.abort()", False)],
)
def test_a_trial_may_crash(code: str, works: bool) -> None:
    """And says so; this process goes on."""
    assert amx._try(code) is works


@needs_llama
def test_tried_once_in_a_process_of_its_own(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the trial says is kept until library or processor change, or the file is damaged."""
    truth = amx._try()
    assert amx.amx_works() is truth
    assert json.loads(kept.read_text())["works"] is truth
    tries: list[int] = []

    def failing() -> bool:
        tries.append(1)
        return False

    monkeypatch.setattr(amx, "_try", failing)
    amx.amx_works.cache_clear()
    assert amx.amx_works() is truth and not tries
    for damage in ("", "[]", '{"key": 1}', '{"key": "another", "works": true}'):
        kept.write_text(damage)
        amx.amx_works.cache_clear()
        assert amx.amx_works() is False
    assert len(tries) == 4
    assert [path.name for path in kept.parent.iterdir()] == [".amx.json"]


def test_where_nothing_can_be_written_it_is_tried_again(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file stands where the folder should be."""
    kept.parent.write_text("no folder")
    tries: list[int] = []

    def working() -> bool:
        tries.append(1)
        return True

    monkeypatch.setattr(amx, "_try", working)
    assert amx.amx_works() and amx.amx_works()
    amx.amx_works.cache_clear()
    assert amx.amx_works() and len(tries) == 2


@pytest.mark.parametrize(("off", "same"), [(0.01, True), (0.5, False), (np.nan, False)])
def test_kernels_that_compute_nonsense_fail(
    monkeypatch: pytest.MonkeyPatch, off: float, same: bool
) -> None:
    """Rounding is let through, other answers are not."""
    rows = np.linspace(-1, 1, 512).reshape(2, 256)
    monkeypatch.setattr(amx_trial, "_logits", lambda _file, extra: rows + (off if extra else 0))
    assert amx_trial.trial() is same
