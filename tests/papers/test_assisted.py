"""The baselines that a language model writes for, against searches done by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scripted import Scripted
from searching import Search, searching

from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.papers.decompose import GRAMMAR, MOST, decompose, parts_of
from ragcli.papers.hyde import hyde
from ragcli.papers.modes import PAPERS, PROMPTS
from ragcli.papers.plain import DEPTH, dense_bm25, naive
from ragcli.retrieve import Helpers
from ragcli.text.asked_question import AskedQuestion

QUESTION = "Which instrument of the observatory gave false alarms?"
PASSAGE = "Sunlight on the snow made the radar report\navalanches that had not happened."
PARTS = "What instruments does the observatory have?\nWhat causes false alarms?\n"


@pytest.fixture(scope="module")
def search(sample_store: Path) -> Iterator[Search]:
    with searching(sample_store, Settings()) as opened:
        yield opened


def written(search: Search, reply: str) -> Helpers:
    """The helpers with an assistant that writes this and nothing else."""
    return replace(search.helpers, assistant=Scripted(reply))


def test_hyde_is_the_mean_of_both_vectors(search: Search) -> None:
    """Every passage compared by hand with the normed mean of question and made-up passage."""
    question = search.understand(QUESTION)
    mean = question.vector + search.helpers.encode([" ".join(PASSAGE.split())])[0]
    stored = search.snapshot.db.execute("SELECT id FROM live_passages").fetchall()
    vectors = search.index.passages.of(np.array(stored)[:, 0])
    scores = vectors @ (mean / np.linalg.norm(mean))
    by_hand = [stored[i][0] for i in np.argsort(-scores)[:10]]
    found = hyde(search.index, question, 10, written(search, PASSAGE)).finds
    assert [find.passage for find in found] == by_hand
    assert found[0].score == pytest.approx(float(scores.max()), abs=1e-3)
    assert by_hand != [
        find.passage for find in naive(search.index, question, 10, search.helpers).finds
    ]


@pytest.mark.parametrize("reply", ["", " \n"])
def test_nothing_written_leaves_the_question(search: Search, reply: str) -> None:
    """HyDE is then dense retrieval, decomposition the fusion of both baselines."""
    question = search.understand(QUESTION)
    index, helpers = search.index, written(search, reply)
    assert hyde(index, question, 5, helpers) == naive(index, question, 5, helpers)
    fused = decompose(index, question, 5, helpers).passages
    assert fused == dense_bm25(index, question, 5 * DEPTH, helpers).passages[:5]


def test_decomposition_fuses_the_question_and_its_parts(search: Search) -> None:
    """1 / (60 + rank) summed over three rankings, by hand."""
    question = search.understand(QUESTION)
    sums: dict[int | None, float] = {}
    for text in (QUESTION, *PARTS.splitlines()):
        part = dense_bm25(search.index, search.understand(text), 12, search.helpers)
        for rank, find in enumerate(part.finds, 1):
            sums[find.passage] = sums.get(find.passage, 0) + 1 / (60 + rank)
    found = decompose(search.index, question, 4, written(search, PARTS)).finds
    assert [find.score for find in found] == pytest.approx(sorted(sums.values())[:-5:-1])
    assert all(find.score == pytest.approx(sums[find.passage]) for find in found)
    for find in found:  # the notes tell all of it: "question rank 1, part 2 rank 3"
        ranks = [int(note.rpartition(" ")[2]) for note in find.note.split(", ")]
        assert find.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks))


def test_parts_are_whole_questions_each_once() -> None:
    """Neither the question itself, nor one cut off, nor more than MOST."""
    many = "".join(f"What is thing {n}?\n" for n in range(9))
    assert parts_of(f"{QUESTION}\nWho  is it?\nWho is it?\nWhere di", AskedQuestion(QUESTION)) == (
        "Who is it?",
    )
    assert len(parts_of(many, AskedQuestion(QUESTION))) == MOST
    assert parts_of("", AskedQuestion(QUESTION)) == ()


@pytest.mark.parametrize("mode", PROMPTS)
def test_the_assistant_is_asked_once(search: Search, mode: str) -> None:
    """Its reply decides what is found; the prompt holds the question, and stays the same."""
    question = search.understand(QUESTION)
    model = Scripted(PASSAGE if mode == "hyde" else PARTS)
    helped = Search(search.index, replace(search.helpers, assistant=model))
    hits = helped.hits(question, mode, 5)
    again = helped.hits(question, mode, 5)
    direct = PAPERS[mode](search.index, question, 5, written(search, model.reply))
    assert [hit.score for hit in hits] == [find.score for find in direct.finds]
    assert hits == again and hits[0].via[0].strategy == mode
    assert model.asked == [model.asked[0]] * 2 and QUESTION in model.asked[0].user
    assert model.asked[0].grammar == (GRAMMAR if mode == "decompose" else "")


@pytest.mark.parametrize("mode", PROMPTS)
def test_no_modes_for_asking(search: Search, mode: str) -> None:
    """Refused with the command that does have them."""
    with pytest.raises(InputError, match="baseline for ragcli eval only") as refused:
        search.hits(search.understand(QUESTION), mode, 5)
    assert f"--modes {mode}" in refused.value.hint
