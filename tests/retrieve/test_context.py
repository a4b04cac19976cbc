"""Context: exact, disjoint parts within a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.retrieve.context import fit, line_at, shorten
from ragcli.types import Context, Hit, Part

TEXT = "One two three. Four five six.\nSeven eight nine.\n\nTen eleven twelve. Thirteen."


def words(text: str) -> int:
    """Count words: the tokens of these tests."""
    return len(text.split())


def make_hit(text: str, start: int, end: int, rank: int = 1, doc: str = "a.txt") -> Hit:
    """Make the hit ``text[start:end]`` of a document with line numbers as a reader gives them."""
    return Hit(
        chunk=f"{doc}:{start}",
        doc=doc,
        title="A",
        start=start,
        end=end,
        line_start=1 + text.count("\n", 0, start),
        line_end=1 + text.count("\n", 0, end),
        text=text[start:end],
        score=1 / rank,
        rank=rank,
    )


@st.composite
def documents_and_hits(draw: st.DrawFn) -> tuple[dict[str, str], list[Hit]]:
    """Draw up to three documents and ranked hits in them, overlapping as they like."""
    alphabet = st.sampled_from("abc .\n")
    texts = {
        f"{name}.txt": draw(st.text(alphabet, min_size=1, max_size=60))
        for name in draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=3, unique=True))
    }
    hits = []
    for rank in range(1, draw(st.integers(0, 8)) + 1):
        doc = draw(st.sampled_from(sorted(texts)))
        start = draw(st.integers(0, len(texts[doc])))
        end = draw(st.integers(start, len(texts[doc])))
        hits.append(make_hit(texts[doc], start, end, rank, doc))
    return texts, hits


@given(documents_and_hits(), st.integers(0, 120), st.sampled_from([len, words]))
def test_parts_are_exact_disjoint_and_within_budget(
    drawn: tuple[dict[str, str], list[Hit]], budget: int, count: Callable[[str], int]
) -> None:
    """Whatever the hits: quotes are exact, nothing is there twice, the budget holds."""
    texts, hits = drawn
    context = fit(hits, budget, count)
    seen: set[tuple[str, int]] = set()
    for n, part in enumerate(context.parts, start=1):
        assert part.n == n
        assert part.text == texts[part.doc][part.start : part.end] != ""
        characters = {(part.doc, at) for at in range(part.start, part.end)}
        assert not characters & seen
        seen |= characters
        assert part.line_start == 1 + texts[part.doc].count("\n", 0, part.start)
        assert part.line_end == 1 + texts[part.doc].count("\n", 0, part.end)
    assert context.tokens == sum(count(part.text) for part in context.parts) <= budget


@given(documents_and_hits())
def test_all_hits_are_there_when_the_budget_is_large(
    drawn: tuple[dict[str, str], list[Hit]],
) -> None:
    """With room for all, the parts hold exactly the characters of the hits, best rank first."""
    _, hits = drawn
    context = fit(hits, 10_000, len)
    held = {(part.doc, at) for part in context.parts for at in range(part.start, part.end)}
    assert held == {(hit.doc, at) for hit in hits for at in range(hit.start, hit.end)}

    def best(part: Part) -> int:
        return min(
            hit.rank
            for hit in hits
            if hit.text and hit.doc == part.doc and part.start <= hit.start < part.end
        )

    assert [best(part) for part in context.parts] == sorted(map(best, context.parts))


def test_a_later_hit_joins_two_earlier_ones() -> None:
    """A hit that bridges two parts makes them one, with the rank of the better."""
    hits = [make_hit(TEXT, 30, 47, 1), make_hit(TEXT, 0, 14, 2), make_hit(TEXT, 10, 35, 3)]
    (part,) = fit(hits, 100, words).parts
    assert (part.start, part.end, part.text) == (0, 47, TEXT[:47])
    assert (part.line_start, part.line_end) == (1, 2)


def test_adjacent_hits_are_one_part_and_near_ones_two() -> None:
    """Only what meets is joined: the text between near hits is not known."""
    adjacent = fit([make_hit(TEXT, 0, 14), make_hit(TEXT, 14, 29, 2)], 100, words)
    near = fit([make_hit(TEXT, 0, 14), make_hit(TEXT, 15, 29, 2)], 100, words)
    assert [len(context.parts) for context in (adjacent, near)] == [1, 2]


def test_a_hit_that_does_not_fit_leaves_room_for_a_shorter_one() -> None:
    """A passage is never cut in the middle: it is left out, and the next one tried."""
    hits = [make_hit(TEXT, 0, 14, 1), make_hit(TEXT, 15, 47, 2), make_hit(TEXT, 68, 77, 3)]
    context = fit(hits, 4, words)
    assert [part.text for part in context.parts] == ["One two three.", "Thirteen."]
    assert context.tokens == 4


def test_the_first_hit_alone_is_cut_at_a_sentence_end() -> None:
    """A budget below the best passage gives its first sentences."""
    context = fit([make_hit(TEXT, 0, len(TEXT))], 7, words)
    assert [part.text for part in context.parts] == ["One two three. Four five six."]
    assert (context.parts[0].line_start, context.parts[0].line_end) == (1, 1)


@pytest.mark.parametrize(("budget", "expected"), [(2, "One two"), (0, "")])
def test_shorten_falls_back_to_words(budget: int, expected: Any) -> None:
    """When no sentence fits, the text ends after a word; with no room it is empty."""
    assert shorten(TEXT, budget, words) == expected


def test_no_hits_no_parts() -> None:
    """Nothing retrieved, nothing to read."""
    assert fit([], 100, words) == Context((), 0)


def test_lines_of_a_record_are_clamped() -> None:
    """All text of a JSON Lines record stands on one line of the file."""
    part = replace(fit([make_hit(TEXT, 0, 47)], 100, words).parts[0], line_start=9, line_end=9)
    assert line_at(part, 40) == 9
    assert line_at(replace(part, line_end=99), 40) == 10


def test_documents_are_counted_once() -> None:
    """Two parts of one document are one document."""
    hits = [make_hit(TEXT, 0, 5), make_hit(TEXT, 20, 25, 2), make_hit(TEXT, 0, 5, 3, "b.txt")]
    assert fit(hits, 100, words).documents == 2
