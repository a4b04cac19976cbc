"""Answers of the GraphRAG baseline in the form of those of ``ask``."""

from __future__ import annotations

from dataclasses import dataclass

from ragcli.asking.ask import AskResult, token_counter, verify
from ragcli.config import Settings
from ragcli.papers.graphrag import GraphRag, ranking
from ragcli.retrieve import Mode, retrieve, understand
from ragcli.retrieve.context import fit
from ragcli.stage_timer import StageTimer
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Answer, Context, Reply

GRAPHRAG = "graphrag"
"""The mode that answers from reports on communities."""


@dataclass(frozen=True, slots=True)
class ReportsAsker:
    """Answers questions from the reports of a baseline."""

    baseline: GraphRag
    settings: Settings

    def __call__(self, asked: AskedQuestion, answer: bool) -> AskResult:
        """Answer a question; ``answer`` False: only find the passages behind the answers."""
        index, helpers = self.baseline.index, self.baseline.helpers
        clock = StageTimer()
        with clock.stage("retrieve"):
            question = understand(index.snapshot, asked, helpers.encode)
            partial = self.baseline.partial_answers(question)
            # All of them, whatever number of hits is asked for.
            mode = Mode(GRAPHRAG, lambda *_: ranking(partial))
            found = retrieve(index, question, mode, self.settings.top_k, helpers)
        with clock.stage("answer"):
            reply = self.baseline.reply(asked, partial) if answer else Reply("", (), "none")
            verify(index.snapshot, reply)
        count = token_counter(self.settings)
        tokens = sum(count(one.report.text) for one in partial)
        timings = {k: v * 1000 for k, v in clock.stages.items()} | {"total": clock.total * 1000}
        timings = {k: round(v, 2) for k, v in timings.items()}
        generation = index.snapshot.generation
        shown = Answer(
            asked.text, GRAPHRAG, reply, found.hits, found.names, tokens, timings, generation
        )
        context = fit(found.hits, self.settings.budget, count) if answer else Context((), 0)
        return AskResult(shown, found, context)
