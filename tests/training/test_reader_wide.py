"""Questions over many windows, questions in two steps, and the shortest of answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from ragcli.models.locate import embedder_folder
from training.reader.compose import composed, described
from training.reader.data import Example, Passage, Pool
from training.reader.train import LAST, LONG_SHARE, plan
from training.reader.wide import WideMaker, shortest, tightened

TEXT = (
    "Jonas Vik raised the tower of Skarvoy after the storm of 1880. The keeper, who lived alone, "
    "wrote a letter every month. The door was closed because the harbour had silted up, and nobody "
    "came for nine years. Then the railway reached the coast and brought the first guests."
)
TOWER = Passage("Skarvoy", TEXT, ((0, 9),))
LIFE = "Jonas Vik was born in 1841 in Bergen. He studied in Rome and came back with a wife."
BORN = Passage("Jonas Vik", LIFE, ((LIFE.index("1841"), LIFE.index("1841") + 4),))
WHO = Example(
    "squad1", "Who raised the tower of Skarvoy?", (TOWER,), "span", "", ("Jonas Vik",), ()
)
WHEN = Example("nq", "When was Jonas Vik born?", (BORN,), "span", "", ("1841",), ())
OTHERS = tuple(
    Passage(place, f"{place} has a tower of {stone}. The storm of {year} took its door.")
    for place, stone, year in (
        ("Ellenau", "granite", 1812),
        ("Tarnby", "brick", 1790),
        ("Velden", "oak", 1913),
        ("Marstal", "slate", 1866),
        ("Kolbu", "larch", 1701),
    )
)
ELSE = Example("squad1", "Which towers lost a door?", OTHERS, "none", "", (), ())


@pytest.fixture(scope="module")
def maker() -> WideMaker:
    """Over the passages above."""
    return WideMaker(embedder_folder(), Pool([WHO, WHEN, ELSE]))


def test_a_question_describes_its_answer() -> None:
    """By what it asks; not where that takes a change of its words."""
    assert described("Who raised the tower?") == "the one who raised the tower"
    assert described("What is the name of the river in Bonn?") == "the river in Bonn"
    assert described("Which city hosted the games?") == "the city that hosted the games"
    assert described("When was it built?") is None
    assert described("Where did the one with the letter go?") is None


def test_two_questions_make_one() -> None:
    """The name goes, its description comes; the second passage answers and the first is needed."""
    (made,) = composed([WHO, WHEN, ELSE], np.random.default_rng(0))
    assert made.question == "When was the one who raised the tower of Skarvoy born?"
    assert made.passages == (BORN, replace(TOWER, answers=()))
    assert made.answers == ("1841",) and made.supporting == (0, 1)
    noun = replace(WHEN, question="What did the old Jonas Vik bridge cost?")
    assert not list(composed([WHO, noun], np.random.default_rng(0)))


def test_many_windows_of_one_question(maker: WideMaker) -> None:
    """Windows with and without the answer, labelled by it; now and then none has it."""
    seen: Counter[str] = Counter()
    for seed in range(60):
        group = maker.asked(WHO, np.random.default_rng(seed))
        seen[group.spans] += 1
        for window in group.windows:
            assert window.answered == bool(window.answers)
            for start, end in window.answers:
                words = maker.tokenizer.decode(window.ids[start : end + 1].tolist())
                assert words == "jonas vik"
        if group.spans == "none":
            assert not any(window.answers for window in group.windows)
        else:
            assert len(group.windows) >= 3
    assert seen["span"] > 25 and seen["none"] > 8


def test_the_passage_that_is_also_needed_is_read() -> None:
    """Of a question in two steps."""
    (made,) = composed([WHO, WHEN], np.random.default_rng(0))
    maker = WideMaker(embedder_folder(), Pool([WHO, WHEN, ELSE, made]))
    for seed in range(10):
        group = maker.asked(made, np.random.default_rng(seed))
        texts = " ".join(maker.tokenizer.decode(w.ids.tolist()) for w in group.windows)
        assert "raised the tower of skarvoy after" in texts


def test_the_shortest_answers_stay() -> None:
    """Of those that overlap; another place keeps its own."""
    text = "It was the old king of Velden who came. The king left."
    spans = [(text.index(a), text.index(a) + len(a)) for a in ("the old king of Velden", "king")]
    far = (text.rindex("The king"), text.rindex("The king") + 8)
    example = replace(WHO, passages=(Passage("", text, (*spans, far)),))
    assert tightened(example).passages[0].answers == (spans[1], far)
    assert shortest(example) == 1 and shortest(ELSE) == 0


def test_long_answers_are_rare_in_the_plan() -> None:
    """A share of what examples with few words are taken."""
    long = replace(WHO, passages=(replace(TOWER, answers=((0, 90),)),))
    settings = replace(LAST, claims=0.0, later_claims=0.0)
    order = plan([WHO] * 200 + [long] * 200, 1.0, settings)
    counts = Counter(at < 200 for at, _ in order)
    assert counts[False] == round(LONG_SHARE * counts[True])
