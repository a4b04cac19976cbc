"""What it costs to have a language model read chunks: calls, tokens, and the time these take.

Before a run the prompts of some chunks are made and counted; a run then measures how many calls and
tokens a chunk really takes, and the store keeps that for the next estimate with the same method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from ragcli.extract.llm.job import Job, Method
from ragcli.models import BIG_MODEL_PARAMETERS
from ragcli.models.completion import Completer, Prompt, Watch

SAMPLE = 24
"""Chunks whose prompts are made to estimate those of all."""

_FRAME = 12  # tokens that a chat template puts around a prompt
# Tokens of a reply: of a light one for each token of its prompt, of a hybrid one.
_LIGHT_SHARE = 0.6
_HYBRID_REPLY = {True: 28.0, False: 8.0}  # by whether the model writes or copies


@dataclass(frozen=True, slots=True)
class ModelSpeed:
    """Tokens per second: of prompts, and of replies as they are written in a run."""

    read: float
    write: float


@dataclass(frozen=True, slots=True)
class ChunkCost:
    """What one chunk takes on average: calls, tokens of prompts to read, tokens to write."""

    calls: float
    read: float
    written: float

    def seconds(self, speed: ModelSpeed) -> float:
        """The time for one chunk.

        >>> ChunkCost(2, 1000, 200).seconds(ModelSpeed(100, 20))
        20.0
        """
        return self.read / speed.read + self.written / speed.write


_TRIAL = (
    "The ferry from {place} was late that morning, for the pilot had waited for the mail. Nobody "
    "on the quay complained. The harbour master wrote the hour into his book, closed the shutters "
    "and walked home past the nets, the boats and the long sheds in which herring was salted."
)
_PLACES = ("Skive", "Orlen", "Port Vale")
_TRIAL_TOKENS = 12
_LETTERS = "root ::= [a-z ]{60,80}"


def measure_speed(model: Completer) -> ModelSpeed:
    """Let a model read and write for a few seconds, three replies at once."""
    list(model.complete([Prompt("", "Hello.", 2, _LETTERS)]))  # brings the weights into memory
    watch = Watch()
    texts = [_TRIAL.format(place=place) for place in _PLACES]
    list(model.complete([Prompt("", text, _TRIAL_TOKENS, _LETTERS) for text in texts], watch))
    speed = measured_speed(watch)
    assert speed, "a grammar of at least 60 letters keeps the model from ending at once"
    return speed


NO_COST = ChunkCost(0, 0, 0)


def prompt_cost(jobs: Sequence[Job], method: Method) -> ChunkCost:
    """Estimate from the first prompts of some chunks; without any chunk it is all 0."""
    made = [_first_prompts(job, method) for job in jobs]
    if not made:
        return NO_COST
    return ChunkCost(*(fmean(column) for column in zip(*made, strict=True)))


def measured_cost(watch: Watch, calls: int, chunks: int) -> ChunkCost:
    """What a run of ``calls`` needed for each of ``chunks``."""
    return ChunkCost(calls / chunks, watch.read / chunks, watch.written / chunks)


def measured_speed(watch: Watch) -> ModelSpeed | None:
    """The speed in a run; None if it has read or written nothing yet."""
    if not (watch.reading and watch.writing):
        return None
    return ModelSpeed(watch.read / watch.reading, watch.written / watch.writing)


def _first_prompts(job: Job, method: Method) -> tuple[float, float, float]:
    """Calls, tokens read and tokens written for one chunk."""
    try:
        prompts = next(job)
    except StopIteration:
        return 0.0, 0.0, 0.0
    finally:
        job.close()
    read = sum(method.count(prompt.user) + _FRAME for prompt in prompts)
    calls = len(prompts)
    if method.mode == "hybrid":
        writes = method.parameters >= BIG_MODEL_PARAMETERS
        return calls, read, calls * _HYBRID_REPLY[writes]
    # Asking for missed entities shows the whole text again; little is listed then.
    again = 1 + method.gleaning
    return calls * again, read * again, read * _LIGHT_SHARE
