"""Answers written by a language model, let through sentence by sentence once they are checked.

A sentence is shown when the context bears it out (``text.support``), with citations of the
sentences that do; the model's own ``[n]`` marks only say where to look first, since small models
forget them or make them up. What is not borne out is cut, and nothing left means abstaining.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from ragcli.answer.cite import Quote, citations, sources, take_marks
from ragcli.answer.notes import counted, searched
from ragcli.answer.prompt import SYSTEM, prompt
from ragcli.text.markup import is_heading, without_bullet
from ragcli.text.sentences import sentences
from ragcli.text.words import content_words
from ragcli.types import Context, Part, Reply

MAX_TOKENS = 256
"""Of an answer: four sentences are about 120."""

Emit = Callable[[str], None]

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_CONTROL = re.compile(
    r"<\|[^|<>]{1,40}\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>|<[|/a-z_]{0,20}\Z"
)
_REFUSAL = re.compile(
    r"\bnot (?:\w+ )?(?:specified|mentioned|stated|given|provided|known|clear|named"
    r"|in the (?:\w+ )?(?:passage|text|context))",
    re.IGNORECASE,
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
    question: str,
    context: Context,
    llm: Writer,
    *,
    max_tokens: int = MAX_TOKENS,
    emit: Emit = lambda _text: None,
) -> Reply:
    """Let the model answer from the context; cite and check what it writes.

    ``emit`` is given each sentence with its marks as soon as it is checked: joined, they are the
    reply's text.
    """
    user, parts = prompt(question, context, llm.context - max_tokens, llm.count_tokens)
    # What is said of a fact is borne out by the sentences behind it.
    draft = Draft(question, (*parts, *context.behind), emit)
    if parts:
        for gap, sentence in finished(llm.generate(SYSTEM, user, max_tokens)):
            draft.take(gap, sentence)
    return draft.reply(context)


class Draft:
    """An answer growing by checked sentences."""

    def __init__(self, question: str, parts: Sequence[Part], emit: Emit) -> None:
        self._question = question
        self._parts = parts
        self._emit = emit
        self._pieces: list[str] = []
        self._quotes: list[Quote] = []
        self._seen: set[str] = set()
        self._cut = 0

    def take(self, gap: str, sentence: str) -> None:
        """Check one sentence and, when it is borne out, add it after ``gap`` with its marks.

        A sentence said before is left out in silence (small models repeat themselves), and so
        is what answers nothing.
        """
        text, marks = take_marks(sentence)
        text = without_bullet(text)
        if text in self._seen or not tells(text, self._question):
            return
        self._seen.add(text)
        found = sources(text, self._parts, question=self._question, marks=marks)
        if not found:
            self._cut += 1
            return
        piece = f"{gap if self._pieces else ''}{text} {self._marks(found)}"
        self._pieces.append(piece)
        self._emit(piece)

    def reply(self, context: Context) -> Reply:
        """Return the answer; abstained when nothing was borne out."""
        left_out = counted(self._cut, "sentence")
        kept = len(self._pieces)
        written = kept + self._cut
        if kept:
            note = f"left out {left_out} that the passages do not bear out" if self._cut else ""
            text, quotes = "".join(self._pieces), citations(self._quotes)
            return Reply(text, quotes, "llm", note=note, written=written, kept=kept)
        why = "the model gave no answer"
        if self._cut:
            why = f"the model wrote {left_out} that they do not bear out"
        elif context.parts and len(self._parts) == len(context.behind):
            why = "none of them fits the model's context"
        note = f"searched {searched(context)}; {why}"
        return Reply("", (), "llm", abstained=True, note=note, written=written)

    def _marks(self, found: Sequence[Quote]) -> str:
        """Number the quotes by first use and write their marks."""
        for quote in found:
            if quote not in self._quotes:
                self._quotes.append(quote)
        return "".join(f"[{n}]" for n in sorted(self._quotes.index(q) + 1 for q in found))


def tells(text: str, question: str) -> bool:
    """Tell whether a sentence may answer: no heading, opening, refusal or echo of the question.

    >>> tells("The hut is not named.", "Which hut?"), tells("A hut.", "A hut?")
    (False, False)
    >>> tells("Yes, a hut.", "A hut?"), tells("The Ysolde hut.", "Which hut?")
    (True, True)
    """
    if not text or is_heading(text) or text.endswith(":") or _REFUSAL.search(text):
        return False
    # "Yes" and "no" are the answer, though the rest of the sentence echoes the question.
    judged = text.casefold().startswith(("yes", "no,", "no."))
    return judged or not set(content_words(text)) <= set(content_words(question))


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
        # Whether a stop ends a sentence hangs on the next word: wait until that is whole.
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
