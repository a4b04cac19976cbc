"""Which numbers a case allows, and what they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragcli.evaluate.cases import Case, GoldEvidence
from ragcli.evaluate.score import lower_is_better, names, score
from ragcli.types import Reply

from .makers import answer, case, citation, hit, hits


def test_only_what_has_a_meaning() -> None:
    """A bare question gives costs only."""
    scores = score(Case("q", "?"), answer(hits("a"), total=9.0), (1, 2), answers=False, pick=None)
    assert scores == {"context_tokens": 100.0, "redundancy": 0.0, "total_ms": 9.0}


def test_every_name_is_known() -> None:
    """Whatever is scored, its name is listed, so tables and thresholds know it."""
    evidence = (GoldEvidence("a", quote="x y"), GoldEvidence(title="T"))
    full = Case("q", "?", ("x y",), evidence, source="a")
    found = [hit("a", 1, "x y")]
    reply = answer(found, "x y [1]", [citation("a", "x y")], retrieve=1, answer=2, total=3)
    scores = score(full, reply, (1, 5), answers=True, pick=None)
    assert set(scores) <= set(names((1, 5)))
    sentences = {"supported", "sentences_written", "sentences_kept"}
    missing = {"accuracy", "abstained_unanswerable", *sentences}
    assert set(names((1, 5))) - set(scores) == missing
    assert scores["recall@1"] == 0.5 and scores["quote_perfect@1"] == 1.0
    assert scores["answer_recall@1"] == 1.0 and scores["source@5"] == 1.0
    assert scores["em"] == 1.0 and scores["citation_precision"] == 1.0
    assert scores["citation_recall"] == 0.5


def test_choices_have_accuracy_and_no_f1() -> None:
    """The words pick a choice, or what was picked by other means counts."""
    asked = case("q", choices=("red", "blue"), answers=("blue",))
    words = score(asked, answer(text="It is blue [1]."), (1,), answers=True, pick=None)
    letters = score(asked, answer(text="It is blue [1]."), (1,), answers=True, pick=0)
    assert words["accuracy"] == 1.0 and letters["accuracy"] == 0.0
    assert "f1" not in words


def test_abstaining_is_right_where_there_is_no_answer() -> None:
    """The two kinds of abstention are told apart; an unanswerable case has no F1."""
    asked = case("q", answerable=False)
    silent = score(asked, answer(), (1,), answers=True, pick=None)
    assert silent["abstained"] == silent["abstained_unanswerable"] == 1.0
    spoken = score(case("q", answers=("x",)), answer(text="x"), (1,), answers=True, pick=None)
    assert spoken["abstained_answerable"] == 0.0
    assert "f1" not in silent and spoken["f1"] == 1.0


def test_abstaining_costs_recall_but_has_no_precision() -> None:
    """Nothing cited: citation recall is 0, precision has no meaning."""
    scores = score(case("q", "a"), answer(hits("a")), (1,), answers=True, pick=None)
    assert scores["citation_recall"] == 0.0
    assert "citation_precision" not in scores


def test_of_what_a_model_wrote_the_share_that_is_borne_out_counts() -> None:
    """Three sentences, one cut. Nothing written: no share. Who quotes has none of the three."""
    wrote = replace(answer(text="A [1]."), reply=Reply("A [1].", (), "llm", written=3, kept=2))
    scores = score(case("q"), wrote, (1,), answers=True, pick=None)
    assert scores["supported"] == pytest.approx(2 / 3)
    assert (scores["sentences_written"], scores["sentences_kept"]) == (3.0, 2.0)
    mute = replace(wrote, reply=Reply("", (), "llm", abstained=True))
    scores = score(case("q"), mute, (1,), answers=True, pick=None)
    assert scores["sentences_written"] == 0.0 and "supported" not in scores
    quoted = score(case("q"), answer(text="A [1]."), (1,), answers=True, pick=None)
    assert not {"supported", "sentences_written", "sentences_kept"} & set(quoted)


def test_source_is_a_share_of_the_hits_there_are() -> None:
    """One of two hits is from the source; fewer hits than k do not count against it."""
    asked = Case("q", "?", source="a.txt")
    scores = score(asked, answer(hits("x/a.txt", "b")), (1, 2, 9), answers=False, pick=None)
    assert [scores[f"source@{k}"] for k in (1, 2, 9)] == [1.0, 0.5, 0.5]


def test_yes_and_no_are_not_looked_for() -> None:
    """Whether a text holds "no" says nothing."""
    scores = score(case("q", answers=("no",)), answer(hits("a")), (1,), answers=False, pick=None)
    assert "answer_recall@1" not in scores


@pytest.mark.parametrize("name", ["recall@5", "f1", "abstained_unanswerable"])
def test_higher_is_better_but_for_costs(name: str) -> None:
    """Costs and wrong silence are better low."""
    assert not lower_is_better(name)
    assert lower_is_better("total_ms") and lower_is_better("abstained_answerable")
