"""What a model reads of a context: the sentences most about the question, a few hundred tokens.

Reading takes most of the time of a written answer, and most of a context is beside the question.
The sentence with the reader's short answer comes first; then those that add most (``choose``), with
the sentence before one that leans on it. Passages keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ragcli.answer.candidates import Sentence
from ragcli.answer.choose import TUNING, choose
from ragcli.answer.view import View
from ragcli.text.sentences import sentences
from ragcli.text.words import one_line
from ragcli.types import Part

_EVERY = replace(TUNING, most=TUNING.pool, second=0.0, stop=0.0)
_GAP = " … "
# A sentence that begins so is understood with the one before it.
_LEANS = re.compile(
    r"(?:he|she|it|they|his|her|its|their|this|these|that|those|the (?:former|latter)|there)\b",
    re.IGNORECASE,
)

Count = Callable[[str], int]


def excerpts(view: View, holding: Sequence[Sentence], room: int, count: Count) -> tuple[Part, ...]:
    """Return parts with only their best sentences, at most ``room`` tokens, best part first.

    ``holding`` are the sentences that probably hold the answer. The parts have the numbers and
    titles of those that the sentences are in; their text is shortened, so their offsets mean
    nothing.
    """
    taken: dict[int, dict[int, Sentence | None]] = {}
    parts: dict[int, Part] = {}
    left = room
    for sentence in _in_order(view, holding):
        part = sentence.part
        known = taken.get(part.n, {})
        wanted = [at for at in _with_leaned_on(sentence) if at not in known]
        if not wanted:
            continue
        spans = sentences(part.text)
        cost = sum(count(_line(part, spans[at])) for at in wanted)
        cost += 0 if known else count(_title(sentence)) + 8
        if cost > left:
            continue
        left -= cost
        parts.setdefault(part.n, replace(part, title=_title(sentence)))
        taken.setdefault(part.n, {}).update(dict.fromkeys(wanted))
    return tuple(
        replace(part, text=_shortened(part, sorted(taken[n]))) for n, part in parts.items()
    )


def _in_order(view: View, holding: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that hold the answer, then those of a view by what each adds to the first."""
    if not view.sentences:
        return []
    places = [(s.part.n, s.start) for s in holding]
    at = [i for i, s in enumerate(view.sentences) if (s.part.n, s.start) in places[:1]]
    chosen = [view.sentences[i] for i in choose(view, _EVERY, at[0] if at else None)]
    return [*holding, *(s for s in chosen if (s.part.n, s.start) not in places)]


def _with_leaned_on(sentence: Sentence) -> Sequence[int]:
    """The order of a sentence in its part, after that of the one it leans on."""
    leans = sentence.order > 0 and _LEANS.match(sentence.text)
    return (sentence.order - 1, sentence.order) if leans else (sentence.order,)


def _title(sentence: Sentence) -> str:
    """The title of its document and the headings above it."""
    return ": ".join(dict.fromkeys(filter(None, (sentence.part.title, sentence.heading))))


def _line(part: Part, span: tuple[int, int]) -> str:
    return one_line(part.text[span[0] : span[1]])


def _shortened(part: Part, orders: Sequence[int]) -> str:
    """Sentences of a part in its order, a sign where some are left out between them."""
    spans = sentences(part.text)
    text, before = "", -1
    for order in orders:
        if text:
            text += " " if order == before + 1 else _GAP
        text += _line(part, spans[order])
        before = order
    return text
