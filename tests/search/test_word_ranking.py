"""BM25 where rare words choose, against FTS5's own ranking of every match."""

from __future__ import annotations

import sqlite3
from random import Random

import numpy as np
import pytest

from ragcli.search import word_ranking
from ragcli.search.word_ranking import RowMask, matches, ranked

PASSAGES = 3_000
WORDS = 400


@pytest.fixture(scope="module")
def db() -> sqlite3.Connection:
    """Passages of 30 words; word n occurs in about a share of 1 / (n + 2) of them."""
    made = sqlite3.connect(":memory:")
    made.execute("CREATE VIRTUAL TABLE lexical USING fts5 (title, body, content = '')")
    random = Random(0)
    words = [f"w{n}" for n in range(WORDS)]
    weights = [1 / (n + 2) for n in range(WORDS)]
    for row in range(1, PASSAGES + 1):
        body = " ".join(random.choices(words, weights, k=random.randint(10, 50)))
        made.execute("INSERT INTO lexical (rowid, title, body) VALUES (?, '', ?)", (row, body))
    return made


def full(db: sqlite3.Connection, phrases: list[str]) -> list[tuple[int, float]]:
    """Every match with its score, best first."""
    query = (
        "SELECT rowid, -bm25(lexical, 1.0, 1.0) FROM lexical WHERE lexical MATCH ?"
        " ORDER BY bm25(lexical, 1.0, 1.0), rowid"
    )
    return db.execute(query, (" OR ".join(phrases),)).fetchall()


def questions(count: int) -> list[list[str]]:
    """Questions of frequent and rare words."""
    random = Random(1)
    return [
        [f'"w{n}"' for n in {*random.choices(range(6), k=3), *random.choices(range(WORDS), k=4)}]
        for _ in range(count)
    ]


def test_a_small_store_is_ranked_by_fts5_alone(db: sqlite3.Connection) -> None:
    for phrases in questions(20):
        assert ranked(db, phrases, 50) == full(db, phrases)[:50]
        assert ranked(db, phrases[:2], 50) == full(db, phrases[:2])[:50]


def test_scores_are_those_of_all_words_and_the_best_are_the_same(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_ranking, "SCORED", 400)
    agreed = 0
    for phrases in questions(60):
        found = ranked(db, phrases, 50)
        every = dict(full(db, phrases))
        for row, score in found:
            assert score == pytest.approx(every[row], abs=1e-9)
        assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)
        agreed += len({row for row, _ in found[:10]} & set(list(every)[:10]))
    assert agreed >= 0.97 * 600


def test_frequent_words_do_not_choose_where_rare_ones_find_enough(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_ranking, "SCORED", 400)
    monkeypatch.setattr(word_ranking, "ENOUGH", 10)
    asked: list[str] = []
    scored = word_ranking._scored

    def watched(
        db: sqlite3.Connection, expression: str, among: RowMask | None
    ) -> word_ranking.Scored:
        asked.append(expression)
        return scored(db, expression, among)

    monkeypatch.setattr(word_ranking, "_scored", watched)
    ranked(db, ['"w0"', '"w300"', '"w301"'], 50)

    assert sorted(asked[0].split(" OR ")) == ['"w300"', '"w301"']
    assert asked[1].endswith(') AND "w0"')


@pytest.mark.parametrize("phrases", [['"w0"'], ['"w0"', '"w1"'], ['"w0"', '"nowhere"']])
def test_frequent_words_choose_where_there_are_no_others(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, phrases: list[str]
) -> None:
    monkeypatch.setattr(word_ranking, "SCORED", 100)
    monkeypatch.setattr(word_ranking, "ENOUGH", 50_000)

    found = ranked(db, phrases, 50_000)

    every = full(db, phrases)
    assert [row for row, _ in found] == [row for row, _ in every]
    np.testing.assert_allclose([s for _, s in found], [s for _, s in every], atol=1e-9)


def test_only_some_passages_are_found_and_all_count(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = np.arange(500, 2500, 3)
    for limit in (400, 100_000):
        monkeypatch.setattr(word_ranking, "SCORED", limit)
        monkeypatch.setattr(word_ranking, "ENOUGH", 50_000)
        for phrases in questions(10):
            found = ranked(db, phrases, 50_000, RowMask.of(rows))
            held = set(rows.tolist())
            every = [(row, score) for row, score in full(db, phrases) if row in held]
            assert dict(found).keys() == dict(every).keys()
            np.testing.assert_allclose([s for _, s in found], [s for _, s in every], atol=1e-9)


def test_nothing_is_found_for_no_words_and_unknown_ones(db: sqlite3.Connection) -> None:
    assert ranked(db, [], 5) == ranked(db, ['"nowhere"'], 5) == []
    assert ranked(db, ['"w0"'], 5, RowMask.of(np.empty(0, np.int64))) == []


def test_counting_stops(db: sqlite3.Connection) -> None:
    assert matches(db, '"w0"', 10) == 11
    assert matches(db, '"nowhere"', 10) == 0
