"""The protocol of language models, with its records: prompts and completions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Prompt:
    """One call of a language model. Prompts with equal ``system`` share its computation.

    ``grammar`` is GBNF that the reply must match; "" allows any text. ``begun`` are the tokens of
    the reply that an earlier call wrote (``Completion.ids``); this call goes on after them.
    """

    system: str
    user: str
    max_tokens: int
    grammar: str = ""
    begun: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply.

    ``finish`` is "stop", "length" (cut off at max_tokens), "loop" (cut off because it repeated
    itself) or "begun" (the time was up); only then ``ids`` are its tokens.
    """

    text: str
    finish: Literal["stop", "length", "loop", "begun"]
    prompt_tokens: int
    tokens: int
    ids: tuple[int, ...] = ()


LEAST = 32
"""Tokens that a call writes in any case, unless a reply ends before."""

TELL_EVERY = 0.5
"""Seconds between two calls of ``Watch.tell``."""


@dataclass(slots=True)
class Watch:
    """Follows the calls of a model: when they must end, and what they have done so far.

    ``deadline`` is of ``time.monotonic``; None: none. ``tell`` is called between tokens, at most
    every ``TELL_EVERY`` seconds. ``replies`` are complete; ``answered`` counts the tokens of their
    prompts, without the instructions, and ``replied`` their own. ``read`` counts the tokens of
    prompts that the model has read, ``written`` those of replies, complete or not; ``reading`` and
    ``writing`` are the seconds that this took.
    """

    deadline: float | None = None
    tell: Callable[[Watch], None] | None = None
    replies: int = 0
    answered: int = 0
    replied: int = 0
    read: int = 0
    written: int = 0
    reading: float = 0.0
    writing: float = 0.0
    _told: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def has_replied(self, asked: int, written: int) -> None:
        """Take note of a complete reply of so many tokens to a prompt of so many."""
        self.replies += 1
        self.answered += asked
        self.replied += written

    def note(self) -> None:
        """Call ``tell`` if it is time."""
        if self.tell and time.monotonic() - self._told >= TELL_EVERY:
            self._told = time.monotonic()
            self.tell(self)


class Completer(Protocol):
    """The interface of a language model.

    ``parameters`` is its number of weights. ``context`` is the maximum number of tokens of a prompt
    and its reply together. ``fingerprint`` changes whenever equal prompts may get other replies.
    """

    @property
    def parameters(self) -> int: ...
    @property
    def context(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...

    def count_tokens(self, text: str) -> int:
        """Return the tokens of ``text`` by itself, without the chat template."""
        ...

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        """Yield (position of the prompt, reply), each as soon as it is complete, in any order.

        Prompts are consumed lazily, a few in advance. At the deadline of ``watch`` the model stops,
        though not before it has written ``LEAST`` tokens, so that every call gets on; replies
        under way are yielded with the finish "begun". Raises ModelError when a prompt and its
        reply do not fit the context.
        """
        ...
