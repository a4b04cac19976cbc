"""The numbers that passages are ranked by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from ragcli.retrieve.compared_passages import ComparedPassages, NamesOf
from ragcli.retrieve.passage_features import (
    FEATURES,
    adds,
    beside,
    by_walk,
    close,
    features,
    follows,
    like_first,
    linked,
    long_documents,
    mixed,
    named,
    nearest,
    pairs,
    ranks,
)
from ragcli.store.snapshot.chunks import PassageText


def names(
    every: list[set[int]],
    titles: list[set[int]],
    degrees: Mapping[int, int],
    asked: frozenset[int] = frozenset(),
) -> NamesOf:
    return NamesOf(list(map(frozenset, every)), list(map(frozenset, titles)), asked, degrees)


def passages(
    texts: Sequence[str],
    places: Sequence[Sequence[tuple[int, int]]] = (),
    terms: Sequence[float] = (),
    share: Sequence[float] = (),
    words: Sequence[float] = (),
) -> ComparedPassages:
    """Passages of a document each, unless a text begins with the name of one and a colon."""
    n = len(texts)
    docs = [text.partition(":")[0] for text in texts]
    none = [frozenset[int]()] * n
    given = np.array(words or [0.0] * n)
    return ComparedPassages(
        np.arange(n),
        np.array(share or [1.0] * n),
        given,
        np.zeros(n),
        given[None],
        np.zeros((1, n)),
        np.eye(n, dtype=np.float32),
        np.zeros(n),
        [
            PassageText("", text, docs.count(doc), doc)
            for text, doc in zip(texts, docs, strict=True)
        ],
        NamesOf(none, none, frozenset(), {}),
        np.array(terms),
        places or [[]] * n,
        none,
        0.0,
        n,
        0,
    )


def weights(*values: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The first passages, and what each weighs."""
    return np.arange(len(values)), np.array(values)


def test_a_passage_follows_from_the_one_that_mentions_its_title() -> None:
    """Passage 0 mentions name 7, the title of 1 and one of four passages with it; 2 has no link."""
    found = names([{7}, {7, 8}, {7}], [set(), {7}, {9}], {7: 4})
    assert follows(found, *weights(1.0, 0.5, 0.2)).tolist() == [0.0, 0.5, 0.0]


def test_a_passage_follows_by_the_weight_of_the_first() -> None:
    """The first passage that mentions the title weighs a quarter of the best one."""
    found = names([set(), {7}, {7}], [set(), set(), {7}], {7: 1})
    assert follows(found, *weights(1, 0.25, 0.1)).tolist() == [0.0, 0.0, 0.25]


def test_a_passage_does_not_follow_from_itself() -> None:
    """Every passage mentions its own title."""
    assert follows(names([{7}], [{7}], {7: 1}), *weights(1.0)).tolist() == [0.0]


def test_the_rarest_name_leads() -> None:
    """Of two names of a title that the first passage mentions."""
    found = names([{7, 8}, {7, 8}], [set(), {7, 8}], {7: 100, 8: 4})
    assert follows(found, *weights(1.0, 1.0))[1] == 0.5


def test_a_passage_adds_what_the_first_leaves() -> None:
    """The first has word 0 and leaves words 1 and 2, which the second has; the third has word 0
    like the first, which adds something to the second only, a passage of little weight."""
    held = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 0]], dtype=bool)
    assert adds(held, *weights(1.0, 0.1, 0.1)) == pytest.approx([0.1, 1.0, 0.1])


def test_rare_words_add_more() -> None:
    """Word 1 is in most passages, word 2 in one: the passage with word 2 adds more."""
    held = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 1, 0]], dtype=bool)
    found = adds(held, *weights(1.0, 0.01, 0.01, 0.01, 0.01))
    assert found[2] > found[1] > 0


def test_nothing_is_added_to_a_passage_with_all_words() -> None:
    """Nor to a question without words."""
    assert adds(np.ones((2, 3), dtype=bool), *weights(1, 1)).tolist() == [0.0, 0.0]
    assert adds(np.ones((2, 0), dtype=bool), *weights(1, 1)).tolist() == [0.0, 0.0]


def test_a_passage_counts_by_the_nearest_step() -> None:
    """Passages 0 and 1 are the best for a step each; 2 is 0.1 less than the best for the second."""
    found = nearest(np.array([[0.9, 0.2, 0.3], [0.1, 0.4, 0.3]]))
    assert found == pytest.approx([0.0, 0.0, -0.1])


def test_passages_are_linked_by_a_rare_name_that_is_not_asked() -> None:
    """Of 100 passages, 10 have name 7, one has name 8, which the question says; 3 shares none."""
    found = names([{7, 8}, {7}, {8}, set()], [set()] * 4, {7: 10, 8: 1}, frozenset({8}))
    assert linked(found, *weights(0.5), 100) == pytest.approx([0.0, 0.25, 0.0, 0.0])


def test_a_name_in_all_passages_links_nothing() -> None:
    """Whatever the first weighs."""
    found = names([{7}] * 3, [set()] * 3, {7: 3})
    assert linked(found, *weights(1.0), 3).tolist() == [0.0, 0.0, 0.0]


def test_rare_names_of_the_question_count_more() -> None:
    """Name 7 is in one passage of ten, name 8 in all."""
    found = named(names([{7}, {8}, {7, 8}], [set()] * 3, {7: 1, 8: 10}, frozenset({7, 8})), 10)
    assert found[0] > found[1] > 0 and found[2] == 1.0


def test_words_count_where_they_stand_close() -> None:
    """The second passage has both words forty words apart: only the rarer one counts."""
    found = passages(["a", "b", "c"], [[(3, 0), (9, 1)], [(0, 0), (40, 1)], []], [1.0, 3.0])
    assert close(found).tolist() == [1.0, 0.75, 0.0]


def test_a_word_that_is_left_behind_may_come_again() -> None:
    """The window moves on, and finds the first word again."""
    found = passages(["a"], [[(0, 0), (30, 1), (40, 0)]], [1.0, 1.0])
    assert close(found).tolist() == [1.0]


def test_neighbours_stand_in_the_order_of_the_question() -> None:
    """A small word may be between them."""
    found = passages(
        ["a", "b", "c"], [[(0, 0), (2, 1)], [(0, 1), (1, 0)], [(0, 0), (3, 1)]], [1, 1]
    )
    assert pairs(found).tolist() == [1.0, 0.0, 0.0]


def test_a_passage_is_not_compared_with_itself() -> None:
    """Of three orthogonal vectors the first two are the first."""
    assert like_first(np.eye(3, dtype=np.float32), np.array([0, 1])).tolist() == [0.0, 0.0, 0.0]


def test_ranks_of_equal_values_are_equal() -> None:
    """How many are higher."""
    assert ranks(np.array([0.5, 0.9, 0.5, 0.1])).tolist() == [1, 0, 1, 3]


def test_what_stands_beside_in_the_document() -> None:
    """Of three passages, the first two are of one document."""
    found = passages(["a: x", "a: y", "b: z"], share=[1.0, 0.5, 0.5], words=[0.2, 0.8, 0.4])
    share, words, rank = beside(found, by_walk(found))
    assert share.tolist() == [0.25, 0.5, 0.0] and words.tolist() == [0.8, 0.2, 0.0]
    assert rank.tolist() == [0, 1, 0]


def test_long_documents() -> None:
    """Whole documents count 0, one passage of ten 0.9."""
    assert long_documents([1, 1]) == 0
    assert long_documents([10, 1]) == pytest.approx(0.45)


def test_a_row_for_each_passage() -> None:
    """All columns; the passages in another order have the same numbers."""
    found = passages(["a", "b"], [[(0, 0)], []], [1.0], share=[0.5, 1.0])
    rows = features(found, by_walk(found))
    assert rows.shape == (2, len(FEATURES)) and np.isfinite(rows).all()
    assert rows[:, FEATURES.index("walk_rank")].tolist() == [0.6931, 0.0]


def test_links_count_for_questions_with_steps_only() -> None:
    """Similarity to the question for the others only."""
    rows = np.ones((2, len(FEATURES)))
    rows[1, FEATURES.index("question_steps")] = 0
    weighed = mixed(rows)
    assert weighed[0].tolist() == [1, 1, 1, 1, 1, 1, 0, 1]
    assert weighed[1].tolist() == [1, 1, 1, 1, 0, 0, 1, 1]
