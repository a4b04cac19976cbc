"""The sets under ``bench`` are what they say: counts, kinds, and evidence that stands there."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SAMPLE

from ragcli.corpus.read import read
from ragcli.corpus.scan import scan
from ragcli.types import Skipped

BENCH = ROOT / "bench"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_claims_are_counted_by_kind_and_cite_the_sample_corpus() -> None:
    claims = lines(BENCH / "claims.jsonl")
    texts = {
        document.id: document.text
        for source in scan([SAMPLE]).sources
        for document in read(source)
        if not isinstance(document, Skipped)
    }

    assert Counter(claim["label"] for claim in claims) == {
        "true": 100,
        "swapped": 50,
        "other": 50,
        "negated": 50,
        "unsupported": 50,
    }
    assert len({claim["id"] for claim in claims}) == 300
    assert len({(claim["question"], claim["sentence"]) for claim in claims}) == 300
    for claim in claims:
        (evidence,) = claim["evidence"]
        assert evidence["quote"] in texts[evidence["doc"]], claim["id"]


def test_technical_questions_are_whole() -> None:
    asked = lines(BENCH / "technical" / "questions.jsonl")

    assert len({one["id"] for one in asked}) == len({one["question"] for one in asked}) == 80
    assert sum(one["type"] == "unanswerable" for one in asked) == 15
    assert sum(one["type"].endswith("+typo") for one in asked) == 5
    for one in asked:
        assert (one["type"] == "unanswerable") == (one.get("answerable") is False), one["id"]
        assert ("answer" in one) == one.get("answerable", True), one["id"]
        for evidence in one.get("evidence", []):
            assert evidence["line"] > 0, one["id"]
            assert 0 < len(evidence["quote"]) <= 100, one["id"]


@pytest.mark.skipif(
    "RAGCLI_TECHNICAL" not in os.environ,
    reason="RAGCLI_TECHNICAL names no folder that bench/technical/collect.py filled",
)
def test_quotes_of_technical_questions_stand_in_their_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCH / "technical"), *sys.path])
    import check

    found = check.texts(Path(os.environ["RAGCLI_TECHNICAL"]))

    assert [fault for one in check.questions() for fault in check.faults(one, found)] == []


def test_questions_without_an_answer_name_their_set() -> None:
    """Each once, without an answer, for a set whose texts it is about."""
    asked = lines(BENCH / "unanswerable.jsonl")
    assert len({one["id"] for one in asked}) == len({one["question"] for one in asked}) == 65
    assert {one["set"] for one in asked} == {"hotpotqa-100", "musique-100", "novels", "technical"}
    assert all(one["answer"] is None and one["question"].endswith("?") for one in asked)
