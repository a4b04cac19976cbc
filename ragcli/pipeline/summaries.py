"""Profiles of much-described things, summed up by a language model.

A commit holds the store's only write lock, and a model takes its time. So a commit is rehearsed
first, to learn what there is to sum up; the model is asked with the store free for others, and
each of its replies is kept as it comes; then the commit finds them all there.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragcli.answer import BIG_ENOUGH
from ragcli.corpus.sentences import sentences
from ragcli.graph.profile import SUMMARY, Fragments, extractive
from ragcli.graph.summary import SummarySettings, summarise
from ragcli.models.completion import Completer, Prompt
from ragcli.types import Event, Report

SYSTEM = """\
You write entries of an encyclopedia. You are given a name and notes on it from several documents.
Write one paragraph of plain sentences that says all that the notes say, each thing once. Add
nothing that they do not say; where they disagree, say so. Begin with the name."""

MAX_TOKENS = 320
# Tokens that a chat template may put around the two messages.
_FRAME = 64


class ModelSummaries:
    """Summaries by a model: called with fragments, it gives what it has, and notes what it lacks.

    ``model`` must keep its replies, so that what was paid for once is there in the next run.
    """

    def __init__(self, model: Completer) -> None:
        self._model = model
        self._known: dict[Prompt, tuple[str, str]] = {}
        self._missing: dict[Prompt, Fragments] = {}

    def __call__(self, many: Sequence[Fragments]) -> list[tuple[str, str]]:
        """(text, what wrote it) of each; extractive where the model has not been asked yet."""
        out = []
        for parts in many:
            prompt = self._prompt(parts)
            if prompt not in self._known:
                self._missing[prompt] = parts
            out.append(self._known.get(prompt) or (extractive(parts, sentences), "extractive"))
        return out

    def ask(self, report: Report) -> None:
        """Ask the model for all that was missing."""
        prompts = list(self._missing)
        by = f"llm {self._model.fingerprint}"
        for done, (at, reply) in enumerate(self._model.complete(prompts)):
            report(Event("profiles", done, len(prompts)))
            text = " ".join(reply.text.split())
            if text and reply.finish == "stop":
                self._known[prompts[at]] = (text, by)
            else:
                # A cut or looping reply is no profile, and would be none the next time.
                parts = self._missing[prompts[at]]
                self._known[prompts[at]] = (extractive(parts, sentences), "extractive")
        self._missing.clear()

    def _prompt(self, parts: Fragments) -> Prompt:
        """The notes one by one; more than the model can read are first cut down to the central."""
        user = _message(parts.name, parts.texts)
        room = self._model.context - MAX_TOKENS - _FRAME - self._model.count_tokens(SYSTEM)
        size = self._model.count_tokens(user)
        if size > room:
            chars = max(len(user) * room // size * 3 // 4, SUMMARY.chars)
            shorter = SummarySettings(chars=chars, sentences=len(parts.texts), min_words=3)
            user = _message(parts.name, [summarise(parts.texts, sentences, shorter)])
        return Prompt(SYSTEM, user, MAX_TOKENS)


def _message(name: str, notes: Sequence[str]) -> str:
    return "\n".join([f"Name: {name}", "Notes:", *(f"- {note}" for note in notes)])


def summaries_by(model: Completer | None) -> ModelSummaries | None:
    """The model's summaries, None when it is too small: then it would write untrue things."""
    if model is None or model.parameters < BIG_ENOUGH:
        return None
    return ModelSummaries(model)
