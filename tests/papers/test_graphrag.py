"""The GraphRAG baseline: reports, map and reduce, with and without a language model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SAMPLE
from searching import Search, searching

from ragcli.asking import ask as asking
from ragcli.asking.ask import AskResult
from ragcli.config import Settings
from ragcli.errors import InputError
from ragcli.evaluate.evaluate import EvalRequest, EvalResult, evaluate
from ragcli.evaluate.from_reports import ReportsAsker
from ragcli.indexing.index import index
from ragcli.indexing.request import IndexRequest
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.papers import mode_called
from ragcli.papers.community_reports import (
    LEAST_MEMBERS,
    MOST_REPORTS,
    PASSAGES,
    CommunityOutline,
    outlines,
)
from ragcli.papers.graphrag import MAPPED, MOST_CHARS, GraphRag
from ragcli.papers.graphrag_prompts import map_prompt, read_partial, read_report, report_prompt
from ragcli.search.search_index import SearchIndex
from ragcli.store.replies import Remembering, replies_in
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Scope, silent

QUESTION = "How do avalanches threaten the railway?"
SETTINGS = Settings(answer="extractive", workers=1)


@pytest.fixture(scope="module")
def search(sample_store: Path) -> Iterator[Search]:
    with searching(sample_store, SETTINGS) as opened:
        yield opened


class Reporting:
    """A model for all three steps; a report on the railway helps, and no other does."""

    parameters, context, fingerprint = 10**9, 4096, "reporting"

    def __init__(self) -> None:
        self.asked: list[Prompt] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        for at, prompt in reversed(list(enumerate(prompts))):
            self.asked.append(prompt)
            yield at, Completion(self.says(prompt), "stop", 100, 7)

    def says(self, prompt: Prompt) -> str:
        if prompt.user.startswith("Names:"):
            names = prompt.user.partition("\n")[0]
            return f"On {names[7:40]}\n{names[7:60]} matter here.\nThey belong together.\nAnd th"
        if "\n\nReport:\n" in prompt.user:
            helps = "Gallery" in prompt.user or "Ravoire" in prompt.user
            return "Score: 7\nThe line lies below the gullies." if helps else "Score: 0"
        return "Avalanches reach the line in several places. "


class Unhelpful(Reporting):
    """Writes no report and finds nothing in any."""

    def says(self, prompt: Prompt) -> str:
        return "" if prompt.user.startswith("Names:") else "Score: 0"


def answered(baseline: GraphRag, answer: bool = True) -> AskResult:
    """The answer to the question, as ``eval`` asks it."""
    return ReportsAsker(baseline, SETTINGS)(AskedQuestion(QUESTION), answer)


def shown(index: SearchIndex, outline: CommunityOutline) -> tuple[object, ...]:
    """All of an outline that a user may see, without rows and ranks."""
    said = [(s.part.doc, s.start, s.end, s.text) for s in outline.sentences]
    hits = [index.passage_hit(row, 0.0, 1, ()) for row in outline.passages]
    places = [(hit.doc, hit.start, hit.end) for hit in hits]
    return (outline.title, outline.level, outline.size, outline.heads, outline.facts, said, places)


def test_outlines_of_the_sample_corpus(search: Search) -> None:
    """Several levels, no title twice, sentences that stand in their documents."""
    found = list(outlines(search.index))
    assert 10 <= len(found) <= MOST_REPORTS and {o.level for o in found} >= {1}
    assert len({o.title for o in found}) == len(found)
    for one in found:
        assert one.size >= LEAST_MEMBERS and len(one.passages) <= PASSAGES
        assert one.facts and one.sentences
        for sentence in one.sentences:
            text = search.snapshot.documents.text(sentence.part.doc, sentence.start, sentence.end)
            assert " ".join(text.split()).endswith(sentence.text[-20:])
    coarse = list(outlines(search.index, 6))
    assert len(coarse) <= 6 and {o.level for o in coarse} == {0}
    parts = [s.part.n for o in found for s in o.sentences]
    assert parts == sorted(parts)  # no number stands for parts of two reports


def test_an_update_ends_where_a_fresh_index_does(tmp_path: Path) -> None:
    """Documents that came in another order, one of them changed: the same reports."""
    docs = tmp_path / "docs"
    docs.mkdir()
    files = sorted(SAMPLE.rglob("*.md"))[:6]
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    stores = tmp_path / "one", tmp_path / "other"
    *early, late = sorted(texts, reverse=True)
    for name in early:
        (docs / name).write_text(texts[name], encoding="utf-8")
    changed = docs / early[0]
    changed.write_text("Ann met Bob in Rome. Ann and Bob left Rome.", encoding="utf-8")
    index(IndexRequest(stores[0], (docs,)), SETTINGS)
    changed.write_text(texts[early[0]], encoding="utf-8")
    (docs / late).write_text(texts[late], encoding="utf-8")
    made = []
    for store in stores:
        index(IndexRequest(store, (docs,)), SETTINGS)
        with searching(store, SETTINGS) as opened:
            made.append([shown(opened.index, one) for one in outlines(opened.index)])
    assert made[0] == made[1] and len(made[0]) > 3


def test_sentences_answer_without_a_model(search: Search) -> None:
    """The best reports' sentences, cited to the character; several reports, within the limit."""
    baseline = GraphRag(search.index, search.helpers)
    baseline.prepare(silent)
    result = answered(baseline)
    reply = result.answer.reply
    assert reply.by == "extractive" and 0 < len(reply.text) < MOST_CHARS * 1.2
    assert len({c.doc for c in reply.citations}) > 2 and "avalanche" in reply.text.lower()
    hits = result.answer.hits
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({(hit.doc, hit.start) for hit in hits}) == len(hits)
    assert answered(baseline, answer=False).answer.reply.text == ""
    assert baseline.cost["map"].calls == baseline.cost["reduce"].calls == 0


def test_a_model_writes_all_three_steps(search: Search) -> None:
    """A report each, MAPPED partial answers, one answer from those that help; kept replies."""
    model = Reporting()
    with replies_in(None) as replies:
        baseline = GraphRag(search.index, search.helpers, Remembering(model, replies))
        baseline.prepare(silent)
        made = len(baseline.reports)
        assert all(r.by == "llm" and r.title.startswith("On ") for r in baseline.reports)
        assert all(r.points[-1] == "They belong together." for r in baseline.reports)
        result = answered(baseline)
        assert result.answer.reply.text == "Avalanches reach the line in several places."
        cost = {step: (one.calls, one.tokens) for step, one in baseline.cost.items()}
        assert cost == {
            "report": (made, 107 * made),
            "map": (MAPPED, 107 * MAPPED),
            "reduce": (1, 107),
        }
        asked = model.asked
        assert asked[-1].user.count("- The line lies below the gullies.") == 1
        helped = {hit.via[0].note for hit in result.answer.hits}
        assert 0 < len(helped) < MAPPED
        again = GraphRag(search.index, search.helpers, Remembering(model, replies))
        again.prepare(silent)
        assert answered(again).answer.reply == result.answer.reply
        assert len(asked) == made + MAPPED + 1


def test_where_the_model_fails_sentences_stay(search: Search) -> None:
    """A report of sentences for an empty one; no partial answer, no answer."""
    with replies_in(None) as replies:
        baseline = GraphRag(search.index, search.helpers, Remembering(Unhelpful(), replies))
        baseline.prepare(silent)
        assert {r.by for r in baseline.reports} == {"extractive"}
        result = answered(baseline)
    assert result.answer.reply.abstained and not result.answer.hits
    assert "none helps" in result.answer.reply.note and baseline.cost["reduce"].calls == 0


def quality(result: EvalResult) -> list[tuple[object, ...]]:
    return [(o.case, o.mode, o.ranks, o.text) for o in result.evaluation.outcomes]


def test_eval_has_the_mode(
    own_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside another mode, first of sentences, then by a model whose replies are kept."""
    questions = SAMPLE / "questions.jsonl"
    request = EvalRequest(
        own_store, questions, ("naive", "graphrag"), (2, 5), answers=True, sample=3
    )
    plain = evaluate(request, SETTINGS)
    said = [o.text for o in plain.evaluation.outcomes if o.mode == "graphrag"]
    assert len(said) == 3 and all(said) and plain.evaluation.settings.facts["report_calls"] == 0
    model = Reporting()
    monkeypatch.setattr(asking, "answerer", lambda _settings: ("llm", model))
    request = replace(request, modes=("graphrag",), out=tmp_path / "out")
    written = evaluate(request, replace(SETTINGS, answer="llm"))
    facts = written.evaluation.settings.facts
    assert facts["reports"] == facts["report_calls"] == plain.evaluation.settings.facts["reports"]
    assert facts["map_calls"] == 3 * MAPPED
    calls = len(model.asked)
    again = evaluate(replace(request, out=tmp_path / "new"), replace(SETTINGS, answer="llm"))
    assert quality(again) == quality(written) and again.kept == 0 and len(model.asked) == calls


def test_refused_in_a_scope_and_in_ask(search: Search) -> None:
    """Reports show what all documents say; ask has the strategies only."""
    request = EvalRequest(
        search.snapshot.store,
        SAMPLE / "questions.jsonl",
        ("graphrag",),
        scope=Scope(types=("md",)),
    )
    with pytest.raises(InputError, match="made from all documents"):
        evaluate(request, SETTINGS)
    with pytest.raises(InputError, match="baseline for ragcli eval only"):
        mode_called("graphrag")


def test_prompts_hold_what_fits() -> None:
    """The names always, then facts and sentences in order; replies are read with their cut ends."""
    prompt = report_prompt(["Ann", "Bob"], ["Ann – Bob: x"], ["One.", "Two is longer."], 60)
    assert prompt.user == "Names: Ann, Bob\nFacts:\nAnn – Bob: x\nSentences:\nOne."
    assert "Who?" in map_prompt(AskedQuestion("Who? "), "T\nOne.").user
    assert read_report("") == ("", ()) and read_report("Only a title") == ("", ())
    assert read_report("T\nOne.\nOne.\nTwo.") == ("T", ("One.", "Two."))
    assert read_partial("Score: 12\nMuch.") == (10, "Much.") and read_partial("Score: 5") == (0, "")
