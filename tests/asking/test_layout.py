"""What a reply shows, in which order, for every format."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragcli
from ragcli.asking.answer_json import answer_json, reply_of
from ragcli.asking.layout import Row, laid_out
from ragcli.types import Answer, Reply, ShownPassage, overlap

QUESTIONS = (
    "What raised the alarm on sunny afternoons?",
    "How long does the rescue corps take to Brenn Pass?",
    "What was Project Hourglass?",
    "Why is there a Rule 1?",
)


@pytest.fixture(scope="module")
def answers(sample_store: Path) -> list[tuple[Answer, list[str]]]:
    """Replies, with the texts of the documents that their passages are from."""
    with ragcli.Store.open(sample_store) as store:
        found = [store.ask(question) for question in QUESTIONS]
        return [(one, [store.text(p.doc) for p in one.reply.passages]) for one in found]


def test_passages_stand_in_their_documents(answers: list[tuple[Answer, list[str]]]) -> None:
    """To the character; each quote is a highlight; what is named besides is not shown."""
    for answer, texts in answers:
        reply = answer.reply
        assert reply.passages and len(reply.also) <= 3
        for passage, text in zip(reply.passages, texts, strict=True):
            assert text[passage.start : passage.end] == passage.text
            assert passage.head is None or (
                text[passage.head.start : passage.head.end] == passage.head.text
            )
            assert passage.line_start <= passage.line_end
        marked = {span for passage in reply.passages for span in passage.highlights}
        assert marked == {(c.start, c.end) for c in reply.citations}
        assert not any(overlap(one, p) for one in reply.also for p in reply.passages)


def test_the_order_is_short_answer_passages_further_places(
    answers: list[tuple[Answer, list[str]]],
) -> None:
    """An empty row between; one passage and its lines below their place."""
    for answer, _ in answers:
        reply = answer.reply
        rows = list(laid_out(reply))
        kinds = [row.kind for row in rows if row.kind not in ("line", "code", "gap")]
        expected = ["short"] * (reply.short is not None) + ["source"] * len(reply.passages)
        assert kinds == expected + ["also"] * bool(reply.also)
        assert [row.kind for row in rows].count("gap") == len(kinds) - 1


def test_json_holds_all_that_is_shown(answers: list[tuple[Answer, list[str]]]) -> None:
    """The text for assistants is made from it."""

    def shown(rows: list[Row]) -> list[tuple[str, list[tuple[str, str]]]]:
        return [(row.kind, [(piece.text, piece.look) for piece in row.pieces]) for row in rows]

    for answer, _ in answers:
        found = answer_json(answer)
        again = reply_of(found)
        assert shown(list(laid_out(again))) == shown(list(laid_out(answer.reply)))
        fields = {"doc", "start", "end", "line_start", "line_end", "heading", "text", "highlights"}
        assert all(fields <= passage.keys() for passage in found["passages"])


def rows_of(text: str, goes_on: bool = False) -> list[str]:
    """The rows of a passage below its place."""
    shown = ShownPassage(1, "a.md", "a.md", 0, len(text), 3, 40, "", text, (), goes_on=goes_on)
    rows = laid_out(Reply("x", (), "extractive", passages=(shown,)))
    return ["".join(piece.text for piece in row.pieces) for row in rows][1:]


def test_a_long_list_is_cut_after_twenty() -> None:
    """What is below an item belongs to it; the place says where the others are."""
    items = [f"- option {n}\n  - is gone" for n in range(32)]
    assert rows_of("\n".join(items[:20]))[-1] == "  - is gone"
    rows = rows_of("\n".join(items))
    assert len(rows) == 41 and rows[-1] == "and 12 more: " and rows[-2] == "  - is gone"


def test_a_passage_that_is_cut_says_so() -> None:
    assert rows_of("It rained.", goes_on=True) == ["It rained.", "…"]
    assert rows_of("It rained.") == ["It rained."]
