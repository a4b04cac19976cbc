"""Profiles from fragments."""

from ragcli.graph.profile import (
    MAX_FRAGMENTS,
    MAX_KEYWORDS,
    SUMMARY,
    extractive,
    fragments,
    joined,
    top_keywords,
    vote,
)


def words(text: str) -> int:
    return len(text.split())


def test_few_fragments_are_the_profile() -> None:
    """Each once, in order, each a sentence."""
    parts = fragments("Ann", ["A captain", "", "Born in Rome.", "A captain"])
    assert not parts.are_many(words)
    assert joined(parts) == "A captain. Born in Rome."


def test_many_or_long_fragments_are_summed_up() -> None:
    """More than eight, or more than 1200 tokens; never over the length of a summary."""
    many = fragments("Ann", [f"Ann sailed to port number {i} in spring" for i in range(60)])
    assert len(many.texts) > MAX_FRAGMENTS and many.are_many(words)
    summary = extractive(many)
    assert 0 < len(summary) <= SUMMARY.chars
    assert all(f"{s.rstrip('.')}" in many.texts for s in summary.split(". "))
    assert fragments("Ann", ["word " * 1300]).are_many(words)
    assert not fragments("Ann", ["word " * 1100]).are_many(words)


def test_a_type_is_voted_by_weight() -> None:
    """Ties by name; a vague type only when nothing else was said."""
    assert vote([("person", 1), ("artifact", 1)]) == "artifact"
    assert vote([("other", 5), ("person", 1)]) == "person"
    assert vote([("other", 5)]) == "other"
    assert vote([]) == ""


def test_keywords_are_limited() -> None:
    """The most frequent stay."""
    lists = [[f"k{i}" for i in range(30)], ["k29"]]
    assert top_keywords(lists)[0] == "k29"
    assert len(top_keywords(lists)) == MAX_KEYWORDS
