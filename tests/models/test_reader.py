"""The reader with its real weights, on passages written for these tests."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ragcli.errors import ModelError
from ragcli.models import open_reader
from ragcli.models.locate import embedder_folder
from ragcli.models.reader import WEIGHTS, Reader
from ragcli.models.reader.model import OVERLAP, PASSAGE_TOKENS, load_calibration
from ragcli.models.trunk import shares

LIGHTHOUSE = (
    "Skarvoy Lighthouse",
    "The lighthouse on Skarvoy was built in 1871 by the engineer Henrik Dahl. Its lamp burned "
    "paraffin until the island was connected to the mainland by cable in 1934. The last keeper, "
    "Marta Lund, left the station in August 1986, when the light was automated.",
)
MILL = (
    "Brandt's paper mill",
    "Oskar Brandt opened the paper mill at Ellenau with forty workers. After the flood of 1908 "
    "his daughter Clara Brandt moved the machines to higher ground. The mill made paper for "
    "school books and closed because its water had become too warm.",
)
RELEASE = (
    "Release notes — 4.2.0",
    "The option --keep-logs is now on by default. The cache moved to /var/cache/tool. A bug that "
    "made the server stop after 24 days has been fixed.",
)
ALL = [LIGHTHOUSE, MILL, RELEASE]


@pytest.fixture(scope="module")
def reader() -> Reader:
    """The shipped weights."""
    return Reader(embedder_folder())


@pytest.mark.parametrize(
    ("question", "answer", "passage"),
    [
        ("Who was the last keeper of the lighthouse?", "Marta Lund", 0),
        ("When was the lighthouse built?", "1871", 0),
        ("who built the lighthouse on skarvoy", "Henrik Dahl", 0),
        ("Who moved the machines to higher ground?", "Clara Brandt", 1),
        ("How many workers did the mill have when it opened?", "forty", 1),
        ("Where did the cache move?", "/var/cache/tool", 2),
    ],
)
def test_the_answer_stands_at_its_place(
    reader: Reader, question: str, answer: str, passage: int
) -> None:
    """Over three passages the right one is found, and the text is a slice of it."""
    best = reader.answer(question, ALL).ranked.spans[0]
    assert best.passage == passage
    assert answer in best.text
    assert len(best.text.split()) <= len(answer.split()) + 3
    assert ALL[best.passage][1][best.start : best.end] == best.text


def test_what_the_passages_do_not_say_is_less_sure(reader: Reader) -> None:
    """Questions with their passage are surer than the same without it, and than nonsense."""
    known = [
        reader.answer("Who was the last keeper of the lighthouse?", ALL).confidence,
        reader.answer("Who moved the machines to higher ground?", ALL).confidence,
    ]
    unknown = [
        reader.answer("Who was the last keeper of the lighthouse?", ALL[1:]).confidence,
        reader.answer("Who moved the machines to higher ground?", ALL[::2]).confidence,
        reader.answer("Who won the chess championship in Oslo?", ALL).confidence,
        reader.answer("What did the rescue of the whale cost?", ALL).confidence,
    ]
    assert min(known) > 0.5 > max(unknown)


@pytest.mark.parametrize(
    ("true", "false", "passage"),
    [
        (
            "Clara Brandt is the daughter of Oskar Brandt.",
            "Oskar Brandt is the daughter of Clara Brandt.",
            MILL,
        ),
        (
            "The lighthouse on Skarvoy was built in 1871.",
            "The lighthouse on Skarvoy was built in 1908.",
            LIGHTHOUSE,
        ),
        (
            "The light was automated when Marta Lund left the station.",
            "The light was not automated when Marta Lund left the station.",
            LIGHTHOUSE,
        ),
        (
            "The mill made paper for school books.",
            "The mill made paper for newspapers.",
            MILL,
        ),
        (
            "Marta Lund left the station in August 1986.",
            "Henrik Dahl left the station in August 1986.",
            LIGHTHOUSE,
        ),
    ],
)
def test_a_changed_claim_is_less_likely_than_the_true_one(
    reader: Reader, true: str, false: str, passage: tuple[str, str]
) -> None:
    """Names swapped, a year, a negation, another thing, another person."""
    held, refused = reader.support([true, false], [passage])[:, 0]
    assert held > refused


def test_claims_of_other_passages_are_refused(reader: Reader) -> None:
    """A passage supports what it says, and not what another one says."""
    claims = ["Henrik Dahl built the lighthouse.", "Clara Brandt moved the machines."]
    table = reader.support(claims, [LIGHTHOUSE, MILL])
    assert table.shape == (2, 2)
    assert table[0, 0] > 0.5 > table[0, 1]
    assert table[1, 1] > 0.5 > table[1, 0]


def test_wrong_words_are_slices_of_the_claim(reader: Reader) -> None:
    """The marked characters lie inside the claim, in order."""
    claim = "The lighthouse on Skarvoy was built in 1743 by the engineer Henrik Dahl."
    (judged,) = reader.judge([(claim, 0)], [LIGHTHOUSE])
    edges = [edge for run in judged.wrong for edge in run]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(claim) for edge in edges)


def test_long_passages_are_read_in_windows(reader: Reader) -> None:
    """Each token is in some window, windows overlap, and offsets count from the text's start."""
    filler = "Nothing of note was written down in the station's log that week. " * 60
    text = filler + LIGHTHOUSE[1] + " " + filler
    readings = reader.read("Who was the last keeper?", [("", text)])
    assert len(readings) > 3
    assert all(len(r.offsets) <= PASSAGE_TOKENS for r in readings)
    for before, after in pairwise(readings):
        assert before.offsets[-OVERLAP, 0] == after.offsets[0, 0]
    assert readings[-1].offsets[-1, 1] == len(text.rstrip())
    best = reader.answer("Who was the last keeper?", [("", text)]).ranked.spans[0]
    assert text[best.start : best.end] == best.text
    assert "Marta Lund" in best.text


def test_questions_are_answered_side_by_side(reader: Reader) -> None:
    """As if each were asked alone, of the window that answers it best; nothing answers no text."""
    text = "The mill was built in 1871 by Henrik Dahl. " + "It rained for a long time. " * 120
    asked = ["Who built the mill?", "What is the price of a lamp?"]
    found = reader.answered(asked, ("Mill", text))
    alone = [max(one.answered for one in reader.read(q, [("Mill", text)])) for q in asked]
    np.testing.assert_allclose(found, alone, atol=1e-3)
    assert found[0] > found[1]
    assert reader.answered(asked, ("Mill", "")) == [-np.inf, -np.inf]


def test_odd_input_is_read_without_harm(reader: Reader) -> None:
    """Empty texts give no window; foreign letters, long words and long questions are no error."""
    assert reader.read("Who?", []) == []
    assert reader.read("Who?", [("title", "")]) == []
    assert reader.answer("Who?", [("", "  ")]).confidence == 0.0
    assert reader.support([], [MILL]).shape == (0, 1)
    assert reader.support(["Yes."], [("", "")])[0, 0] < 0.5
    text = "naïve café 日本語 😀 " + "x" * 5000 + " Ünïcödé ﬁ"
    for reading in reader.read("word " * 500, [("t" * 900, text)]):
        assert np.isfinite(reading.starts).all()
        assert all(text[a:b] for a, b in reading.offsets.tolist())


def test_passages_do_not_touch_each_other(reader: Reader) -> None:
    """A passage's logits are the same whatever is read with it."""
    question = "Who was the last keeper?"
    alone = reader.read(question, [MILL])[0]
    together = reader.read(question, ALL)[1]
    np.testing.assert_allclose(alone.starts, together.starts, atol=2e-4)
    assert alone.answered == pytest.approx(together.answered, abs=2e-4)


def test_numpy_says_what_torch_says(reader: Reader) -> None:
    """The training's model with the same weights, on the same windows."""
    torch = pytest.importorskip("torch", reason="no PyTorch to compare with")
    from training.reader.losses import Batch
    from training.reader.train import restore
    from training.reader.windows import Group, Window

    model = restore(embedder_folder(), WEIGHTS / "reader.safetensors")
    question = "Who was the last keeper of the lighthouse?"
    rows = reader._windows([(question, at) for at in range(len(ALL))], ALL)
    windows = tuple(Window(np.array(w.ids, np.int64), w.second, w.first) for w in rows)
    batch = Batch.of([Group(windows, "")])
    with torch.no_grad():
        scores = model(batch.ids, batch.places, batch.types, batch.lengths)
    spans = scores.span.split(batch.lengths)
    for at, found in enumerate(reader.read(question, ALL)):
        span = spans[at].numpy()[rows[at].first : -1]
        # both sides use float32; the quicker GELU is within 4e-4 of the exact one
        np.testing.assert_allclose(found.starts, span[:, 0], atol=0.1)
        np.testing.assert_allclose(found.ends, span[:, 1], atol=0.1)
        assert found.answered == pytest.approx(float(scores.answered[at]), abs=0.1)


def test_missing_or_foreign_weights_are_named(tmp_path: Path) -> None:
    """The message says what is missing and how it is made."""
    with pytest.raises(ModelError, match="no weights of the reader"):
        Reader(embedder_folder(), tmp_path)
    shutil.copy(embedder_folder() / "tokenizer.json", tmp_path / "reader.safetensors")
    with pytest.raises(ModelError, match=r"reader\.safetensors"):
        Reader(embedder_folder(), tmp_path)


def test_another_vocabulary_is_refused(tmp_path: Path) -> None:
    """The rows that the weights were trained with are compared."""
    from safetensors.numpy import load_file, save_file

    from ragcli.models.reader.model import SAMPLE

    tensors = load_file(WEIGHTS / "reader.safetensors")
    tensors[SAMPLE] = tensors[SAMPLE] + np.float16(0.1)
    save_file(tensors, tmp_path / "reader.safetensors")
    with pytest.raises(ModelError, match="not trained with the vocabulary"):
        Reader(embedder_folder(), tmp_path)


def test_a_damaged_calibration_is_named(tmp_path: Path) -> None:
    """None is no error, half a file is."""
    path = tmp_path / "calibration.json"
    assert load_calibration(path).weights
    path.write_text(json.dumps({"weights": [1, 2]}), encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be read"):
        load_calibration(path)


def test_the_weights_fit_the_package() -> None:
    """25 MB at most, in half precision, without the vocabulary."""
    from ragcli.models.weights import read_header

    file = WEIGHTS / "reader.safetensors"
    assert file.stat().st_size < 25e6
    infos = read_header(file)
    assert {info.dtype for info in infos.values()} == {"F16"}
    assert "embeddings.word_embeddings.weight" not in infos


@pytest.mark.parametrize("lengths", [[], [7], [300, 20, 280, 10, 10, 290], [5] * 9])
def test_every_text_is_in_one_share(lengths: list[int]) -> None:
    """And the largest share has at most one text more than the mean."""
    found = shares(lengths, 2)
    assert sorted(at for share in found for at in share) == list(range(len(lengths)))
    assert all(found)
    most = max((sum(lengths[at] for at in share) for share in found), default=0)
    assert most <= sum(lengths) / 2 + max(lengths, default=0)


def test_a_reader_that_could_not_be_loaded_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An error of loading ahead is raised where the reader is needed, and is not remembered."""
    open_reader._loading.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(open_reader, "embedder_folder", lambda _: tmp_path)
        open_reader.load_reader_ahead()
        with pytest.raises(ModelError):
            open_reader.open_reader()
    assert open_reader.open_reader() is open_reader.open_reader()
