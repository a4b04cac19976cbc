"""What the model reads: the task, the numbered passages, the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ragcli.retrieve.context import shorten
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import Context, Part

SYSTEM = """\
You answer questions from the numbered passages you are given, and from nothing else.
Be brief: one to four plain sentences. After each sentence write the number of the passage it \
comes from, like [1] or [2]. Keep names, numbers and dates as the passages spell them.
If the passages do not hold the answer, write only: Not in the passages."""

_FRAME = 64
"""Tokens that a chat template may put around the two messages."""


def prompt(
    asked: AskedQuestion, context: Context, limit: int, count: Callable[[str], int]
) -> tuple[str, tuple[Part, ...]]:
    """Return the user's message and the parts it shows, within ``limit`` tokens with ``SYSTEM``.

    ``count`` gives the model's tokens of a text. Parts are dropped from the last; when even the
    first is too long it is cut at a sentence end. No part is left when the question alone fills
    the limit. The numbers shown are the parts' own (``Part.n``).
    """
    room = limit - count(SYSTEM) - _FRAME
    parts = context.parts
    known = _known(context, room // 2, count)
    while len(parts) > 1 and count(message(asked, parts, known)) > room:
        parts = parts[:-1]
    if parts and count(message(asked, parts, known)) > room:
        bare = message(asked, (replace(parts[0], text=""),), known)
        parts = _cut_to(parts[0], room - count(bare), count)
    return message(asked, parts, known), parts


def message(asked: AskedQuestion, parts: tuple[Part, ...], known: Sequence[str] = ()) -> str:
    """Write what is known, the passages, each under its number and title, and the question."""
    passages = [f"[{part.n}] {part.title}".rstrip() + f"\n{part.text.strip()}" for part in parts]
    return "\n\n".join([*known, "Passages:", *passages, f"Question: {asked.text.strip()}"])


def _known(context: Context, room: int, count: Callable[[str], int]) -> list[str]:
    """The entities' and the relations' part, lines dropped from the last to fit in ``room``."""
    blocks = []
    for title, lines in (("Entities", context.entities), ("Relations", context.relations)):
        kept = list(lines)
        while kept and count(text := "\n".join([f"{title}:", *kept])) > room:
            kept.pop()
        if kept:
            blocks.append(text)
            room -= count(text)
    return blocks


def _cut_to(part: Part, room: int, count: Callable[[str], int]) -> tuple[Part, ...]:
    """Shorten a part to ``room`` tokens; none when nothing of it fits."""
    text = shorten(part.text, room, count)
    return (replace(part, end=part.start + len(text), text=text),) if text else ()
