"""Ranked spans against a brute force, and the cases that one can count by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli.models.reader import Calibration, Ranked, WindowReading, rank
from ragcli.models.reader.spans import features, plain

LOGITS = st.floats(-8, 8, width=32)


def reading(
    starts: Sequence[float],
    ends: Sequence[float],
    null: float = 0.0,
    passage: int = 0,
    width: int = 2,
    answered: float = 0.0,
) -> WindowReading:
    """A window of tokens ``width`` characters long with a space after each."""
    places = np.arange(len(starts)) * (width + 1)
    return WindowReading(
        passage,
        np.stack([places, places + width], axis=1),
        np.array(starts, np.float32),
        np.array(ends, np.float32),
        null,
        answered,
        np.zeros(3, np.float32),
    )


def words(count: int, letter: str = "a") -> str:
    """Texts whose words all differ: aa ab ac ..."""
    return " ".join(letter + chr(ord("a") + i) for i in range(count))


def test_no_window_no_answer() -> None:
    """Without passages there is nothing to say."""
    assert rank([], []) == Ranked((), 1.0)
    assert Calibration().confidence(Ranked((), 1.0), []) == 0.0


def test_one_token_by_hand() -> None:
    """One span and no answer share the probability as their exponentials."""
    found = rank([reading([1.0], [2.0], null=3.0)], ["aa"])
    assert [span.text for span in found.spans] == ["aa"]
    assert found.spans[0].probability == pytest.approx(0.5)
    assert found.none == pytest.approx(0.5)


def test_spans_are_normalised_over_all_windows() -> None:
    """A better window takes from a worse one."""
    one, two = reading([0, 4], [0, 4]), reading([0, 2], [0, 2], passage=1)
    found = rank([one, two], [words(2, "a"), words(2, "b")])
    assert (found.spans[0].text, found.spans[0].passage, found.spans[0].window) == ("ab", 0, 0)
    scores = [0, 4, 8, 0, 2, 4, 0, 0]  # three spans a window, and two windows without an answer
    whole = sum(math.exp(score) for score in scores)
    # with the longer span that overlaps it
    assert found.spans[0].probability == pytest.approx((math.exp(8) + math.exp(4)) / whole)


def test_the_same_text_in_two_places_is_one_answer() -> None:
    """Case, articles and punctuation aside; the better place is the one that is named."""
    one, two = reading([3], [3], width=3), reading([4], [4], passage=1, width=3)
    found = rank([one, two], ["Abt", "abt"])
    assert [(span.text, span.passage) for span in found.spans] == [("abt", 1)]
    assert found.spans[0].probability + found.none == pytest.approx(1)
    assert plain("The  Abt,") == plain("abt") == "abt"


def test_an_answer_is_at_most_so_long() -> None:
    """The best pair of tokens lies too far apart, so a shorter one wins."""
    starts, ends = [9.0] + [0.0] * 9, [0.0] * 9 + [9.0]
    text = words(10)
    assert rank([reading(starts, ends)], [text], longest=10).spans[0].text == text
    assert len(rank([reading(starts, ends)], [text], longest=3).spans[0].text.split()) <= 3


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_against_brute_force(data: st.DataObject) -> None:
    """Best span, its score and no answer's probability are those of all pairs looked at."""
    readings, texts = [], []
    for passage in range(data.draw(st.integers(1, 3))):
        n = data.draw(st.integers(1, 6))
        logits = [data.draw(st.lists(LOGITS, min_size=n, max_size=n)) for _ in "se"]
        starts, ends = logits
        readings.append(reading(starts, ends, data.draw(LOGITS), passage))
        texts.append(words(n, "xyz"[passage]))
    longest = data.draw(st.integers(1, 7))
    found = rank(readings, texts, count=3, longest=longest)
    scores = [
        float(np.float64(r.starts[i]) + np.float64(r.ends[j]))
        for r in readings
        for i in range(len(r.starts))
        for j in range(i, min(len(r.starts), i + longest))
    ]
    nulls = [r.null for r in readings]
    assert max(span.score for span in found.spans) == pytest.approx(max(scores))
    whole = sum(math.exp(s) for s in scores + nulls)
    assert found.none == pytest.approx(sum(math.exp(s) for s in nulls) / whole)
    for span in found.spans:
        assert texts[span.passage][span.start : span.end] == span.text
    for i, one in enumerate(found.spans):
        for two in found.spans[:i]:
            apart = one.passage != two.passage or one.end <= two.start or two.end <= one.start
            assert apart
    assert sum(span.probability for span in found.spans) + found.none <= 1 + 1e-9


def test_confidence_grows_with_the_score_above_no_answer() -> None:
    """The logistic regression of one feature, by hand."""
    calibration = Calibration(weights=(0, 1, 0, 0, 0), bias=-1)
    readings = [reading([2.0], [2.0], null=1.0)]
    ranked = rank(readings, ["aa"])
    assert features(ranked, readings)[1] == pytest.approx(3)
    assert calibration.confidence(ranked, readings) == pytest.approx(1 / (1 + math.exp(-2)))
    assert calibration.supported(0.0, 5.0) == 0.5


def test_the_surest_window_counts() -> None:
    """The last feature is that of whichever window says most that it answers."""
    readings = [reading([5.0], [5.0], answered=-2.0), reading([1.0], [1.0], 1, answered=3.0)]
    found = features(rank(readings, ["aa", "bb"]), readings)
    assert found[2] == -2.0 and found[4] == 3.0
