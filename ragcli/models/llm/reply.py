"""A reply while it is generated: its text, its budget, and when it ends."""

from __future__ import annotations

import codecs
import time
from dataclasses import dataclass, field
from typing import Literal

from ragcli.models.completion import Completion, Prompt
from ragcli.models.llm.sampling import Follower

Finish = Literal["", "stop", "length", "loop", "begun"]

_SHORTEST, _LONGEST = 12, 200  # characters of a repeated text that ends a reply


@dataclass(slots=True)
class TokenPrompt:
    """A prompt as tokens: ``head`` (the same for all prompts of one system text), then ``tail``."""

    index: int
    prompt: Prompt
    head: tuple[int, ...]
    tail: tuple[int, ...]

    @property
    def tokens(self) -> int:
        """The number of tokens of the prompt."""
        return len(self.head) + len(self.tail)


@dataclass(slots=True)
class Growing:
    """A reply while it is generated. ``finish`` is set when it has ended.

    ``began`` is when its prompt was read (``time.monotonic``).
    """

    request: TokenPrompt
    follower: Follower | None
    text: str = ""
    count: int = 0
    last: int = -1
    ids: list[int] = field(default_factory=list)
    finish: Finish = ""
    began: float = field(default_factory=time.monotonic)
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")(errors="replace")
    )

    def add(self, token: int, piece: bytes, ends: bool) -> None:
        """Append the next token; ``piece`` is its text, ``ends`` whether it ends the reply."""
        self.last = token
        if ends:
            self._end("stop")
            return
        self.count += 1
        self.ids.append(token)
        self.text += self._decoder.decode(piece)
        if says_thrice(self.text):
            self._end("loop")
        elif self.count >= self.request.prompt.max_tokens:
            self._end("length")

    def completion(self) -> Completion:
        """The whole."""
        assert self.finish
        ids = tuple(self.ids) if self.finish == "begun" else ()
        return Completion(self.text, self.finish, self.request.tokens, self.count, ids)

    def close(self) -> None:
        """Free its memory in llama.cpp."""
        if self.follower:
            self.follower.close()

    def _end(self, finish: Finish) -> None:
        self.text += self._decoder.decode(b"", final=True)
        self.finish = finish


def says_thrice(text: str) -> bool:
    """Return whether a text ends with the same 12 to 200 characters three times in a row.

    >>> says_thrice("And on " + "and on and on " * 3), says_thrice("to be or not to be")
    (True, False)
    """
    for size in range(_SHORTEST, min(_LONGEST, len(text) // 3) + 1):
        # Comparing one character excludes most sizes.
        if text[-1] == text[-1 - size] and text.endswith(text[-size:] * 3):
            return True
    return False
