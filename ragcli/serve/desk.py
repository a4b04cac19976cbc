"""Gives each message its turn: a few requests are worked on at a time, and all clients fairly."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from ragcli.serve.call import Call
from ragcli.serve.jsonrpc import INVALID_REQUEST, LARGEST_BATCH, Json, RpcError, failed
from ragcli.serve.protocol import WORK

# Requests worked on at a time; others wait.
WORKERS = 4


class Answering(Protocol):
    """What answers one message: an ``Endpoint``, here or in another process."""

    def answer(self, message: Any, call: Call) -> Json | None: ...


class Desk:
    """Answers messages. Those that open the store wait for their turn, all others never wait.

    A batch takes a turn for each of its messages, so those of other clients come between.
    """

    def __init__(self, quick: Answering, work: Answering | None = None) -> None:
        """``work`` answers what opens the store; without it ``quick`` answers everything."""
        self._quick = quick
        self._work = work or quick
        self._turns = ThreadPoolExecutor(WORKERS, "serve")

    def begin(self, message: Any, call: Call) -> Future[Any]:
        """The answer to come: a response, a list of them for a batch, or None.

        A call that is cancelled gets None; what has not begun by then never begins.
        """
        coming: Future[Any] = Future()
        if isinstance(message, list) and len(message) > LARGEST_BATCH:
            error = RpcError(INVALID_REQUEST, f"a batch has at most {LARGEST_BATCH} messages")
            coming.set_result(failed(None, error))
        elif is_work(message):
            self._turns.submit(self._turn, message, deque(several(message)), [], call, coming)
        else:
            answers = [self._quick.answer(one, call) for one in several(message)]
            coming.set_result(_joined(message, answers))
        return coming

    def _turn(
        self, message: Any, left: deque[Any], answers: list[Any], call: Call, coming: Future[Any]
    ) -> None:
        """Answer the next message of a request, and let it wait for another turn."""
        try:
            if not call.cancelled:
                one = left.popleft()
                by = self._work if is_work(one) else self._quick
                answers.append(by.answer(one, call))
            if call.cancelled:
                coming.set_result(None)
            elif left:
                self._turns.submit(self._turn, message, left, answers, call, coming)
            else:
                coming.set_result(_joined(message, answers))
        except BaseException as error:
            coming.set_exception(error)
            raise


def several(message: Any) -> list[Any]:
    """The messages of a batch; one message, or an empty batch, as it is."""
    return message if isinstance(message, list) and message else [message]


def is_work(message: Any) -> bool:
    """Whether a message, or one of a batch, opens the store."""
    return any(isinstance(m, dict) and str(m.get("method")) in WORK for m in several(message))


def _joined(message: Any, answers: list[Any]) -> Any:
    given = [answer for answer in answers if answer is not None]
    if isinstance(message, list) and message:
        return given or None
    return next(iter(given), None)
