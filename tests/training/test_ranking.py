"""The fit of the ranking, and the questions that it learns from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ragcli.retrieve.passage_features import FEATURES
from training.ranking.collect import of_documents
from training.ranking.fit import Asked, Fitted, folds, read, weighed
from training.ranking.pairs import case, supporting


def asked(number: int, rng: np.random.Generator) -> Asked:
    """A question whose right passage is the one with most words; all else is chance."""
    rows = rng.random((20, len(FEATURES)))
    words = rows[:, FEATURES.index("words")]
    documents = [f"d{at}" for at in range(20)]
    return Asked(f"s{number}", number % 2 == 0, rows, words == words.max(), documents)


def test_what_tells_the_right_passage_is_learnt() -> None:
    """On questions that were left out of the fit."""
    rng = np.random.default_rng(0)
    questions = [asked(number, rng) for number in range(60)]
    fitted = Fitted(questions[:40])
    found = [one.figures(fitted.scores(one.rows)) for one in questions[40:]]
    assert np.mean(found, axis=0)[1] > 0.8


def test_weights_put_right_passages_before_those_of_their_question() -> None:
    """The second question has higher numbers everywhere, which says nothing."""
    rows = [np.array([[1.0, 0.3], [0.0, 0.3]]), np.array([[9.0, 0.1], [8.0, 0.9]])]
    right = [np.array([True, False]), np.array([True, False])]
    weights = weighed(rows, right, np.ones(2))
    assert weights[0] > 0 > weights[1]


def test_figures_of_both_kinds() -> None:
    """Two documents of four passages are right: the second is found fourth."""
    right = np.array([True, False, False, True])
    one = Asked("s", True, np.zeros((4, 1)), right, ["a", "b", "c", "d"])
    assert one.figures(np.array([4.0, 3, 2, 1])) == [0.5, 1.0, 1.0]
    alone = Asked("s", False, np.zeros((4, 1)), np.array([False, False, True, False]), ["a"] * 4)
    assert alone.figures(np.array([4.0, 3, 2, 1])) == [0.0, 1.0, 1.0]


def test_a_source_is_left_out_whole() -> None:
    """No source is on both sides, and each question is held once."""
    rng = np.random.default_rng(1)
    questions = [asked(number % 5, rng) for number in range(30)]
    parts = list(folds(questions))
    for rest, held in parts:
        assert not {one.source for one in rest} & {one.source for one in held}
    assert sum(len(held) for _, held in parts) == 30


def test_a_line_is_read_as_it_was_written() -> None:
    """Numbers, and what is right."""
    line = {"id": "q", "source": "s", "several": True, "documents": ["a", "b"]}
    one = read(json.dumps(line | {"rows": [[1.0], [2.0]], "right": [False, True]}))
    assert one.rows.tolist() == [[1.0], [2.0]] and one.right.tolist() == [False, True]


def test_two_passages_that_answer_together(tmp_path: Path) -> None:
    """Named ones, or both where there are two; passages of several questions are one record."""
    contexts = [{"title": title, "text": f"About {title}."} for title in "ABC"]
    example = {"id": "q", "question": "Who?", "contexts": contexts, "answers": []}
    assert supporting(example | {"supporting": [2, 0, 2]}) == [2, 0]
    assert supporting(example) == [] and supporting({"contexts": contexts[:2]}) == [0, 1]
    ids = {("C", "About C."): "p0"}
    made = case(example | {"supporting": [2, 0]}, ids)
    assert made["evidence"] == ["corpus.jsonl#p0", "corpus.jsonl#p1"] and len(ids) == 3
    (tmp_path / "questions.jsonl").write_text(json.dumps(made) + "\n")
    (wanted,) = of_documents(tmp_path / "questions.jsonl")
    assert wanted.documents == {"corpus.jsonl#p0", "corpus.jsonl#p1"}
