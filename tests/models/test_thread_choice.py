"""How many threads write replies, on machines whose speed is made up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from ragcli.models.completion import Prompt
from ragcli.models.llm import Llm, engine
from ragcli.models.llm.session import LlamaSession
from ragcli.models.llm.thread_choice import FIRST, LAST, TRIAL, ThreadChoice
from ragcli.models.locate import llm_file

FILE = llm_file()


def stepped(choice: ThreadChoice, steps: int, seconds: Callable[[int], float]) -> Counter[int]:
    """How many of the steps had how many threads, where a step takes ``seconds(threads)``."""
    used: Counter[int] = Counter()
    for _ in range(steps):
        used[choice.threads] += 1
        choice.has_stepped(4, seconds(choice.threads))
    return used


def alone(threads: int) -> float:
    return 0.1 / threads


def beside_others(threads: int) -> float:
    """As measured beside ten busy programs on two processors."""
    return 0.04 * (10 if threads == 2 else 1)


def test_two_threads_that_wait_for_each_other_are_left_soon() -> None:
    """One thread after the first trial; two are tried again now and then, ever less often."""
    choice = ThreadChoice(2)
    used = stepped(choice, FIRST + 2 * TRIAL, beside_others)
    assert choice.threads == 1 and used[2] <= FIRST + TRIAL
    later = stepped(choice, 2000, beside_others)
    assert 0 < later[2] <= 12 * TRIAL


def test_where_two_are_faster_they_stay() -> None:
    """Trials cost little: not one step in twenty."""
    choice = ThreadChoice(2)
    used = stepped(choice, 2000, alone)
    assert 0 < used[1] < 2000 / 20


def test_two_come_back_when_the_machine_is_free_again() -> None:
    choice = ThreadChoice(2)
    assert stepped(choice, 400, beside_others)[1] > 350
    used = stepped(choice, LAST + 200, alone)
    assert used[2] > 100
    assert stepped(choice, 100, alone)[2] > 85


@pytest.mark.parametrize(("most", "best"), [(8, 8), (8, 7), (8, 4), (3, 2), (1, 1)])
def test_of_many_threads_the_fastest_number_is_found(most: int, best: int) -> None:
    """One processor in use by another program leaves most - 1; the half is tried as well."""
    choice = ThreadChoice(most)
    stepped(choice, 300, lambda threads: 0.1 + 0.05 * (threads != best))
    assert stepped(choice, 300, lambda threads: 0.1 + 0.05 * (threads != best))[best] > 280


def test_noise_changes_nothing() -> None:
    """A trial that is a little faster is no reason."""
    choice = ThreadChoice(2)
    assert stepped(choice, 500, lambda threads: 0.1 - 0.005 * (threads == 1))[2] > 450


def test_more_replies_are_not_compared_with_fewer() -> None:
    """Steps that take longer for more replies end a trial; with few at a time it goes on."""
    choice = ThreadChoice(2)
    for at in range(400):
        choice.has_stepped(1 + at % 2, 0.1 if choice.threads == 2 else 0.01)
        assert choice.threads == 2
    stepped(choice, FIRST + 2 * TRIAL, beside_others)
    assert choice.threads == 1


@pytest.mark.skipif(FILE is None, reason="extra smollm2 is not installed")
def test_replies_do_not_depend_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads and one in turns, for prompts and steps, against one: equal texts."""
    assert FILE is not None
    used: list[tuple[str, int]] = []

    class Turns(ThreadChoice):
        """One thread after two and two after one."""

        def has_stepped(self, replies: int, seconds: float) -> None:
            self.usual, self.threads = self.threads, 3 - self.threads

    usual = LlamaSession._decode

    def noted(session: LlamaSession, count: int) -> None:
        used.append(("read" if count > session.width else "step", session._in_use))
        usual(session, count)

    prompts = [
        Prompt("You tell tales.", f"Tell one about a {x}.", tokens)
        for x, tokens in (("cat", 7), ("king", 12), ("ship", 9), ("mill", 8))
    ]
    monkeypatch.setattr(engine, "usable_cpus", lambda: 2)
    monkeypatch.setattr(LlamaSession, "_decode", noted)
    texts = []
    for kind, threads in ((ThreadChoice, 1), (Turns, 2)):
        monkeypatch.setattr(engine, "ThreadChoice", kind)
        used.clear()
        model = Llm(FILE, context=256, threads=threads, width=2)
        texts.append([reply.text for _, reply in sorted(model.complete(prompts))])
        model.close()
    assert texts[0] == texts[1] and all(texts[0])
    assert set(used) == {("read", 1), ("read", 2), ("step", 1), ("step", 2)}
