"""The encoder in PyTorch, held against sentence-transformers and the light encoder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragcli.models import embed, torch_encoder
from ragcli.models.embed import Embedder
from ragcli.models.embedder_settings import UnsupportedModelError
from ragcli.models.encoder import LightEncoder
from ragcli.models.torch_encoder import TorchEncoder
from ragcli.models.torch_trunk import TorchTrunk
from ragcli.types import Event


@pytest.fixture(scope="module")
def quick(folder: Path) -> TorchEncoder:
    """In float32, on two threads."""
    return TorchEncoder(folder, dtype="float32", threads=2)


def test_float32_equals_sentence_transformers(
    quick: TorchEncoder, exact: Embedder, texts: Sequence[str]
) -> None:
    """Empty, long, cut, foreign and odd texts, in the order given."""
    found = quick.encode_passages(texts)
    assert found.dtype == np.float32
    assert (found.shape, quick.dim) == ((13, 384), 384)
    np.testing.assert_allclose(found, exact.encode_passages(texts), atol=1e-5)


def test_bfloat16_keeps_the_direction(folder: Path, exact: Embedder, texts: Sequence[str]) -> None:
    """On any processor the vectors stay within a cosine of 0.999 of sentence-transformers'."""
    low = TorchEncoder(folder, dtype="bfloat16", threads=1)
    assert low.dtype == "bfloat16"
    written = [text for text in texts if text.strip()]
    assert (low.encode(written) * exact.encode(written)).sum(axis=1).min() > 0.999


def test_bfloat16_that_disagrees_is_given_up(
    folder: Path, light: LightEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``auto`` takes float32 then."""
    monkeypatch.setattr(torch_encoder, "has_bf16", lambda: True)
    monkeypatch.setattr(torch_encoder, "SAME", 1.1)
    model = TorchEncoder(folder, threads=1)
    assert model.dtype == "float32"
    expected = light.encode(["harbour lights"])
    assert (model.encode(["harbour lights"]) * expected).sum() > 0.999999


def test_matrices_have_few_shapes(quick: TorchEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """oneDNN keeps what it compiled for each shape, so memory would grow with every new one."""
    from torch.nn import functional

    linear, seen = functional.linear, set()

    def noting(rows: Any, weight: Any, bias: Any) -> Any:
        seen.add(len(rows))
        return linear(rows, weight, bias)

    monkeypatch.setattr(functional, "linear", noting)
    for words in (1, 7, 40, 90):
        quick.encode_passages(["harbour lights " * words, "observatory " * (words + 5)])
    assert seen == {512}


def test_batches_change_no_vector(
    quick: TorchEncoder, texts: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts of one length share a product; progress counts texts, rising to the total."""
    given = [*texts, "four words of text", "four other small words", *texts]
    whole = quick.encode_passages(given)
    monkeypatch.setattr(embed, "BATCH_TOKENS", 300)
    events: list[Event] = []
    np.testing.assert_allclose(quick.encode_passages(given, events.append), whole, atol=1e-5)
    assert [e.done for e in events] == sorted(e.done for e in events)
    assert (events[-1].stage, events[-1].done, events[-1].total) == ("embed", 28, 28)
    assert len(events) > 2


def test_no_texts(quick: TorchEncoder) -> None:
    """Nothing to do, nothing reported."""
    events: list[Event] = []
    assert quick.encode_passages([], events.append).shape == (0, 384)
    assert events == []


def test_other_models_are_left_to_sentence_transformers(model_copy: Path) -> None:
    """Rather slow than wrong."""
    (model_copy / "modules.json").write_text("[]")
    with pytest.raises(UnsupportedModelError):
        TorchEncoder(model_copy)


def test_many_texts_import_no_sentence_transformers() -> None:
    """More text than the light encoder takes is embedded with PyTorch alone."""
    code = (
        "import sys\n"
        "from ragcli.config import Settings\n"
        "from ragcli.models.model_set import ModelSet\n"
        "days = [f'On day {n} the keeper wrote down {n * 37} litres.' for n in range(800)]\n"
        "ModelSet(Settings()).embed([' '.join(days[n : n + 40]) for n in range(0, 800, 40)])\n"
        "print(*(name in sys.modules for name in"
        " ('torch', 'sentence_transformers', 'transformers')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["True", "False", "False"], done.stderr


def test_a_report_that_raises_ends_the_work(
    quick: TorchEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batches that wait are not computed."""
    computed: list[int] = []
    trunk = TorchTrunk.__call__

    def counted(self: TorchTrunk, ids: list[list[int]]) -> Any:
        computed.append(len(ids))
        return trunk(self, ids)

    def stop(_event: Event) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(TorchTrunk, "__call__", counted)
    monkeypatch.setattr(embed, "BATCH_TOKENS", 8)
    with pytest.raises(KeyboardInterrupt):
        quick.encode_passages([f"harbour light number {n}" for n in range(60)], stop)
    assert 0 < sum(computed) < 60
