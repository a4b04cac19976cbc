"""The model that ``bench/costs.py`` counts with answers in the forms that are asked for."""

from __future__ import annotations

import sys

import pytest
from conftest import ROOT

from ragcli.extract.llm.light import Asked, extract
from ragcli.models.completion import Completion, Prompt
from ragcli.papers.decompose import decompose_prompt, parts_of
from ragcli.papers.graphrag_prompts import map_prompt, read_partial, read_report, report_prompt
from ragcli.papers.hyde import hyde_prompt
from ragcli.papers.keywords import GRAMMAR, from_reply
from ragcli.text.asked_question import AskedQuestion

# At the end: bench has a file of the name of a library, llm.
sys.path.append(str(ROOT / "bench"))

import costs

TEXT = "Ann Vale met Bob Stone in Port Vale. Bob Stone left Port Vale for Rome with Cid Marsh."


def test_what_it_says_is_understood() -> None:
    """Keywords, parts of a question, a report, a partial answer, a passage."""
    question = "Who met Bob Stone?"
    given = from_reply(costs.says(Prompt("", question, 100, GRAMMAR)))
    assert given is not None and given.low and given.high
    assert (
        len(
            parts_of(costs.says(decompose_prompt(AskedQuestion(question))), AskedQuestion(question))
        )
        == 2
    )
    title, findings = read_report(costs.says(report_prompt(["Ann", "Bob"], [], [TEXT], 900)))
    assert title and len(findings) == 3
    assert read_partial(costs.says(map_prompt(AskedQuestion(question), TEXT)))[0] == 6
    assert costs.says(hyde_prompt(AskedQuestion(question)))


def test_entities_it_lists_are_kept() -> None:
    """Two calls for a chunk: what it lists, and nothing more when asked for what was missed."""
    job = extract(TEXT, "", Asked(("other",), 4096, 1, len), named=True, by="counting")
    prompts, calls = next(job), 0
    with pytest.raises(StopIteration) as ended:
        while True:
            calls += len(prompts)
            prompts = job.send([Completion(costs.says(p), "stop", 1, 1) for p in prompts])
    found = ended.value.value
    assert calls == 2 and len(found.entities) >= 3 and found.relations and not found.problem


def test_calls_and_tokens_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of prompts with their instructions, and of replies."""
    monkeypatch.setattr(costs, "token_counter", lambda _settings: lambda text: len(text.split()))
    model = costs.Counting()
    with model.counted() as cost:
        replies = dict(model.complete([Prompt("Say it.", "one two", 8), Prompt("", "three", 8)]))
    assert (cost.calls, cost.tokens) == (2, 4 + 2 + 1 + 1)
    assert [replies[at].text for at in (0, 1)] == ["one two", "three"]
