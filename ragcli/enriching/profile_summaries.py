"""Profiles with many fragments, summarised by a language model.

A commit holds the store's only write lock, and a model is slow. A commit therefore summarises new
profiles by their own sentences first. After all chunks are read, the model is asked without the
write lock, and each reply is kept as it comes. A second commit writes the model's summaries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from ragcli.enriching.profiles import ProfileText, by_sentences, profile_texts
from ragcli.extract.llm.hybrid import WRITES_FROM
from ragcli.graph.profile import SUMMARY, Fragments
from ragcli.graph.summary import SummarySettings, summarise
from ragcli.models.completion import Completer, Prompt, Watch
from ragcli.models.model_set import ModelSet
from ragcli.stage_timer import has_passed
from ragcli.store.writer import StoreWriter
from ragcli.text.durations import about
from ragcli.text.sentences import sentences
from ragcli.text.support import DESCRIPTION_SUPPORT, SourceText, support
from ragcli.text.words import DESCRIPTION_WORDS
from ragcli.types import Event, Report

SYSTEM = """\
You write entries of an encyclopedia. You are given a name and notes on it from several documents.
Write one paragraph of plain sentences that says all that the notes say, each thing once. Add
nothing that they do not say; where they disagree, say so. Begin with the name."""

MAX_TOKENS = 320
# Tokens that a chat template may put around the two messages.
_FRAME = 64


class ModelSummaries:
    """Summaries by a model: a call returns what is known and notes what is missing.

    ``model`` must keep its replies, so that the next run finds them.
    """

    def __init__(self, model: Completer) -> None:
        self._model = model
        self._by = f"llm {model.fingerprint}"
        self._in_vain = f"extractive for {self._by}"
        self._known: dict[Prompt, ProfileText] = {}
        self._missing: dict[Prompt, Fragments] = {}

    def __call__(self, many: Sequence[Fragments]) -> list[ProfileText]:
        """The text of each; extractive where the model has not been asked yet."""
        out = []
        for parts in many:
            prompt = self._prompt(parts)
            if prompt not in self._known:
                self._missing[prompt] = parts
            out.append(self._known.get(prompt) or by_sentences(parts))
        return out

    @property
    def marks(self) -> tuple[str, str]:
        """The values of ``by`` of profiles that this model has been asked for."""
        return self._by, self._in_vain

    def ask(self, report: Report, deadline: float | None = None) -> int:
        """Ask for what was missing, nothing more after ``deadline`` (``time.monotonic``).

        Returns how many were answered.
        """
        prompts = list(self._missing)
        in_time = takewhile(lambda _: not has_passed(deadline), prompts)
        answered = 0
        watch = Watch(deadline, lambda now: report(_progress(now, len(prompts))))
        for at, reply in self._model.complete(in_time, watch):
            answered += 1
            report(Event("profiles", answered, len(prompts)))
            parts = self._missing.pop(prompts[at])
            text = supported_part(reply.text, parts) if reply.finish == "stop" else ""
            if text:
                self._known[prompts[at]] = ProfileText(text, self._by)
            else:
                # A cut, looping or unsupported reply would be the same the next time.
                self._known[prompts[at]] = replace(by_sentences(parts), by=self._in_vain)
        return answered

    def _prompt(self, parts: Fragments) -> Prompt:
        """The notes one by one; only the central sentences when they exceed the context."""
        user = _message(parts.name, parts.texts)
        room = self._model.context - MAX_TOKENS - _FRAME - self._model.count_tokens(SYSTEM)
        size = self._model.count_tokens(user)
        if size > room:
            chars = max(len(user) * room // size * 3 // 4, SUMMARY.chars)
            shorter = SummarySettings(chars=chars, sentences=len(parts.texts), min_words=3)
            user = _message(parts.name, [summarise(parts.texts, shorter)])
        return Prompt(SYSTEM, user, MAX_TOKENS)


def _progress(watch: Watch, total: int) -> Event:
    """Where the model is: replies, and the tokens that it has written of those under way."""
    note = f"{watch.written:,} tokens written"
    if watch.replies:
        # Replies under way are done in part.
        done = watch.replies + max(watch.written - watch.replied, 0) / MAX_TOKENS
        spent = watch.reading + watch.writing
        note += f", {about(spent / done * max(total - done, 0.0))} left"
    return Event("profiles", watch.replies, total, note)


def supported_part(text: str, parts: Fragments) -> str:
    """The sentences of a summary that the notes support: they hold its numbers and most of its
    words; "" when that is less than half of the summary."""
    notes = SourceText(" ".join((parts.name, *parts.texts)), DESCRIPTION_WORDS)
    text = " ".join(text.split())
    said = [text[start:end].strip() for start, end in sentences(text)]
    kept = " ".join(s for s in said if support(s, notes, "numbers") >= DESCRIPTION_SUPPORT)
    return kept if 2 * len(kept) >= len(text) else ""


def _message(name: str, notes: Sequence[str]) -> str:
    return "\n".join([f"Name: {name}", "Notes:", *(f"- {note}" for note in notes)])


def summaries_by(model: Completer) -> ModelSummaries | None:
    """The model's summaries; None for a model that does not write freely in other modes either
    (docs/adr/llm-extraction.md)."""
    return ModelSummaries(model) if model.parameters >= WRITES_FROM else None


def sum_up(
    store: StoreWriter,
    models: ModelSet,
    summaries: ModelSummaries,
    show: Callable[[ModelSummaries], None],
    report: Report,
    deadline: float | None = None,
) -> int:
    """Have the model write all waiting profiles until ``deadline``; returns how many still wait.

    ``show`` commits the summaries; it is not called when the model answered nothing.
    """
    look_through(store, models, summaries, summaries.marks)
    try:
        answered = summaries.ask(report, deadline)
    except (KeyboardInterrupt, SystemExit):
        show(summaries)
        raise
    if answered:
        show(summaries)
    return store.profiles.waiting(summaries.marks)


def look_through(
    store: StoreWriter, models: ModelSet, summaries: ModelSummaries, marks: Sequence[str] = ()
) -> None:
    """Let ``summaries`` note what is missing, of the profiles whose ``by`` is not in ``marks``."""
    touched = store.profiles.touched()
    touched.gather_waiting(marks)
    profile_texts(models, list(touched.entities()), list(touched.pairs()), summaries)
