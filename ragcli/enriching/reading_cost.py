"""What it costs to have a language model read chunks: calls, tokens, and the time these take.

The prompts of some chunks are made and counted. How much the model writes for each of their tokens,
and how fast it reads and writes, is known from earlier runs (``ReadingHabit``), or else assumed and
measured with a short trial. A run that is under way corrects both by its own replies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from ragcli.extract.llm.hybrid import WRITES_FROM
from ragcli.extract.llm.job import Job, Method
from ragcli.models.completion import Completer, Prompt, Watch
from ragcli.models.reading_habits import ReadingHabit

SAMPLE = 48
"""Chunks whose prompts are made to estimate those of all."""

_FRAME = 12  # tokens that a chat template puts around a prompt
# Tokens of a reply for each token of its prompt without the instructions.
_LIGHT_SHARE = 0.9  # measured: 0.75 of one of 135 million weights, 0.97 of one of 1.5 billion
_HYBRID_SHARE = {True: 0.6, False: 0.15}  # by whether the model writes or labels
_SURE = 1000.0
"""Tokens of prompts as which an assumed share counts beside those of replies that have come."""


@dataclass(frozen=True, slots=True)
class ModelSpeed:
    """Tokens per second: of prompts, and of replies as they are written in a run."""

    read: float
    write: float

    def __str__(self) -> str:
        """As messages show it.

        >>> str(ModelSpeed(130.4, 3.71))
        'reads 130 and writes 3.7 tokens/s'
        """
        read, write = (f"{x:,.0f}" if x >= 10 else f"{x:.1f}" for x in (self.read, self.write))
        return f"reads {read} and writes {write} tokens/s"


@dataclass(frozen=True, slots=True)
class ChunkCost:
    """What one chunk, or several, take: calls, tokens of prompts to read, tokens to write.

    ``shared`` are the tokens of instructions, which every prompt counts and the model reads once.
    """

    calls: float
    read: float
    written: float
    shared: float = 0.0

    @property
    def tokens(self) -> float:
        """All tokens, as runs count them."""
        return self.read + self.written + self.shared

    def seconds(self, speed: ModelSpeed) -> float:
        """The time that it takes.

        >>> ChunkCost(2, 1000, 200).seconds(ModelSpeed(100, 20))
        20.0
        """
        return self.read / speed.read + self.written / speed.write

    def __add__(self, other: ChunkCost) -> ChunkCost:
        return ChunkCost(
            self.calls + other.calls,
            self.read + other.read,
            self.written + other.written,
            self.shared + other.shared,
        )

    def times(self, chunks: float) -> ChunkCost:
        """The cost of so many of them."""
        each = (self.calls, self.read, self.written, self.shared)
        return ChunkCost(*(cost * chunks for cost in each))


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


def usual_share(method: Method) -> float:
    """Tokens written for each token of the prompts, until replies have come."""
    if method.mode == "hybrid":
        return _HYBRID_SHARE[method.parameters >= WRITES_FROM]
    return _LIGHT_SHARE


def prompt_cost(jobs: Sequence[Job], method: Method, share: float) -> ChunkCost:
    """Estimate from the first prompts of some chunks, by their mean; without any it is all 0."""
    made = [_first_prompts(job, method) for job in jobs]
    if not made:
        return NO_COST
    calls, read, shared = (fmean(column) for column in zip(*made, strict=True))
    return ChunkCost(calls, read, read * share, shared)


def corrected(share: float, watch: Watch) -> float:
    """The share as replies show it, the more the more there are of them.

    >>> corrected(0.5, Watch()), corrected(0.5, Watch(answered=9000, replied=900))
    (0.5, 0.14)
    """
    return (share * _SURE + watch.replied) / (_SURE + watch.answered)


def measured_speed(watch: Watch) -> ModelSpeed | None:
    """The speed in a run; None if it has read or written nothing yet."""
    if not (watch.reading and watch.writing):
        return None
    return ModelSpeed(watch.read / watch.reading, watch.written / watch.writing)


def habit_of(watch: Watch, share: float) -> ReadingHabit | None:
    """What a run has shown; None if no reply has come. ``share`` was expected."""
    speed = measured_speed(watch)
    if not (speed and watch.replies):
        return None
    return ReadingHabit(corrected(share, watch), speed.read, speed.write)


def _first_prompts(job: Job, method: Method) -> tuple[float, float, float]:
    """Calls, tokens read, and tokens of instructions, for one chunk."""
    try:
        prompts = next(job)
    except StopIteration:
        return 0.0, 0.0, 0.0
    finally:
        job.close()
    read = sum(method.count(prompt.user) + _FRAME for prompt in prompts)
    # Asking for missed entities shows the whole text again.
    again = 1 + (method.gleaning if method.mode == "light" else 0)
    shared = sum(method.count(prompt.system) for prompt in prompts)
    return len(prompts) * again, read * again, shared * again
