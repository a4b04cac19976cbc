"""Reading the head of a GGUF file: real, made by hand, and damaged."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.errors import ModelError
from ragcli.models.llm import gguf
from ragcli.models.llm.gguf import check_gguf, read_gguf
from ragcli.models.locate import llm_file

FILE = llm_file()


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def made() -> bytes:
    """Two numbers, a text, a list of two texts; one F32 tensor of 2 x 3 and one Q4_0 of 64."""
    head = b"GGUF" + struct.pack("<IQQ", 3, 2, 4)
    head += text("general.architecture") + struct.pack("<I", 8) + text("toy")
    head += text("toy.context_length") + struct.pack("<II", 4, 77)
    head += text("general.alignment") + struct.pack("<II", 4, 64)
    head += text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")
    head += text("one") + struct.pack("<IQQIQ", 2, 2, 3, 0, 0)
    head += text("two") + struct.pack("<IQIQ", 1, 64, 2, 64)
    head = head.ljust(-(-len(head) // 64) * 64, b"\0")
    return head + bytes(64 + 2 * 18)


def test_made_by_hand(tmp_path: Path) -> None:
    """Every field; a byte less is incomplete."""
    path = tmp_path / "x.gguf"
    path.write_bytes(made())
    found = read_gguf(path)
    assert (found.architecture, found.context) == ("toy", 77)
    assert (found.parameters, found.quantisation, found.end) == (70, "Q4_0", len(made()))
    path.write_bytes(made()[:-1])
    with pytest.raises(ModelError, match="is incomplete"):
        read_gguf(path)


@pytest.mark.skipif(FILE is None, reason="extra smollm2 is not installed")
def test_real() -> None:
    """SmolLM2: what its makers say of it."""
    assert FILE is not None
    found = read_gguf(FILE)
    assert (found.architecture, found.quantisation) == ("llama", "Q4_1")
    assert found.parameters == 134_515_008
    assert found.end == FILE.stat().st_size


@given(st.integers(4, len(made()) - 1), st.integers(0, 255))
def test_damage_is_told_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, at: int, value: int
) -> None:
    """One byte changed, or the rest cut off: a ModelError or an answer, never anything else."""
    path = tmp_path_factory.getbasetemp() / "damaged.gguf"
    data = bytearray(made())
    data[at] = value
    for content in (bytes(data), made()[:at]):
        path.write_bytes(content)
        try:
            read_gguf(path)
        except ModelError as error:
            assert error.hint
        else:
            assert content is not made()[:at]


def test_what_is_no_gguf_is_refused(tmp_path: Path) -> None:
    """A missing file, a folder, a text."""
    with pytest.raises(ModelError, match="No such file"):
        check_gguf(tmp_path / "x.gguf")
    with pytest.raises(ModelError, match="no language model"):
        check_gguf(tmp_path)
    (tmp_path / "x.gguf").write_text("<html>404</html>")
    with pytest.raises(ModelError, match="not a GGUF file: it begins with b'<htm'"):
        check_gguf(tmp_path / "x.gguf")


def test_too_little_memory_is_told_before_loading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rather than swapping for an hour."""
    (tmp_path / "x.gguf").write_bytes(made())
    monkeypatch.setattr(gguf, "available_memory", lambda: 50)
    with pytest.raises(ModelError, match="GiB are free"):
        check_gguf(tmp_path / "x.gguf")


def head(*pairs: bytes) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs)


LISTS = struct.pack("<IQ", 9, 1) * 5000


@pytest.mark.parametrize(
    "content",
    [
        head(text("deep") + struct.pack("<I", 9) + LISTS),
        head(text("general.alignment") + struct.pack("<II", 4, 0)),
        head(text("general.alignment") + struct.pack("<If", 6, float("inf"))),
        head(text("general.alignment") + struct.pack("<If", 6, float("nan"))),
        head(text("general.alignment") + struct.pack("<IQ", 10, 1 << 63)),
    ],
)
def test_heads_that_are_made_to_hurt(tmp_path: Path, content: bytes) -> None:
    """Lists in lists without end, and alignments that nothing can be aligned to."""
    (tmp_path / "x.gguf").write_bytes(content)
    with pytest.raises(ModelError, match="damaged or incomplete"):
        read_gguf(tmp_path / "x.gguf")


def test_a_context_that_is_no_number(tmp_path: Path) -> None:
    pairs = text("general.architecture") + struct.pack("<I", 8) + text("toy")
    infinite = text("toy.context_length") + struct.pack("<If", 6, float("inf"))
    (tmp_path / "x.gguf").write_bytes(head(pairs, infinite).ljust(1024, b"\0"))
    assert read_gguf(tmp_path / "x.gguf").context == 0
