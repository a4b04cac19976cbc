"""A language model compares two answers, or grades one: prompts, and parsing of its replies.

The criteria are those of LightRAG (Guo et al. 2024, section 4.1) and LeanRAG (2025); the prompts
are our own. Models favour a position, so each pair is judged in both orders. A verdict counts if
both agree; otherwise it is a tie, and the share of such flips is reported. A reply that cannot be
parsed is counted as "invalid".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.evaluate.results import Evaluation
from ragcli.evaluate.text_metrics import without_marks
from ragcli.models.completion import Completer, Prompt
from ragcli.types import Event, Report

Winner = Literal["1", "2", "tie", "invalid"]
Verdict = Mapping[str, Winner]  # criterion -> which of the two answers as shown
JudgeMarks = Mapping[str, int | None]  # criterion -> 1..10, None when it cannot be read

CRITERIA: Mapping[str, str] = {
    "Comprehensiveness": "how fully it covers every part of the question",
    "Diversity": "how many different angles and insights it brings",
    "Empowerment": "how well it lets the reader understand the matter and judge for themselves",
    "Overall": "which is better, all three taken together",
}

_SYSTEM = "You compare and mark answers strictly and briefly. You reply in the form asked for only."
_NOTHING = "(The system gave no answer.)"
_MAX_TOKENS = 64
_FRAME = 64  # tokens that a chat template may add

_ORDINALS: Mapping[str, Winner] = {
    "1": "1", "one": "1", "first": "1", "2": "2", "two": "2", "second": "2",
    "tie": "tie", "draw": "tie", "equal": "tie", "both": "tie", "neither": "tie",
}  # fmt: skip
_GAP = r"[^A-Za-z0-9]*"
# "Diversity: 2", "**Diversity** - Answer 2", '"Diversity": {"Winner": "Answer 2"', but not the
# form's own "1, 2 or tie", which weak models copy.
_WINNER = (
    _GAP + r"(?:winner\b" + _GAP + r")?(?:is\b" + _GAP + r")?(?:(?:the|answer)\b" + _GAP + r")*"
    r"(1|2|one|two|first|second|tie|draw|equal|both|neither)\b"
    r"(?!\s*(?:,|/|\||or\b)\s*(?:answer\s*)?(?:[12]\b|or\b|tie\b))"
)
_MARK = _GAP + r"(?:score\b" + _GAP + r")?(?:is\b" + _GAP + r")?(\d+)(?!\d|\.\d)"
_RANGE = re.compile(r"\(?\b1\s*(?:-|–|to)\s*10\b\)?")


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two modes' answers to one question."""

    case: str
    question: str
    left_mode: str
    right_mode: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """A pair in one order, as the judge sees it; ``id`` reveals neither mode nor order."""

    id: str
    pair: AnswerPair
    swapped: bool

    @property
    def answers(self) -> tuple[str, str]:
        """The first and the second answer as shown; never empty."""
        shown = (self.pair.left or _NOTHING, self.pair.right or _NOTHING)
        return (shown[1], shown[0]) if self.swapped else shown


def pairs(evaluation: Evaluation) -> list[AnswerPair]:
    """Pair each later mode's answers with the first mode's, without citation marks.

    Pairs without any answer are left out, because there is nothing to compare.
    """
    said = {(o.case, o.mode): without_marks(o.text).strip() for o in evaluation.outcomes}
    first, *others = evaluation.modes
    return [
        AnswerPair(c.id, c.question, first, other, said[c.id, first], said[c.id, other])
        for other in others
        for c in evaluation.cases
        if said[c.id, first] or said[c.id, other]
    ]


def tasks(judged: Sequence[AnswerPair]) -> list[JudgeTask]:
    """Return each pair in both orders, sorted by id, so that positions do not reveal the order."""
    both = [
        JudgeTask(_id(pair, swapped), pair, swapped) for pair in judged for swapped in (False, True)
    ]
    return sorted(both, key=lambda task: task.id)


def _id(pair: AnswerPair, swapped: bool) -> str:
    fields = (pair.case, pair.left_mode, pair.right_mode, pair.left, pair.right, str(swapped))
    return hashlib.sha256("\0".join(fields).encode()).hexdigest()[:16]


def compare(
    todo: Sequence[JudgeTask], model: Completer, report: Report
) -> Iterator[tuple[JudgeTask, Verdict]]:
    """Judge all tasks in batches, and yield each verdict at once, so that a caller can save it."""
    prompts = [Prompt(_SYSTEM, pair_prompt(task), _MAX_TOKENS) for task in todo]
    for done, (at, reply) in enumerate(_replies(model, prompts)):
        report(Event("judge", done, len(todo), todo[at].pair.case))
        yield todo[at], read_winners(reply)
    report(Event("judge", len(todo), len(todo)))


def mark(
    todo: Sequence[tuple[str, str]], model: Completer, report: Report
) -> Iterator[tuple[int, JudgeMarks]]:
    """Grade answers, given as (question, answer), on LeanRAG's scale: (position, marks)."""
    prompts = [Prompt(_SYSTEM, mark_prompt(*asked), _MAX_TOKENS) for asked in todo]
    for done, (at, reply) in enumerate(_replies(model, prompts)):
        report(Event("mark", done, len(todo)))
        yield at, read_marks(reply)
    report(Event("mark", len(todo), len(todo)))


def _replies(model: Completer, prompts: Sequence[Prompt]) -> Iterator[tuple[int, str]]:
    """(position, reply) of each prompt; "" for a prompt that does not fit the context."""
    fitting = []
    for at, prompt in enumerate(prompts):
        tokens = model.count_tokens(prompt.system + prompt.user) + _FRAME + prompt.max_tokens
        if tokens <= model.context:
            fitting.append(at)
        else:
            yield at, ""
    for at, reply in model.complete(prompts[i] for i in fitting):
        yield fitting[at], reply.text


def pair_prompt(task: JudgeTask) -> str:
    """The prompt for a comparison; the form is last, which works best with weak models."""
    first, second = task.answers
    form = "\n".join(f"{name}: 1, 2 or tie" for name in CRITERIA)
    return (
        f"Question: {task.pair.question}\n\n=== Answer 1 ===\n{first}\n\n"
        f"=== Answer 2 ===\n{second}\n\n=== What to judge ===\n{_criteria()}\n\n"
        "Length alone is no merit, and neither is coming first. For each line below, keep the "
        f"name and write the better answer's number, or tie. Nothing else.\n{form}"
    )


def mark_prompt(question: str, answer: str) -> str:
    """The prompt for a grade from 1 to 10."""
    form = "\n".join(f"{name}: 1-10" for name in CRITERIA)
    return (
        f"Question: {question}\n\n=== Answer ===\n{answer or _NOTHING}\n\n"
        f"=== What to judge ===\n{_criteria()}\n\n"
        "Mark it from 1 (useless) to 10 (could not be better). For each line below, keep the name "
        f"and write one whole number. Nothing else.\n{form}"
    )


def read_winners(reply: str) -> Verdict:
    """Read the winner for each criterion from free text or JSON.

    "invalid" if none is named, or if parts of the reply contradict each other.
    """
    return {name: _winner(name, reply) for name in CRITERIA}


def _winner(criterion: str, reply: str) -> Winner:
    found = re.findall(rf"\b{criterion}\b{_WINNER}", reply, re.IGNORECASE)
    named = {_ORDINALS[word.lower()] for word in found}
    return named.pop() if len(named) == 1 else "invalid"


def read_marks(reply: str) -> JudgeMarks:
    """Read an integer from 1 to 10 for each criterion; None if there is none, or several."""
    text = _RANGE.sub("", reply)
    return {name: _mark(name, text) for name in CRITERIA}


def _mark(criterion: str, text: str) -> int | None:
    found = {int(n) for n in re.findall(rf"\b{criterion}\b{_MARK}", text, re.IGNORECASE)}
    value = found.pop() if len(found) == 1 else 0
    return value if 1 <= value <= 10 else None


def _criteria() -> str:
    return "\n".join(f"{name}: {meaning}" for name, meaning in CRITERIA.items())
