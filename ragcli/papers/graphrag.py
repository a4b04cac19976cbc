"""A GraphRAG baseline (Edge et al. 2024): reports on communities, and answers by map and reduce.

Communities of the entity graph get reports. For a question, each report gives a partial answer with
a score (map), and the partial answers are joined, the best first (reduce). A language model writes
all three if one answers; otherwise all are sentences of the documents. Two limits keep a model of
1.5 billion weights usable: at most ``MOST_REPORTS`` reports, and of these only the ``MAPPED``
nearest to the question are mapped by a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ragcli.answer.candidates import Sentence
from ragcli.answer.extractive import compose
from ragcli.models.completion import Prompt
from ragcli.papers import graphrag_prompts as prompts
from ragcli.papers.community_reports import CommunityOutline, outlines
from ragcli.retrieve.base import Found, Helpers, Ranking
from ragcli.retrieve.question import Question
from ragcli.search.search_index import SearchIndex
from ragcli.store.replies import Remembering
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Event, Reply, Report

MAPPED = 10
"""Reports that a language model reads for a question. Without a model all are mapped."""

POINTS = 2
"""Sentences of a report that are its partial answer, without a model."""

MOST_CHARS = 1800
"""Length of an answer of sentences."""

SAME = 0.92
"""Cosine from which two sentences say the same."""

_CHARS_PER_TOKEN = 4

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """A report: ``points`` are its sentences, with their unit ``vectors`` (n, dim).

    Points by a model (``by`` "llm") are in its words; otherwise they are those of the outline.
    """

    outline: CommunityOutline
    title: str
    points: tuple[str, ...]
    vectors: Floats
    by: str

    @property
    def text(self) -> str:
        """The report as a map step reads it."""
        return "\n".join((self.title, *self.points))


@dataclass(frozen=True, slots=True)
class PartialAnswer:
    """What one report says to a question: score from 0 to 1, words, and sentences if not written.

    ``similarity`` of the report to the question orders equal scores.
    """

    report: CommunityReport
    score: float
    similarity: float
    text: str
    sentences: tuple[tuple[Sentence, Floats], ...] = ()


@dataclass(slots=True)
class StepCost:
    """Calls of the model and their tokens (prompts and replies), without cached replies."""

    calls: int = 0
    tokens: int = 0


@dataclass(slots=True)
class GraphRag:
    """Answers of reports on the communities of a store (``prepare``), and one made of them.

    ``cost`` of the model by step: "report", "map", "reduce".
    """

    index: SearchIndex
    helpers: Helpers
    model: Remembering | None = None
    reports: tuple[CommunityReport, ...] = ()
    cost: dict[str, StepCost] = field(
        default_factory=lambda: {step: StepCost() for step in ("report", "map", "reduce")}
    )

    def prepare(self, report: Report) -> None:
        """Make the reports, from all documents of the store."""
        found = list(outlines(self.index))
        texts = self._written(found, report)
        made = []
        for outline, (title, points, by) in zip(found, texts, strict=True):
            if points:
                made.append(CommunityReport(outline, title, points, self._encode(points), by))
            report(Event("communities", len(made), len(found)))
        self.reports = tuple(made)

    def _encode(self, texts: Sequence[str]) -> Floats:
        return (self.helpers.encode_passages or self.helpers.encode)(list(texts))

    def _asked(self, step: str, asked: Sequence[Prompt]) -> list[str]:
        """The model's replies in the order of the prompts; their cost counts to a step."""
        assert self.model is not None, "only called with a model"
        before = self.model.calls, self.model.tokens
        replies = {at: reply.text for at, reply in self.model.complete(asked)}
        self.cost[step].calls += self.model.calls - before[0]
        self.cost[step].tokens += self.model.tokens - before[1]
        return [replies[at] for at in range(len(asked))]

    def _written(
        self, found: Sequence[CommunityOutline], report: Report
    ) -> list[tuple[str, tuple[str, ...], str]]:
        """(title, points, by) of each report; the documents' sentences where a model fails."""
        plain = [(o.title, tuple(s.text for s in o.sentences)) for o in found]
        if self.model is None:
            return [(title, points, "extractive") for title, points in plain]
        out = []
        for done, (outline, (title, points)) in enumerate(zip(found, plain, strict=True)):
            report(Event("communities", done, len(found)))
            room = prompts.REPORT_INPUT * _CHARS_PER_TOKEN
            prompt = prompts.report_prompt(outline.heads, outline.facts, points, room)
            (reply,) = self._asked("report", [prompt])
            named, findings = prompts.read_report(reply)
            out.append((named, findings, "llm") if findings else (title, points, "extractive"))
        return out

    def partial_answers(self, question: Question) -> list[PartialAnswer]:
        """What the reports say to a question, as far as they help to answer it; best first."""
        vector = question.vector
        near = [(float(np.sort(r.vectors @ vector)[-POINTS:].mean()), r) for r in self.reports]
        near.sort(key=lambda one: (-one[0], one[1].title))
        if self.model is None:
            return [self._picked(report, vector, score) for score, report in near]
        near = near[:MAPPED]
        replies = self._asked("map", [prompts.map_prompt(question.asked, r.text) for _, r in near])
        said = [prompts.read_partial(reply) for reply in replies]
        partial = [
            PartialAnswer(report, score / prompts.MOST_SCORE, similarity, text)
            for (similarity, report), (score, text) in zip(near, said, strict=True)
            if score
        ]
        return sorted(partial, key=lambda one: (-one.score, -one.similarity, one.report.title))

    def _picked(self, report: CommunityReport, vector: Floats, score: float) -> PartialAnswer:
        """The sentences of a report that are nearest to the question."""
        nearest = np.argsort(-(report.vectors @ vector), kind="stable")[:POINTS]
        chosen = [(report.outline.sentences[at], report.vectors[at]) for at in nearest.tolist()]
        text = " ".join(sentence.text for sentence, _ in chosen)
        return PartialAnswer(report, max(score, 0.0), score, text, tuple(chosen))

    def reply(self, asked: AskedQuestion, partial: Sequence[PartialAnswer]) -> Reply:
        """One answer from the partial ones."""
        if not partial:
            why = f"{len(self.reports)} reports on communities; none helps to answer"
            return Reply("", (), "llm" if self.model else "extractive", abstained=True, note=why)
        if self.model is None:
            return compose(_joined(partial))
        notes = list(dict.fromkeys(one.text for one in partial))
        (reply,) = self._asked("reduce", [prompts.reduce_prompt(asked, notes)])
        return Reply(reply.strip(), (), "llm", abstained=not reply.strip())


def _joined(partial: Sequence[PartialAnswer]) -> list[Sentence]:
    """The sentences of partial answers, the best first, none that repeats an earlier one."""
    chosen: list[Sentence] = []
    said: list[Floats] = []
    left = MOST_CHARS
    for sentence, vector in (pair for one in partial for pair in one.sentences):
        repeated = any(float(vector @ other) >= SAME for other in said)
        if repeated or len(sentence.text) > left:
            continue
        chosen.append(sentence)
        said.append(vector)
        left -= len(sentence.text) + 1
    return chosen


def ranking(partial: Sequence[PartialAnswer]) -> Ranking:
    """The passages behind the partial answers, each once, the best report's first."""
    found: dict[int, Found] = {}
    for one in partial:
        for row in one.report.outline.passages:
            found.setdefault(row, Found(None, row, one.score, f"report: {one.report.title}"))
    return Ranking(list(found.values()))
