"""Conversations side by side: the model is kept busy, and nothing is asked after a stop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from ragcli.enriching.conversations import MOST, Conversations
from ragcli.extract.llm.job import Job
from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.types import Findings

WIDTH = 4


class Batches:
    """Answers like the engine: WIDTH prompts at once, as many read ahead, in no special order.

    ``busy``: for each reply, how many prompts were under way.
    """

    parameters, context, fingerprint = 1, 1, "batches"

    def __init__(self) -> None:
        self.busy: list[int] = []
        self.asked: list[str] = []

    def count_tokens(self, text: str) -> int:
        return len(text)

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        more = enumerate(prompts)
        waiting = list(islice(more, WIDTH))
        slots: list[tuple[int, Prompt]] = []
        while waiting or slots:
            while waiting and len(slots) < WIDTH:
                slots.append(waiting.pop(0))
                waiting += islice(more, 1)
            self.busy.append(len(slots))
            at, prompt = slots.pop(len(self.busy) % len(slots))
            self.asked.append(prompt.user)
            yield at, Completion(prompt.user[::-1], "stop", 1, 1)


def talk(name: int, rounds: list[int]) -> Job:
    """Asks so many prompts a round; finds the replies, all in order."""
    said: list[str] = []
    for i, count in enumerate(rounds):
        replies = yield [Prompt("", f"{name}.{i}.{n}", 1) for n in range(count)]
        said += [reply.text for reply in replies]
    return Findings((), (), " ".join(said))


ROUNDS = st.lists(st.lists(st.integers(1, 5), max_size=3), max_size=30)


@given(ROUNDS, st.integers(3, 60))
def test_every_reply_comes_to_its_prompt_however_often_it_is_stopped(
    jobs: list[list[int]], every: int
) -> None:
    """What each finds is what it would find alone; no prompt is asked twice."""
    model, calls = Batches(), 0

    def stop() -> bool:
        nonlocal calls
        calls += 1
        return calls >= every

    talks = Conversations(model, ((i, talk(i, rounds)) for i, rounds in enumerate(jobs)))
    found: dict[int, str] = {}
    while not talks.done:
        calls = 0
        found |= {i: findings.by for i, findings in talks.go(stop)}
    expected = {
        name: " ".join(
            f"{name}.{i}.{n}"[::-1] for i, count in enumerate(rounds) for n in range(count)
        )
        for name, rounds in enumerate(jobs)
    }
    assert found == expected
    assert len(model.asked) == len(set(model.asked))


def test_the_model_never_waits_for_one_conversation() -> None:
    """40 of one to five prompts: it is full until the last ones."""
    model = Batches()
    talks = Conversations(model, ((i, talk(i, [1 + i % 5])) for i in range(40)))
    assert len(list(talks.go(lambda: False))) == 40
    assert model.busy[: -WIDTH + 1] == [WIDTH] * (40 * 3 - WIDTH + 1)


def test_replies_that_are_known_at_once_do_not_open_every_job() -> None:
    """A model that reads all prompts before its first reply still sees a bounded number."""
    opened: list[int] = []

    def jobs() -> Iterator[tuple[int, Job]]:
        for i in range(5 * MOST):
            opened.append(i)
            yield i, talk(i, [1])

    class Eager(Batches):
        def complete(
            self, prompts: Iterable[Prompt], watch: Watch | None = None
        ) -> Iterator[tuple[int, Completion]]:
            many = list(prompts)
            assert len(many) <= MOST
            yield from ((i, Completion(p.user, "stop", 1, 1)) for i, p in enumerate(many))

    talks = Conversations(Eager(), jobs())
    ended = 0
    for _ in talks.go(lambda: False):
        ended += 1
        assert len(opened) - ended <= MOST
    assert ended == 5 * MOST


def test_nothing_is_asked_after_the_stop() -> None:
    """Replies under way are waited for; those who wait are asked when it goes on."""
    model = Batches()
    talks = Conversations(model, ((i, talk(i, [1, 1])) for i in range(20)))
    first = [i for i, _ in talks.go(lambda: len(model.asked) >= 10)]
    assert 10 <= len(model.asked) <= 10 + 2 * WIDTH and not talks.done
    assert sorted(first + [i for i, _ in talks.go(lambda: False)]) == list(range(20))
    assert talks.done and len(model.asked) == 40


def test_a_model_that_owes_a_reply_holds_nobody_up() -> None:
    """Prompts of every third conversation stay unanswered: those end without findings."""

    class Forgetful(Batches):
        def complete(
            self, prompts: Iterable[Prompt], watch: Watch | None = None
        ) -> Iterator[tuple[int, Completion]]:
            for i, prompt in enumerate(prompts):
                if int(prompt.user.split(".")[0]) % 3:
                    yield i, Completion(prompt.user, "stop", 1, 1)

    talks = Conversations(Forgetful(), ((i, talk(i, [2, 2])) for i in range(3 * MOST)))
    assert sorted(i for i, _ in talks.go(lambda: False)) == [i for i in range(3 * MOST) if i % 3]
    assert talks.done
