"""Rank fusion."""

from hypothesis import given
from hypothesis import strategies as st

from ragcli.papers.fuse import DAMPING, reciprocal_rank_fusion


def test_the_worked_example() -> None:
    """An item that two rankings share beats the first of either."""
    fused = reciprocal_rank_fusion([["a", "b"], ["b", "c"]])
    assert fused[0] == ("b", 1 / (DAMPING + 2) + 1 / (DAMPING + 1))
    assert [item for item, _ in fused] == ["b", "a", "c"]


@given(st.lists(st.lists(st.integers(0, 20), unique=True), max_size=4))
def test_every_item_comes_once_best_first(rankings: list[list[int]]) -> None:
    """The fusion holds exactly the items of all rankings, by falling score."""
    fused = reciprocal_rank_fusion(rankings)
    assert {item for item, _ in fused} == {item for ranking in rankings for item in ranking}
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)


@given(st.lists(st.integers(), unique=True))
def test_one_ranking_stays_as_it_is(ranking: list[int]) -> None:
    """Fusing a ranking with nothing changes nothing."""
    assert [item for item, _ in reciprocal_rank_fusion([ranking])] == ranking
