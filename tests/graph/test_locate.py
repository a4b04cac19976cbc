"""Names that a model gives, found where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.graph.locate import locate, name_words


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("Sea Otter, SEA  OTTER\nand sea-otter's", "the Sea Otter", 3),
        ("ferryman and ferries", "ferry", 0),
        ("Édith Piaf sang.", "edith piaf", 1),
        ("Straße 5", "strasse 5", 1),
        ("written in C++ and C", "C", 1),
        ("written in C++ and C", "c++", 1),
        ("oh oh oh oh", "oh oh", 2),
        ("nothing", "—", 0),
    ],
)
def test_a_name_is_found_as_whole_words(text: str, name: str, said: int) -> None:
    """Whatever its case, accents, spacing and article; never as part of a word."""
    assert len(locate(text, [name]).get(name, [])) == said


def test_a_name_inside_a_longer_one_does_not_count_beside_it() -> None:
    """Unless it stands nowhere else."""
    text = "The University of Rome is in Rome. Bishop of Ely."
    found = locate(text, ["Rome", "University of Rome", "Ely", "Bishop of Ely"])
    assert {name: len(spans) for name, spans in found.items()} == {
        "Rome": 1,
        "University of Rome": 1,
        "Ely": 1,
        "Bishop of Ely": 1,
    }
    assert found["Rome"] == [(29, 33)]


@given(st.text("abAB é.-\n", max_size=40), st.lists(st.text("ab é", min_size=1, max_size=4)))
def test_every_span_says_the_name(text: str, names: list[str]) -> None:
    """What is found reads as the name does."""
    for name, spans in locate(text, names).items():
        assert spans == sorted(spans)
        for start, end in spans:
            assert name_words(f"x {text[start:end]}") == ["x", *name_words(name)]
