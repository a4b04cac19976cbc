"""Questions without an answer, sentences with their roles exchanged, windows as ``ask`` reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from ragcli.models.locate import embedder_folder
from training.reader import contrast, roles
from training.reader.claims import make_claims
from training.reader.contrast import altered, parts, without_answer, without_sentence
from training.reader.data import Example, Passage, Pool
from training.reader.later import LaterMaker, digest
from training.reader.losses import MARGIN, Batch, loss, pair_loss
from training.reader.model import Scores
from training.reader.nearest import Nearest
from training.reader.train import LATER, Settings, batches, between, plan
from training.reader.windows import Group, Window

TEXT = (
    "Henrik Dahl drew the lighthouse in 1871. After the storm of 1880, his pupil Jonas Vik raised "
    "the tower. The keeper, who lived alone, wrote a letter to Marta Lund every month. The door "
    "was closed because the harbour had silted up, and nobody came for nine years."
)
AT = TEXT.index("Jonas")
PASSAGE = Passage("Skarvoy", TEXT, ((AT, AT + 9),))
OTHERS = (
    Passage("Skarvoy", "The tower of Skarvoy is of granite, and its light is seen from Bergen."),
    Passage("Ellenau", "Clara Brandt moved the old mill of Ellenau in 1908 with forty oxen."),
    Passage("Mill", "A mill is a house for grinding; the tower of a mill turns to the wind."),
)
EXAMPLE = Example(
    "squad1", "Who raised the tower in 1880?", (PASSAGE,), "span", "", ("Jonas Vik",), ()
)
ELSE = Example("squad1", "Who moved the mill?", OTHERS, "none", "", (), ())


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator of its own for each test."""
    return np.random.default_rng(3)


@pytest.fixture(scope="module")
def maker() -> LaterMaker:
    """Over the passages above."""
    return LaterMaker(embedder_folder(), Pool([EXAMPLE, ELSE]))


def test_the_sentence_with_the_answer_goes() -> None:
    """And with it every other one that has the answer's words; too little left is nothing."""
    least = without_answer(PASSAGE, ("Jonas Vik",))
    assert least is not None and "Jonas" not in least.text and not least.answers
    assert least.text.startswith("Henrik Dahl") and "The keeper" in least.text
    twice = replace(PASSAGE, text=TEXT + " Jonas Vik died.")
    least = without_answer(twice, ())
    assert least is not None and "Vik" not in least.text
    assert without_answer(Passage("", "Vik came. So did she.", ((0, 3),)), ("Vik",)) is None


def test_another_sentence_goes_and_answers_move(rng: np.random.Generator) -> None:
    """The answer is still what it was."""
    for _ in range(10):
        less = without_sentence(PASSAGE, rng)
        ((a, b),) = less.answers
        assert less.text[a:b] == "Jonas Vik"
        assert len(parts(less.text)) == len(parts(TEXT)) - 1


def test_questions_are_altered(rng: np.random.Generator) -> None:
    """Each change by itself, and never into a question that the answer still answers."""
    near = [OTHERS[1].text]
    name = contrast.other_name("What did Henrik Dahl draw?", PASSAGE, near, rng)
    assert name in ("What did Marta Lund draw?", "What did Clara Brandt draw?")
    number = contrast.other_number("Who raised it in 1880?", PASSAGE, near, rng)
    assert number is not None and "1880" not in number
    things = {
        contrast.other_thing("Who raised the tower?", PASSAGE, [TEXT], np.random.default_rng(seed))
        for seed in range(10)
    }
    there = ("lighthouse", "storm", "keeper", "door", "harbour")
    assert len(things) > 1 and things <= {f"Who raised the {thing}?" for thing in there}
    assert contrast.opposed_question("Who came first?", PASSAGE, near, rng) == "Who came last?"
    assert contrast.opposed_question("Who came without him?", PASSAGE, near, rng) is None
    year = replace(PASSAGE, answers=((TEXT.index("1871"), TEXT.index("1871") + 4),))
    why = contrast.other_kind("When was the lighthouse drawn?", year, near, rng)
    assert why == "Why was the lighthouse drawn?"
    assert contrast.other_kind("Who drew it?", PASSAGE, near, rng) is None
    assert altered("Why?", PASSAGE, near, rng) is None


def test_roles_are_exchanged() -> None:
    """By hand; where the rules see no plain subject and object, nothing."""
    assert roles.turned_round("The tower was raised by Jonas Vik in 1880.") == (
        "Jonas Vik was raised by the tower in 1880."
    )
    assert roles.passive("He left and Dahl succeeded Vik.") is None
    assert roles.active("It was closed by the storm and by Vik.") is None
    assert roles.exchanged("The bridge and the tower fell.", np.random.default_rng(0)) is None
    assert roles.crossed("It cost 12 or 13.", np.random.default_rng(0)) is None
    text = "Seven houses fell and three people died."
    assert roles.crossed(text, np.random.default_rng(0)) == (
        "Three houses fell and seven people died."
    )


def test_a_false_claim_often_comes_with_its_base(rng: np.random.Generator) -> None:
    """The twin differs in what is wrong, and in nothing else."""
    made = [make_claims(PASSAGE, "Who raised it?", OTHERS[1], rng) for _ in range(200)]
    twins = [two for two in made if len(two) == 2 and two[1].base == two[0].text]
    assert 0.3 < len(twins) / len(made) < 0.9


def test_the_nearest_passages_share_rare_words() -> None:
    """Best first, and nothing for a question without a known word."""
    nearest = Nearest([*OTHERS, PASSAGE])
    assert nearest("Where is the mill of Ellenau?", 2)[0] is OTHERS[1]
    assert nearest("xyzzy", 2) == []


def test_a_contrast_has_both(maker: LaterMaker) -> None:
    """The question with its answer, and one without, alike but for it."""
    seen = set()
    for seed in range(20):
        groups = maker.groups(EXAMPLE, "contrast", np.random.default_rng(seed))
        assert groups[0].spans == "span" and groups[0].windows[0].answered == 1
        for group in groups[1:]:
            assert group.spans == "none"
            assert all(w.answered == 0 and not w.answers for w in group.windows)
        seen.add(len(groups))
    assert 2 in seen


def test_asked_windows_end_with_a_digest(maker: LaterMaker) -> None:
    """Its answers are those of its parts; without the passage nothing is answered."""
    spans = set()
    for seed in range(20):
        (group,) = maker.groups(EXAMPLE, "asked", np.random.default_rng(seed))
        spans.add(group.spans)
        decode = maker.tokenizer.decode
        for window in group.windows:
            for a, b in window.answers:
                assert decode(window.ids[a : b + 1].tolist()) == "jonas vik"
    assert spans == {"span", "none"}
    found = digest(EXAMPLE.question, [PASSAGE, *OTHERS], maker, np.random.default_rng(0))
    assert [found.text[a:b] for a, b in found.answers] == ["Jonas Vik"]
    assert "Skarvoy" in f"{found.title} {found.text}" and "Ellenau" in f"{found.title} {found.text}"


def test_claims_lose_their_sentence(maker: LaterMaker) -> None:
    """True with the passage, false without what bears it out: the same claim."""
    removed = 0
    for seed in range(60):
        (group,) = maker.groups(EXAMPLE, "claims", np.random.default_rng(seed))
        if len(group.windows) == 2:
            true, false = group.windows
            same = (
                true.types_from == false.types_from
                and (true.ids[: true.types_from] == false.ids[: false.types_from]).all()
            )
            removed += int(bool(same) and len(false.ids) < len(true.ids))
    assert removed > 3


def test_plans_of_both_stages() -> None:
    """The first asks questions and makes claims; the second makes all four kinds."""
    examples = [EXAMPLE, ELSE] * 200
    assert {kind for _, kind in plan(examples, 1.0, Settings())} == {"question", "claims"}
    kinds = {kind for _, kind in plan(examples, 1.0, LATER)}
    assert kinds == {"question", "claims", "contrast", "asked"}


def test_groups_of_one_example_stay_together(maker: LaterMaker) -> None:
    """Each says which planned example it was made from."""
    settings = replace(LATER, batch=300)
    order = [(0, "contrast")] * 6
    found = [g for _, groups in batches([EXAMPLE], order, maker, settings, 0) for g in groups]
    assert {group.example for group in found} == set(range(6))
    assert len(found) > 6


def test_twins_are_compared() -> None:
    """The loss falls as the true one rises above the false one; other examples do not count."""
    ids = np.array([101, 1, 102, 2, 102])
    true = Window(ids, 3, 3, support=1, wrong=())
    false = Window(ids, 3, 3, support=0, wrong=(1,))
    groups = [Group((true, false), "", 0), Group((true,), "", 1)]
    batch = Batch.of(groups)
    rows = sum(batch.lengths)

    def measure(first: float, second: float) -> dict[str, float]:
        support = torch.tensor([first, second, 0.0])
        scores = Scores(
            torch.zeros(rows, 2), torch.zeros(3), torch.zeros(3, 3), support, torch.zeros(rows)
        )
        return loss(scores, batch, pairs=1.0)[1]

    assert measure(3.0, -3.0)["support_pairs"] < measure(0.0, 0.0)["support_pairs"]
    expected = float(pair_loss(torch.tensor([1.0, 1.0]), [(0, 1)]))
    assert expected == pytest.approx(np.log1p(np.exp(MARGIN)), abs=1e-5)
    assert measure(1.0, 1.0)["support_pairs"] == pytest.approx(expected / 2, abs=1e-5)


def test_weights_between_two_files(tmp_path: Path) -> None:
    """Their mean, in half precision."""
    for name, value in (("a", 1.0), ("b", 4.0)):
        save_file({"w": np.full(3, value, np.float16)}, tmp_path / name)
    mean = load_file(between(tmp_path / "a", tmp_path / "b", tmp_path / "c"))["w"]
    assert mean.dtype == np.float16 and mean.tolist() == [2.5, 2.5, 2.5]
