"""The judge: orders, flips, what weak models write, and the way out to a file and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Scripted

from ragcli.errors import InputError
from ragcli.evaluate import judge_prompts, make_questions, verdicts
from ragcli.evaluate.checkpoint import KeptLines
from ragcli.evaluate.judge import mark_all
from ragcli.evaluate.judge_prompts import CRITERIA, AnswerPair, Verdict
from ragcli.evaluate.measure import measure
from ragcli.evaluate.results import EvalSettings
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.types import silent

from .makers import Table, case

PAIRS = [
    AnswerPair(str(n), f"Why {n}?", "naive", "walk", f"left {n}", f"right {n}") for n in range(4)
]


def all_of(word: str) -> str:
    """Fill in the form with one word."""
    return "\n".join(f"{name}: {word}" for name in CRITERIA)


class Referee(Scripted):
    """Replies by the prompt, in turned order, as a model may that answers several at once."""

    def __init__(self, replies: Mapping[str, str]) -> None:
        super().__init__("")
        self.replies = replies

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        for at, prompt in reversed(list(enumerate(prompts))):
            self.asked.append(prompt)
            yield at, Completion(self.replies[prompt.user], "stop", 1, 1)


def judged_by(pick: object) -> dict[str, Verdict]:
    """Judge all pairs with a function from the two answers shown to a word."""
    todo = judge_prompts.tasks(PAIRS)
    replies = {judge_prompts.pair_prompt(task): all_of(pick(*task.answers)) for task in todo}  # type: ignore[operator]
    found = judge_prompts.compare(todo, Referee(replies), silent)
    return {task.id: verdict for task, verdict in found}


def test_a_fair_judge_wins_in_both_orders() -> None:
    """A judge that prefers one side whatever the place gives wins and no flips."""
    found = judged_by(lambda first, _second: "1" if first.startswith("right") else "2")
    for tally in verdicts.tally(judge_prompts.tasks(PAIRS), found):
        assert (tally.left, tally.right, tally.ties, tally.invalid, tally.flips) == (0, 4, 0, 0, 0)
        assert tally.right_rate == 1.0


def test_a_judge_of_places_only_flips() -> None:
    """A judge that always names the first answer flips always: all ties, no side favoured."""
    for tally in verdicts.tally(judge_prompts.tasks(PAIRS), judged_by(lambda _a, _b: "1")):
        assert (tally.ties, tally.flips, tally.flip_rate, tally.right_rate) == (4, 4, 1.0, 0.5)


def test_true_ties_are_no_flips() -> None:
    """Both orders say tie: they agree."""
    tally = verdicts.tally(judge_prompts.tasks(PAIRS), judged_by(lambda _a, _b: "tie"))[0]
    assert (tally.ties, tally.flips) == (4, 0)


def test_one_unreadable_order_makes_the_pair_invalid() -> None:
    """Half a comparison is none; a missing verdict is as bad."""
    todo = judge_prompts.tasks(PAIRS)
    found = judged_by(lambda _a, _b: "1")
    found[todo[0].id] = judge_prompts.read_winners("I like both very much")
    del found[next(t.id for t in todo if t.pair != todo[0].pair)]
    tally = verdicts.tally(todo, found)[0]
    assert (tally.invalid, tally.ties) == (2, 2)
    empty = verdicts.tally(todo, {})[0]
    assert (empty.invalid, empty.flip_rate, empty.right_rate) == (4, 0.0, None)


@pytest.mark.parametrize(
    ("reply", "winner"),
    [
        ("Diversity: 2", "2"),
        ("**Diversity** - Answer 1", "1"),
        ("diversity winner is the second answer", "2"),
        ('{"Diversity": {"Winner": "Answer 2", "Explanation": "1 is dull"}}', "2"),
        ('```json\n{"Diversity": 1}\n```', "1"),
        ("Diversity: Tie.", "tie"),
        ("Diversity: both", "tie"),
        ("Diversity: 1, 2 or tie", "invalid"),
        ("Diversity: 1 or 2", "invalid"),
        ("Diversity: 1\nDiversity: 2", "invalid"),
        ("Diversity: 12", "invalid"),
        ("Diversity is important here", "invalid"),
        ("", "invalid"),
    ],
)
def test_winners_as_weak_models_write_them(reply: str, winner: str) -> None:
    """Clear verdicts are read, echoes of the form and contradictions are not."""
    read = judge_prompts.read_winners(reply)
    assert read["Diversity"] == winner
    assert read["Overall"] == "invalid"


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Diversity: 7", 7),
        ("Diversity (1-10): 8/10", 8),
        ("Diversity: 1-10", None),
        ('{"Diversity": {"score": 10}}', 10),
        ("Diversity score is 4.", 4),
        ("Diversity: 7.5", None),
        ("Diversity: 0", None),
        ("Diversity: 11", None),
        ("Diversity: 3 ... Diversity: 5", None),
        ("seven", None),
    ],
)
def test_marks_as_weak_models_write_them(reply: str, value: int | None) -> None:
    """Whole numbers from 1 to 10 are read, anything else is not guessed at."""
    assert judge_prompts.read_marks(reply)["Diversity"] == value


@given(st.text())
def test_nothing_breaks_the_readers(reply: str) -> None:
    """Any text is read as something."""
    assert set(judge_prompts.read_winners(reply).values()) <= {"1", "2", "tie", "invalid"}
    assert all(mark is None or 1 <= mark <= 10 for mark in judge_prompts.read_marks(reply).values())
    make_questions.read_list(reply)


def test_marks_add_up() -> None:
    """Unreadable marks are counted and left out of the mean."""
    todo = [("?", "a"), ("?", "b"), ("?", "c")]
    said = zip(todo, ("4", "8", "99"), strict=True)
    marks = {judge_prompts.mark_prompt(*asked): all_of(number) for asked, number in said}
    found = dict(judge_prompts.mark(todo, Referee(marks), silent))
    given_marks = [found[at] for at in range(3)]
    assert [m["Overall"] for m in given_marks] == [4, 8, None]
    overall = verdicts.summarise_marks(given_marks)[-1]
    assert (overall.mean, overall.valid, overall.invalid) == (6.0, 2, 1)
    assert verdicts.summarise_marks([])[0].mean is None


def test_pairs_come_from_an_evaluation() -> None:
    """Later modes against the first, without marks, without what neither answered."""
    cases = (case("1"), case("2"))
    found = {(c.question, m): ["a"] for c in cases for m in ("naive", "walk", "lean")}
    settings = EvalSettings(answers=True, resamples=10)
    evaluation = measure(cases, ("naive", "walk", "lean"), Table(found), settings, silent, None)
    pairs = judge_prompts.pairs(evaluation)
    assert [(p.case, p.right_mode) for p in pairs] == [
        ("1", "walk"), ("2", "walk"), ("1", "lean"), ("2", "lean"),
    ]  # fmt: skip
    assert {p.left_mode for p in pairs} == {"naive"}
    assert pairs[0].left == "The answer."
    silent_ones = replace(
        evaluation, outcomes=tuple(replace(o, text="") for o in evaluation.outcomes)
    )
    assert judge_prompts.pairs(silent_ones) == []


def test_an_empty_answer_is_shown_as_none() -> None:
    """The judge sees that a system gave no answer."""
    task = judge_prompts.tasks([replace(PAIRS[0], left="")])[0]
    assert "(The system gave no answer.)" in judge_prompts.pair_prompt(task)


def test_what_does_not_fit_is_not_asked() -> None:
    """It has no verdict and is counted as unreadable; the others go to the model together."""
    long = replace(PAIRS[0], left="word " * 5000)
    todo = judge_prompts.tasks([long, PAIRS[1]])
    fair = {judge_prompts.pair_prompt(task): all_of("1") for task in todo}
    model = Referee(fair)
    found = dict(judge_prompts.compare(todo, model, silent))
    assert len(found) == 4 and len(model.asked) == 2
    assert all((v["Overall"] == "invalid") == (t.pair == long) for t, v in found.items())


def test_equal_answers_are_marked_once(tmp_path: Path) -> None:
    """Two modes say the same: one request, a mark in each; the next run asks for nothing."""
    cases = (case("1"), case("2"))
    found = {(c.question, m): ["a"] for c in cases for m in ("naive", "walk")}
    settings = EvalSettings(answers=True, resamples=10)
    evaluation = measure(cases, ("naive", "walk"), Table(found), settings, silent, None)
    for asked in (2, 0):
        model = Scripted(all_of("7"))
        with KeptLines(tmp_path / "kept.jsonl") as kept:
            marks = mark_all(evaluation, model, silent, kept)
        assert len(model.asked) == asked
        assert [(m[-1].mean, m[-1].valid) for m in marks.values()] == [(7.0, 2), (7.0, 2)]


def test_out_to_a_file_and_back(tmp_path: Path) -> None:
    """Exported blind; verdicts come back as fields or as the judge's reply, and count the same."""
    todo = judge_prompts.tasks(PAIRS)
    exported = [orjson.loads(line) for line in verdicts.to_lines(todo).splitlines()]
    assert len(exported) == 8 and not {"mode", "swapped"} & set(exported[0])
    assert "naive" not in verdicts.to_lines(todo).decode()
    back = tmp_path / "verdicts.jsonl"
    lines = [{"id": exported[0]["id"], "reply": all_of("tie")}]
    lines += [{"id": row["id"], **dict.fromkeys(CRITERIA, 1)} for row in exported[1:]]
    back.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    read = verdicts.read_lines(back, todo)
    assert read[todo[0].id]["Overall"] == "tie"
    assert read[todo[1].id]["Overall"] == "1"


def test_verdicts_given_back_are_read_whole(tmp_path: Path) -> None:
    """A line for each pair in each order, criteria as fields."""
    todo = judge_prompts.tasks(PAIRS)
    found = judged_by(lambda _a, _b: "2")
    path = tmp_path / "v.jsonl"
    path.write_bytes(b"\n".join(orjson.dumps({"id": id_, **said}) for id_, said in found.items()))
    assert verdicts.read_lines(path, todo) == found


def test_verdicts_of_other_pairs_are_refused(tmp_path: Path) -> None:
    """An id that was never exported is named with its line."""
    path = tmp_path / "v.jsonl"
    path.write_text('{"id": "0000"}\n')
    with pytest.raises(InputError, match=r"v\.jsonl:1: expected the id of an exported pair"):
        verdicts.read_lines(path, judge_prompts.tasks(PAIRS))


class Lists(Scripted):
    """A model that replies with lists of seven, each item a new one."""

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        for at, prompt in enumerate(prompts):
            self.asked.append(prompt)
            call = len(self.asked)
            text = "Here you are:\n" + "\n".join(f"{n}. Item {call}.{n}?" for n in range(1, 8))
            yield at, Completion(text, "stop", 1, 1)


def test_questions_are_made_by_users_and_tasks() -> None:
    """Five by five by five lists give 125 questions with ids that tell where they come from."""
    model = Lists("")
    made = make_questions.make_questions(["About trains."], model, silent)
    calls = [prompt.user for prompt in model.asked]
    assert (len(made.cases), made.missing, len(calls)) == (125, 0, 31)
    assert made.cases[0].id == "u1-t1-q1" and made.cases[-1].id == "u5-t5-q5"
    assert "About trains." in calls[0] and "Item 1.1?" in calls[1]
    # The last user's last task: the fifth item of the reply to the fifth user's request.
    assert "Item 1.5?" in calls[-1] and "Item 6.5?" in calls[-1]
    assert made.cases[-1].question == "Item 31.5?"


def test_short_lists_and_repeats_are_counted() -> None:
    """A model that repeats itself gives one question; one that fails, or asks nothing, none."""
    made = make_questions.make_questions(["x"], Scripted("- Why?"), silent)
    assert (len(made.cases), made.missing) == (1, 124)
    for reply in ("I cannot.", "1. A nurse\n2. A clerk"):
        assert make_questions.make_questions(["x"], Scripted(reply), silent).missing == 125


def test_summaries_are_cut_to_the_budget() -> None:
    """A large corpus is thinned evenly, each summary keeping a readable length."""
    summaries = [f"{n} " + "word " * 200 for n in range(100)]
    text = make_questions.digest(summaries, 3000)
    assert len(text) <= 3000 + 10
    assert [line.split()[1] for line in text.splitlines()][:3] == ["0", "10", "20"]
    assert make_questions.digest([], 3000) == ""
