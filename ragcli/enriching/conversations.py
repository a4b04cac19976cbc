"""Runs conversations about many chunks side by side, so that the model is never idle."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, TypeVar

from ragcli.extract.llm.job import Job
from ragcli.models.completion import Completer, Completion, Prompt, Watch
from ragcli.types import Findings

T = TypeVar("T")

MOST = 64
"""Conversations that are open at most; the model decides how many prompts it takes at once."""


@dataclass(slots=True)
class _RunningJob(Generic[T]):
    about: T
    job: Job
    prompts: list[Prompt] = field(default_factory=list)
    replies: dict[int, Completion] = field(default_factory=dict)


class Conversations(Generic[T]):
    """Runs jobs, each a pair (subject, job), with ``model``. Jobs start in order, each when the
    model has room for its prompts.

    A reply is used as soon as it arrives: the prompts that follow from it are asked before those of
    jobs that have not started.
    """

    def __init__(self, model: Completer, jobs: Iterator[tuple[T, Job]]) -> None:
        self._model = model
        self._jobs = jobs
        self._begun_all = False
        self._open = 0
        self._ready: deque[tuple[_RunningJob[T], int]] = deque()
        self._ended: deque[tuple[T, Findings]] = deque()

    @property
    def done(self) -> bool:
        """Whether every job has ended."""
        return self._begun_all and not self._open and not self._ended

    def go(
        self, stop: Callable[[], bool], watch: Watch | None = None
    ) -> Iterator[tuple[T, Findings]]:
        """(subject, findings) of each job as it ends, until all have ended or ``stop()`` is true.

        Then no more prompts are sent and pending replies are awaited, as far as ``watch`` lets the
        model go on; the next call continues. A conversation without its reply is dropped.
        """
        while not self.done and not stop():
            asked: dict[int, tuple[_RunningJob[T], int]] = {}
            for at, reply in self._model.complete(self._prompts(asked, stop), watch):
                talk, number = asked.pop(at)
                talk.replies[number] = reply
                if len(talk.replies) == len(talk.prompts):
                    self._step(talk)
                yield from self._take_ended()
            yield from self._take_ended()
            self._give_up({id(talk) for talk, _ in asked.values()})

    def _prompts(
        self, asked: dict[int, tuple[_RunningJob[T], int]], stop: Callable[[], bool]
    ) -> Iterator[Prompt]:
        """The next prompts; each is noted in ``asked`` by its position."""
        for position in count():
            if stop() or not (self._ready or self._begin()):
                return
            talk, number = asked[position] = self._ready.popleft()
            yield talk.prompts[number]

    def _give_up(self, talks: set[int]) -> None:
        self._open -= len(talks)
        self._ready = deque(entry for entry in self._ready if id(entry[0]) not in talks)

    def _begin(self) -> bool:
        """Start jobs until one has a prompt; False when none has one or enough are open."""
        while not self._ready and self._open < MOST:
            following = next(self._jobs, None)
            if following is None:
                self._begun_all = True
                return False
            self._open += 1
            self._step(_RunningJob(*following))
        return bool(self._ready)

    def _step(self, talk: _RunningJob[T]) -> None:
        """Continue a conversation: it has its next prompts, or ends."""
        replies = [talk.replies[i] for i in range(len(talk.prompts))]
        try:
            talk.prompts = talk.job.send(replies) if replies else next(talk.job)
        except StopIteration as end:
            self._open -= 1
            self._ended.append((talk.about, end.value))
            return
        assert talk.prompts, "a job that goes on asks something"
        talk.replies = {}
        self._ready.extend((talk, i) for i in range(len(talk.prompts)))

    def _take_ended(self) -> Iterator[tuple[T, Findings]]:
        while self._ended:
            yield self._ended.popleft()
