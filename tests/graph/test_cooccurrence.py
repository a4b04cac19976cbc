"""The co-occurrence graph of one document."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ragcli.graph.cooccurrence import MAX_ENTITIES, SCALE, cooccurrences
from ragcli.graph.resolve import Resolved


def mention(sentence: int, key: str, part: int = 0) -> Resolved:
    return Resolved(part, sentence, 0, 1, key, key, "PERSON")


def test_the_worked_example() -> None:
    """Ann, Bob and Rome in one sentence, Ann and Bob in another: 1/3 + 1/2 and twice 1/3."""
    weights, counts = cooccurrences(
        [
            *(mention(0, "ann"), mention(0, "bob"), mention(0, "rome")),
            *(mention(1, "ann"), mention(1, "bob")),
        ]
    )
    third, half = SCALE // 3, SCALE // 2
    assert weights == {
        ("ann", "bob"): third + half,
        ("ann", "rome"): third,
        ("bob", "rome"): third,
    }
    assert counts == {("ann", "bob"): 2, ("ann", "rome"): 1, ("bob", "rome"): 1}


def test_no_self_loops_and_repeats_count_once() -> None:
    """A name said twice in a sentence is one entity there and no edge to itself."""
    weights, counts = cooccurrences([mention(0, "ann"), mention(0, "ann"), mention(0, "bob")])
    assert weights == {("ann", "bob"): SCALE // 2}
    assert counts == {("ann", "bob"): 1}


def test_sentences_of_different_parts_do_not_mix() -> None:
    """Sentence 0 of one chunk is not sentence 0 of the next."""
    assert cooccurrences([mention(0, "ann", part=0), mention(0, "bob", part=1)]) == ({}, {})


def test_a_long_list_is_bounded() -> None:
    """A sentence of a thousand names makes no more pairs than one of the limit."""
    weights, _ = cooccurrences([mention(0, f"n{i:04}") for i in range(1000)])
    assert len(weights) == MAX_ENTITIES * (MAX_ENTITIES - 1) // 2


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcdef")), max_size=40), st.randoms())
def test_order_of_mentions_does_not_matter(pairs: list[tuple[int, str]], random: Random) -> None:
    """Any order of the same mentions gives the same graph."""
    mentions = [mention(s, k) for s, k in pairs]
    shuffled = mentions[:]
    random.shuffle(shuffled)
    assert cooccurrences(mentions) == cooccurrences(shuffled)
