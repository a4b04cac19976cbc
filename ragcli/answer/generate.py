"""Answers written by a language model: its text as it comes, cut into sentences and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from ragcli.answer.check import NOTHING_EXPECTED, Draft, Emit, Expected
from ragcli.answer.prompt import SYSTEM, prompt
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.sentences import sentences
from ragcli.types import Context, Part, Reply

if TYPE_CHECKING:
    from ragcli.models.reader import Reader

MAX_TOKENS = 256
"""Of an answer: four sentences are about 120."""

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_CONTROL = re.compile(
    r"<\|[^|<>]{1,40}\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>|<[|/a-z_]{0,20}\Z"
)
_STOP = re.compile(r"""[.!?…]["'”’»)\]*\s\d[]*\Z""")
_SPEAKER = re.compile(r"\A\s*\**(?:assistant|answer|response)\**\s*:\**\s*", re.IGNORECASE)


class Writer(Protocol):
    """A language model, as far as it is needed here (``ragcli.models.llm.Llm``)."""

    @property
    def parameters(self) -> int:
        """How many weights it has."""

    @property
    def context(self) -> int:
        """How many tokens prompt and answer may have together."""

    def count_tokens(self, text: str) -> int:
        """Count a text's tokens."""

    def generate(self, system: str, user: str, max_tokens: int) -> Iterator[str]:
        """Yield the answer in pieces, as they are made."""


def written(
    asked: AskedQuestion,
    context: Context,
    llm: Writer,
    *,
    reader: Reader | None = None,
    max_tokens: int = MAX_TOKENS,
    emit: Emit = lambda _text: None,
    shown: Sequence[Part] = (),
    expected: Expected = NOTHING_EXPECTED,
) -> Reply:
    """Let the model answer from the context; cite and check what it writes, with ``reader``.

    ``shown`` are excerpts of the context's parts that the model reads instead of them. ``expected``
    is the reader's answer, with which a reply of a few bare words must agree.
    ``emit`` is given each sentence with its marks as soon as it is checked: joined, they are the
    reply's text.
    """
    read = replace(context, parts=tuple(shown)) if shown else context
    user, parts = prompt(asked, read, llm.context - max_tokens, llm.count_tokens)
    if shown:
        numbers = {part.n for part in parts}
        parts = tuple(part for part in context.parts if part.n in numbers)
    # What is said of a fact is borne out by the sentences behind it.
    draft = Draft(asked, (*parts, *context.behind), emit, reader, expected)
    if parts:
        for gap, sentence in finished(llm.generate(SYSTEM, user, max_tokens)):
            draft.take(gap, sentence)
    return draft.reply(context)


def finished(pieces: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield ``(gap, sentence)`` as soon as each sentence is surely at its end.

    ``gap`` is the white space to put before it: a line break where the model made one. Marks
    that chat models leave in their text are taken out. A last sentence without a stop, after
    others that had one, ran into the token limit and is dropped.

    >>> list(finished(["It rai", "ned. Twice", " in May [1]."]))
    [(' ', 'It rained.'), (' ', 'Twice in May [1].')]
    """
    raw, done, stopped = "", 0, False
    for piece in pieces:
        raw += piece
        text = cleaned(raw)
        # Whether a stop ends a sentence depends on the next word: wait until that is whole.
        settled = max(text.rfind(" "), text.rfind("\n")) + 1
        spans = sentences(text[done:settled])[:-1]
        yield from _cut_out(text[done:], spans)
        stopped = stopped or any(_STOP.search(text[done:][:end]) for _, end in spans)
        done += spans[-1][1] if spans else 0
    rest = cleaned(raw)[done:] + "\n"  # marks belong to a sentence only when a space follows
    spans = sentences(rest)
    stopped = stopped or any(_STOP.search(rest[:end]) for _, end in spans)
    if stopped and spans and not _STOP.search(rest[: spans[-1][1]]):
        del spans[-1]
    yield from _cut_out(rest, spans)


def cleaned(text: str) -> str:
    """Take out what is not the answer: thoughts, control marks, the speaker's name.

    The result for a text is a beginning of the result for a longer one, but for its last word.

    >>> cleaned("<think>Hm.</think>Answer: It rained.<|im_end|>")
    'It rained.'
    """
    return _SPEAKER.sub("", _CONTROL.sub("", _THOUGHT.sub("", text)))


def _cut_out(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    before = 0
    for start, end in spans:
        yield "\n" if "\n" in text[before:start] else " ", text[start:end]
        before = end
