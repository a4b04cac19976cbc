"""Token offsets of long texts, held against the tokenizer on the whole text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.errors import ModelError
from ragcli.models import tokens
from ragcli.models.embed import Embedder
from ragcli.models.encoder import LightEncoder
from ragcli.models.tokens import TokenOffsets, blocks, load_tokenizer, readable


@pytest.fixture(scope="module")
def offsets(folder: Path) -> TokenOffsets:
    """Token offsets by the default embedder's vocabulary."""
    return TokenOffsets(folder)


def whole(folder: Path, text: str) -> list[int]:
    """Offsets from one call over the whole text."""
    encoding = load_tokenizer(folder).encode(text, add_special_tokens=False)
    return [start for start, _ in encoding.offsets]


def test_a_worked_example(offsets: TokenOffsets) -> None:
    """Word pieces and punctuation begin where they stand in the text."""
    found = offsets("Embeddings, here.")
    assert found.tolist() == [0, 2, 5, 9, 10, 12, 16]
    assert found.dtype == np.int64


@pytest.mark.parametrize("text", ["", "   \n ", "a", "é" * 50, "日本 語\n\nx 😀y"])
def test_small_and_odd_texts(offsets: TokenOffsets, folder: Path, text: str) -> None:
    """Nothing, white space, accents, characters outside the basic plane."""
    assert offsets(text).tolist() == whole(folder, text)


def test_cutting_into_blocks_changes_nothing(
    offsets: TokenOffsets, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of 50 characters, several groups of them, give the same offsets as no blocks."""
    text = "It's the naïve observatory's 1,250 crowns — (see below).\n\n" * 40
    monkeypatch.setattr(tokens, "BLOCK", 50)
    monkeypatch.setattr(tokens, "BLOCKS_AT_ONCE", 3)
    assert offsets(text).tolist() == whole(folder, text)


@settings(deadline=None)
@given(st.text(max_size=300), st.integers(1, 40))
def test_blocks_tile_the_text(text: str, size: int) -> None:
    """No character lost, none twice, none too long; cut at white space where there is any."""
    spans = list(blocks(text, size))
    assert "".join(text[a:b] for a, b in spans) == text
    assert all(0 < b - a <= size for a, b in spans)
    for a, b in spans[:-1]:
        assert text[b].isspace() or not any(c.isspace() for c in text[a + 1 : b + 1])


@settings(deadline=None)
@given(text=st.text(max_size=400))
def test_offsets_ascend_inside_the_text(offsets: TokenOffsets, text: str) -> None:
    """Whatever the text."""
    found = offsets(text)
    assert (np.diff(found) >= 0).all()
    assert all(0 <= at < len(text) for at in found)


def test_a_folder_without_a_tokenizer(tmp_path: Path) -> None:
    """Missing and damaged files are told apart."""
    with pytest.raises(ModelError, match="has no tokenizer"):
        TokenOffsets(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ModelError, match="cannot be read"):
        TokenOffsets(tmp_path)


LONG = st.lists(
    st.one_of(
        st.text(alphabet="abcxyz", min_size=90, max_size=260),
        st.text(alphabet="가나다", min_size=30, max_size=120),
        st.sampled_from(["a-b", "naïve", "สวัสดี" * 30, "x_y" * 50, "\n", "é" * 101]),
    ),
    max_size=5,
).map(" ".join)


@settings(deadline=None)
@given(text=LONG)
def test_long_words_are_read_in_pieces(folder: Path, text: str) -> None:
    """Every token is where its letters stand, and none spans more than a piece."""
    found = TokenOffsets(folder)(text)
    broken = readable(text)
    assert broken.replace(" ", "") == text.replace(" ", "")
    expected = whole(folder, broken)
    letters = [at for at, c in enumerate(text) if c != " "]
    nth = {at: n for n, at in enumerate(at for at, c in enumerate(broken) if c != " ")}
    assert found.tolist() == [letters[nth[at]] for at in expected]


@pytest.mark.parametrize("word", ["x" * 100, "Donaudampfschiffahrt" * 4, "a-" * 200, "日本" * 50])
def test_what_the_vocabulary_reads_is_left_alone(word: str) -> None:
    """A hundred letters, words with hyphens, and scripts that are read sign by sign."""
    assert readable(f"see {word[:100]}, there") == f"see {word[:100]}, there"


def test_words_beyond_the_limit_are_cut() -> None:
    """At once beyond it, whatever stands around; decomposed letters count."""
    assert readable(f"see {'x' * 101}.") == f"see {'x' * 33} {'x' * 33} {'x' * 33} xx."
    assert readable("가" * 51) == f"{'가' * 33} {'가' * 18}"
    assert readable("x" * 100 + "-" + "y" * 100) == "x" * 100 + "-" + "y" * 100


def test_the_encoders_see_long_words(light: LightEncoder, exact: Embedder) -> None:
    """Two words of 120 letters are no longer the same "unknown"; both encoders agree."""
    texts = ["photosynthesis" * 10, "locomotive" * 12, "photosynthesis " * 10]
    found = light.encode(texts)
    assert found[0] @ found[1] < 0.7
    assert found[0] @ found[2] > found[1] @ found[2]
    assert (found * exact.encode(texts)).sum(axis=1).min() > 0.9999
