"""How many replies are written at once: few with a slow model, many with a quick one."""

from __future__ import annotations

import time

from ragcli.models.completion import Prompt
from ragcli.models.llm.pace import LATE, SOON, Pace
from ragcli.models.llm.reply import Growing, TokenPrompt


def request(tokens: int) -> TokenPrompt:
    """A prompt whose own text has so many tokens."""
    return TokenPrompt(0, Prompt("", "", 1600), (), tuple(range(tokens)))


def most(read: float, step: float, tokens: int, reply: int) -> int:
    """How many replies a model begins at once that reads and steps in so many seconds a token; each
    more adds a quarter to a step."""
    pace = Pace()
    pace.has_read(100, 100 * read)
    pace.has_stepped(step, 1)
    pace.has_replied(reply)
    under_way: list[Growing] = []
    while len(under_way) < 8 and pace.allows(under_way, request(tokens)):
        for growing in under_way:  # the time for reading passes for all of them
            growing.began -= read * tokens
        under_way.append(Growing(request(tokens), None, began=time.monotonic() - read * tokens))
        for _ in range(100):  # until the running mean is there
            pace.has_stepped(step * (1 + (len(under_way) - 1) / 4), len(under_way))
    return len(under_way)


def test_a_quick_model_writes_as_many_as_it_can() -> None:
    """SmolLM2-135M on an idle machine: nothing is gained by waiting."""
    assert most(read=1 / 500, step=1 / 30, tokens=150, reply=60) == 8


def test_a_slow_model_writes_few_so_that_the_first_ends_soon() -> None:
    """1.5 billion weights on two cores, prompts of a whole chunk: one takes 25 s, four 75 s."""
    assert 2 <= most(read=1 / 130, step=1 / 25, tokens=1300, reply=400) <= 4


def test_a_very_slow_one_writes_several_but_not_all_at_once() -> None:
    """One takes 211 s in any case; beside others it may take three times as long."""
    assert 3 <= most(read=1 / 15, step=1 / 4, tokens=1300, reply=500) <= 6


def test_nothing_is_begun_beside_a_reply_until_a_step_was_measured() -> None:
    """What a step takes cannot be told from the time for reading."""
    pace = Pace()
    growing = Growing(request(10), None)
    assert pace.allows([], request(10))
    pace.has_read(1000, 0.1)
    assert not pace.allows([growing], request(10))
    pace.has_stepped(0.01, 1)
    assert pace.allows([growing], request(10))


def test_a_reply_that_is_late_already_waits_for_no_other() -> None:
    """Whatever the speed."""
    pace = Pace()
    pace.has_read(1000, 0.1)
    pace.has_stepped(0.001, 1)
    growing = Growing(request(10), None, began=time.monotonic() - SOON - 1)
    assert not pace.allows([growing], request(10))
    assert pace.allows([], request(10))
    pace = Pace()
    pace.has_read(10, 100)
    pace.has_stepped(0.1, 1)
    growing.began = time.monotonic() - LATE * (100 + 250 * 0.1)
    assert not pace.allows([growing], request(10))
