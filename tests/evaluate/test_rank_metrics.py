"""Retrieval metrics against trec_eval (by ir_measures), by hand, and by their laws."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.evaluate import matching, rank_metrics
from ragcli.evaluate.cases import Case, GoldEvidence

from .makers import citation, hit, hits

NAMES = [f"d{n}" for n in range(12)]
RUNS = st.lists(st.sampled_from(NAMES), unique=True, max_size=12)
GRADES = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3), min_size=1, max_size=8)


def ranks_of(grades: dict[str, int], run: list[str]) -> matching.Ranks:
    """Rank the wanted documents in a run, as an evaluation does."""
    return matching.document_ranks([GoldEvidence(name) for name in grades], hits(*run))


@given(GRADES, RUNS, st.sampled_from([1, 3, 5, 10]))
def test_equal_to_trec_eval(grades: dict[str, int], run: list[str], k: int) -> None:
    """recall@k, nDCG@k and MRR are those of trec_eval, graded relevance included."""
    ir = pytest.importorskip("ir_measures")
    wanted = [ir.Qrel("q", name, grade) for name, grade in grades.items()]
    scored = [ir.ScoredDoc("q", name, 1 / rank) for rank, name in enumerate(run, 1)]
    if not scored:
        return
    measures = [ir.R @ k, ir.nDCG @ k, ir.RR]
    expected = ir.calc_aggregate(measures, wanted, scored)
    ranks = ranks_of(grades, run)
    assert rank_metrics.recall(ranks, k) == pytest.approx(expected[measures[0]])
    assert rank_metrics.ndcg(ranks, list(grades.values()), k) == pytest.approx(
        expected[measures[1]]
    )
    assert rank_metrics.reciprocal_rank(ranks) == pytest.approx(expected[measures[2]])


@given(GRADES, RUNS)
def test_laws(grades: dict[str, int], run: list[str]) -> None:
    """All lie in 0..1; perfect@k <= recall@k; recall and perfect never fall as k grows."""
    ranks, gains = ranks_of(grades, run), list(grades.values())
    last = (0.0, 0.0)
    for k in range(1, 14):
        now = (rank_metrics.recall(ranks, k), rank_metrics.perfect(ranks, k))
        assert 0 <= now[1] <= now[0] <= 1
        assert 0 <= rank_metrics.ndcg(ranks, gains, k) <= 1
        assert now[0] >= last[0] and now[1] >= last[1]
        last = now
    assert (rank_metrics.reciprocal_rank(ranks) > 0) == (rank_metrics.recall(ranks, 99) > 0)


@given(st.lists(st.none() | st.integers(1, 5), min_size=1, max_size=6), st.integers(1, 6))
def test_shared_ranks_stay_in_range(ranks: list[int | None], k: int) -> None:
    """Several quotes in one hit share its rank; nDCG still does not pass 1."""
    assert 0 <= rank_metrics.ndcg(tuple(ranks), [1] * len(ranks), k) <= 1


def test_by_hand() -> None:
    """Wanted b and d of a, b, c, d: found at 2 and 4."""
    ranks = matching.document_ranks(
        [GoldEvidence("b"), GoldEvidence("d")], hits("a", "b", "c", "d")
    )
    assert ranks == (2, 4)
    assert [rank_metrics.recall(ranks, k) for k in (1, 2, 4)] == [0.0, 0.5, 1.0]
    assert [rank_metrics.perfect(ranks, k) for k in (2, 3, 4)] == [0.0, 0.0, 1.0]
    assert rank_metrics.reciprocal_rank(ranks) == 0.5
    ideal = 1 + 1 / log2(3)
    assert rank_metrics.ndcg(ranks, [1, 1], 4) == pytest.approx((1 / log2(3) + 1 / log2(5)) / ideal)


def test_documents_count_once_at_their_best_rank() -> None:
    """Three hits of one document take one place in the ranking of documents."""
    found = hits("a", "a", "a", "b")
    assert [h.rank for h in matching.documents(found[::-1])] == [1, 4]
    assert matching.document_ranks([GoldEvidence("b")], found) == (2,)


def test_ids_match_by_their_end() -> None:
    """A store above the set's folder, or a JSON Lines file, puts something before the id."""
    found = hits("x/corpus.jsonl#d10", "x/corpus.jsonl#d1", "x/notes/b.txt")
    wanted = [
        GoldEvidence("d1"),
        GoldEvidence("corpus.jsonl#d10"),
        GoldEvidence("b.txt"),
        GoldEvidence("0"),
    ]
    assert matching.document_ranks(wanted, found) == (2, 1, 3, None)


def test_titles_stand_in_for_ids() -> None:
    """Without ids, titles match without regard to case and spacing; an empty one never does."""
    found = [hit("1", 1, title=""), hit("2", 2, title="The  cat")]
    wanted = [GoldEvidence(title="the Cat"), GoldEvidence(title="dog"), GoldEvidence(quote="x")]
    assert matching.document_ranks(wanted, found) == (2, None, None)
    assert not matching.is_from(GoldEvidence(title=""), "1", "")


def test_two_quotes_of_one_document() -> None:
    """They are one document to find (with its best grade), and two quotes."""
    evidence = [
        GoldEvidence("a", quote="one  two", grade=1),
        GoldEvidence("a", quote="three", grade=3),
    ]
    assert matching.wanted_documents(evidence) == (GoldEvidence("a", grade=3),)
    assert len(matching.wanted_quotes([*evidence, GoldEvidence("a", quote="one two")])) == 2


def test_quotes_are_found_across_line_breaks() -> None:
    """Whitespace is squeezed on both sides; the first hit that holds the quote counts."""
    found = [hit("a", 1, "nothing"), hit("a", 2, "so one\n   two it"), hit("b", 3, "one two")]
    wanted = [GoldEvidence(quote="one two"), GoldEvidence(quote="one  three")]
    assert matching.quote_ranks(wanted, found) == (2, None)


def test_answers_in_hits() -> None:
    """The first hit with a gold answer counts; yes, no and whole sentences are not looked for."""
    found = [hit("a", 1, "In 1935."), hit("b", 2, "All 35 stores")]
    assert matching.answer_rank(["35"], found) == 2
    assert matching.findable(["Yes", "no.", "The", "Ann", "word " * 11]) == ("Ann",)


def test_citations_by_hand() -> None:
    """A quote inside the evidence's, or around it, counts; another quote of the document not."""
    evidence = [GoldEvidence("a", quote="the key is on the ring"), GoldEvidence("b")]
    cited = [
        citation("a", "key is  on the ring"),
        citation("a", "He said the key is on the ring."),
        citation("a", "something else"),
        citation("x/b", "whatever"),
    ]
    assert rank_metrics.citation_precision(cited, evidence, {}) == 0.75
    assert rank_metrics.citation_recall(cited, evidence, {}) == 1.0
    assert rank_metrics.citation_recall(cited[2:3], evidence, {}) == 0.0
    assert rank_metrics.citation_precision([], evidence, {}) is None
    assert (
        rank_metrics.citation_recall([citation("9", "y")], [GoldEvidence(title="T")], {"9": "t"})
        == 1.0
    )


def test_run_names_are_the_evidences_own() -> None:
    """A run names documents as the question set does, others by their id, each once."""
    case = Case("q", "?", evidence=(GoldEvidence("d1"), GoldEvidence(title="T")))
    found = [hit("c.jsonl#d1", 1), hit("7", 2, title="T"), hit("8", 3), hit("9", 4, title="t")]
    assert matching.run_names(case, found) == ("d1", "T", "8")
