"""A language model that says what it is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragcli.models.completion import Completion, Prompt, Watch


class Scripted:
    """A model whose reply is known."""

    parameters, context, fingerprint = 10**9, 4096, "scripted"

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.asked: list[Prompt] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        for at, prompt in enumerate(prompts):
            self.asked.append(prompt)
            yield at, Completion(self.reply, "stop", 1, 1)
