"""The protocol of language models, with its records: prompts and completions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Prompt:
    """One call of a language model. Prompts with equal ``system`` share its computation.

    ``grammar`` is GBNF that the reply must match; "" allows any text.
    """

    system: str
    user: str
    max_tokens: int
    grammar: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply.

    ``finish`` is "stop", "length" (cut off at max_tokens) or "loop" (cut off because it repeated
    itself).
    """

    text: str
    finish: Literal["stop", "length", "loop"]
    prompt_tokens: int
    tokens: int


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

    def complete(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Completion]]:
        """Yield (position of the prompt, reply), each as soon as it is complete, in any order.

        Prompts are consumed lazily, a few in advance. Raises ModelError when a prompt and its
        reply do not fit the context.
        """
        ...
