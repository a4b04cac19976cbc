"""From examples to windows and claims: the small parts of the reader's training."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from ragcli.models.locate import embedder_folder
from training.reader import __main__ as line
from training.reader.claims import (
    Claim,
    make_claims,
    negated,
    opposed,
    renumbered,
    stated,
    swapped,
    turned,
)
from training.reader.data import Example, Passage, Pool, load
from training.reader.phrases import names, sentences
from training.reader.windows import Maker, changed, crop, join

TEXT = (
    "Henrik Dahl drew the lighthouse in 1871. After the storm of 1880, his pupil Jonas Vik raised "
    "the tower. The keeper, who lived alone, wrote a letter to Marta Lund every month. It was "
    "closed because the harbour had silted up."
)
PASSAGE = Passage("Skarvoy", TEXT, ((TEXT.index("Jonas"), TEXT.index("Jonas") + 9),))
OTHER = Passage("Ellenau", "Clara Brandt moved the old mill in 1908. It was never insured at all.")


MakerAndExample = tuple[Maker, Example]


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator of its own for each test."""
    return np.random.default_rng(3)


@pytest.fixture(scope="module")
def maker() -> MakerAndExample:
    """Over two passages of one article and some of others."""
    example = Example(
        "s", "Who raised the tower?", (PASSAGE, OTHER), "span", "", ("Jonas Vik",), ()
    )
    return Maker(embedder_folder(), Pool([example])), example


def test_examples_are_read_with_their_spans(tmp_path: Path) -> None:
    """A line of the format; offsets that were searched for gain the answer's other places."""
    row = {
        "id": "1",
        "source": "hotpotqa_samples",
        "question": "Where?",
        "contexts": [{"title": "An_article", "text": "Rome, not Romeo. Rome again."}],
        "answers": [{"context": 0, "start": 0, "text": "Rome"}],
        "kind": "span",
    }
    with gzip.open(tmp_path / "hotpotqa_samples-dev.jsonl.gz", "wt") as file:
        file.write(json.dumps(row) + "\n")
    (example,) = load(tmp_path, "hotpotqa_samples", "dev")
    assert example.passages[0].title == "An article"
    assert example.passages[0].answers == ((0, 4), (17, 21))
    assert load(tmp_path, "nq") == []


def test_without_data_the_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And ends with status 2."""
    monkeypatch.delenv("RAGCLI_DATA", raising=False)
    monkeypatch.setattr("sys.argv", ["reader"])
    assert line.main() == 2
    assert "RAGCLI_DATA is not set" in capsys.readouterr().err


def test_a_window_marks_the_answers_tokens(
    maker: MakerAndExample, rng: np.random.Generator
) -> None:
    """Its ids decode to question, title and text, and the marked ones to the answer."""
    made, example = maker
    window = made.window(example.question, PASSAGE, 200, rng)
    decode = made.tokenizer.decode
    (span,) = window.answers
    assert decode(window.ids[span[0] : span[1] + 1].tolist()) == "jonas vik"
    assert decode(window.ids[window.types_from : window.first].tolist()) == "skarvoy."
    assert decode(window.ids[1 : window.types_from - 1].tolist()) == "who raised the tower?"


@pytest.mark.parametrize("budget", [8, 16, 24, 48])
def test_a_crop_holds_the_answer(
    maker: MakerAndExample, rng: np.random.Generator, budget: int
) -> None:
    """Whole sentences or words around it, not much more than the budget."""
    made, _ = maker
    long = join([OTHER, PASSAGE, OTHER])
    for _ in range(10):
        low, high = crop(long, budget, rng, made)
        (start, end), *_ = long.answers
        assert low <= start < end <= high
        assert len(made.tokens(long.text[low:high])[0]) <= budget * 1.4 + 20
        assert low == 0 or long.text[low - 1].isspace()


def test_joined_passages_keep_their_answers() -> None:
    """The spans move with the text."""
    joined = join([OTHER, PASSAGE])
    assert [joined.text[a:b] for a, b in joined.answers] == ["Jonas Vik"]
    assert "Skarvoy. Henrik" in joined.text


def test_groups_hold_a_window_with_and_windows_without(
    maker: MakerAndExample, rng: np.random.Generator
) -> None:
    """The gold window is labelled as answered, taken ones are not, and never hold the answer."""
    made, example = maker
    for _ in range(20):
        group = made.group(example, rng)
        assert [w.answered for w in group.windows] == [1] + [0] * (len(group.windows) - 1)
        assert group.spans == "span"


def test_sentences_and_names() -> None:
    """What claims are made of."""
    assert len(sentences(TEXT)) == 4
    assert names("The keeper wrote to Marta Lund in Oslo.") == ["Marta Lund", "Oslo"]


def test_false_claims_by_hand(rng: np.random.Generator) -> None:
    """One sentence for each way of making it wrong."""
    assert (
        swapped("Marta Lund wrote to Jonas Vik.", rng, PASSAGE, OTHER)
        == "Jonas Vik wrote to Marta Lund."
    )
    assert swapped("Marta Lund and Jonas Vik wrote.", rng, PASSAGE, OTHER) is None
    assert negated("The mill did not close.", rng, PASSAGE, OTHER) == "The mill indeed close."
    assert negated("The mill is not old.", rng, PASSAGE, OTHER) == "The mill is old."
    assert opposed("It was the first mill.", rng, PASSAGE, OTHER) == "It was the last mill."
    number = renumbered("It was drawn in 1871.", rng, PASSAGE, OTHER)
    assert number is not None and number != "It was drawn in 1871."


def test_true_claims_by_hand(rng: np.random.Generator) -> None:
    """A clause put last; a question with its answer."""
    assert turned("After the storm of 1880, Vik raised the tower.", rng, "") == (
        "Vik raised the tower after the storm of 1880."
    )
    assert stated("Who wrote the letter?", "Abt") == "Abt wrote the letter."
    assert stated("When was the bridge built?", "1902") == "The bridge was built in 1902."
    assert stated("Why did it close?", "no money") == "Why did it close? No money."


def test_claims_are_of_both_kinds_and_neither_copies(rng: np.random.Generator) -> None:
    """Over many draws: true claims that are no copies, false ones that are nearly so."""
    made = [c for _ in range(200) for c in make_claims(PASSAGE, "Who raised it?", OTHER, rng)]
    true = [c for c in made if c.holds]
    false = [c for c in made if not c.holds]
    assert 0.4 < len(true) / len(made) < 0.6
    assert any(c.text not in TEXT for c in true) and any(c.text in TEXT for c in true)
    assert any(c.text in OTHER.text for c in false)
    assert all(c.text not in TEXT for c in false)
    assert all(isinstance(c, Claim) for c in made)


def test_changed_tokens() -> None:
    """Replaced, put in, taken out (then the next one), nothing."""
    assert changed([1, 2, 3, 4], [1, 9, 3, 4]) == (1,)
    assert changed([1, 2, 3], [1, 2, 8, 3]) == (2,)
    assert changed([1, 2, 3], [1, 3]) == (1,)
    assert changed([1, 2], [1, 2]) == ()
