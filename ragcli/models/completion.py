"""What a language model takes and gives, and the protocol of those who are one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Prompt:
    """One call of a language model. Prompts with equal ``system`` share that part's work.

    ``grammar``: GBNF that the reply must follow ("" = free text).
    """

    system: str
    user: str
    max_tokens: int
    grammar: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply. ``finish``: "stop", "length" (cut at max_tokens) or "loop" (cut: it
    repeated itself)."""

    text: str
    finish: Literal["stop", "length", "loop"]
    prompt_tokens: int
    tokens: int


class Completer(Protocol):
    """A language model, as those see it who use one.

    ``parameters``: its number of weights; ``context``: tokens that prompt and reply may have
    together; ``fingerprint`` changes whenever equal prompts may give other replies.
    """

    @property
    def parameters(self) -> int: ...
    @property
    def context(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...

    def count_tokens(self, text: str) -> int:
        """Tokens of ``text`` by itself, without marks of the chat template."""
        ...

    def complete(self, prompts: Iterable[Prompt]) -> Iterator[tuple[int, Completion]]:
        """(position of the prompt, reply), each as soon as it is done, in any order.

        Prompts are taken lazily, a few ahead of those being answered. Raises ModelError when a
        prompt and its reply do not fit the context.
        """
        ...
