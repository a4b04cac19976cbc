"""The questions over real folders: true to their passages, and no source in two parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from training.score.folder import PARTS, QUESTIONS, case, documents, rows

KINDS = "name number date place fact definition why howto list yesno compare none".split()


@pytest.mark.parametrize("part", PARTS)
def test_every_answer_stands_in_its_passage(part: str) -> None:
    """To the character; lists have several, yes or no has what tells it, none has nothing."""
    for row in rows(part):
        for answer in row["answers"]:
            text = row["contexts"][answer["context"]]["text"]
            assert text.startswith(answer["text"], answer["start"]), row["id"]
        assert row["qkind"] in KINDS
        assert bool(row["answers"]) is (row["kind"] != "none"), row["id"]
        assert (row.get("yesno") in ("yes", "no")) is (row["kind"] == "yesno"), row["id"]


def test_no_source_is_in_two_parts_and_each_is_credited() -> None:
    """What is learned is not what is measured."""
    sources = [{row["source"] for row in rows(part)} for part in PARTS]
    assert sum(map(len, sources)) == len(set().union(*sources))
    credits = (Path(QUESTIONS) / "SOURCES.md").read_text(encoding="utf-8")
    for source in set().union(*sources):
        name = source.partition("/")[2]
        assert f"{source} |" in credits or f"| {name}" in credits, source
    ids = [row["id"] for part in PARTS for row in rows(part)]
    assert len(ids) == len(set(ids))


def test_a_folder_is_made_of_the_passages_with_cases_for_eval() -> None:
    """Each document holds its passages; a case names the documents that answer it."""
    some = [row for row in rows("dev") if row["kind"] == "span"][:40]
    made = documents(some)
    for row in some:
        asked = case(row)
        assert asked["answer"] == [answer["text"] for answer in row["answers"]]
        (evidence, *_) = asked["evidence"]
        text = made[evidence["doc"].removesuffix(".md")]
        assert row["contexts"][row["answers"][0]["context"]]["text"].strip() in text
