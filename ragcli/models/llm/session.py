"""A llama.cpp session: the key-value cache of several sequences, and batches of tokens."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.llm.kept_heads import KeptHeads
from ragcli.models.llm.llama_library import complaints, why
from ragcli.models.llm.model import Model

CHUNK = 512
"""Tokens of a prompt per batch."""

_STEP = 256  # llama.cpp rounds the room of a sequence up to a multiple of this
_SLOW = 0.2  # seconds; only batches that may take longer check whether to stop
_NO_ROOM = 1
_PLAIN = ("F32", "F16", "BF16")
KV_BYTES = {"f16": 2.0, "q8_0": 34 / 32}
"""Bytes of a number in the key-value cache."""


class OutOfTimeError(Exception):
    """The deadline passed during a batch, which was stopped; every sequence is empty now."""


KEEPERS = 2
"""Beginnings of prompts that are kept in addition to those in use."""


def shares(model: Model, width: int) -> bool:
    """Return whether ``width`` sequences can share the beginning of a kept sequence."""
    return model.can_share and width > 1


def rounded(tokens: int) -> int:
    """Return the room, in tokens, that a sequence of this many tokens takes."""
    return -(-tokens // _STEP) * _STEP


class LlamaSession:
    """``width`` sequences of up to ``room`` tokens each, with separate memory.

    Every prompt is divided at the same places and processed alone, and attention is computed
    without llama.cpp's flash attention. So a result does not depend, even in its last bit, on
    other computations at the same time. (``unified`` gives all sequences a common memory; it is
    for measurements.)
    """

    def __init__(
        self,
        model: Model,
        width: int,
        room: int,
        threads: int,
        kv_type: str = "f16",
        kept: KeptHeads | None = None,
        unified: bool = False,
    ) -> None:
        """``kept``: beginnings read by former sessions. Raises ModelError when memory is too
        small."""
        self.width = width
        self._kept = kept or KeptHeads()
        # Additional sequences keep common beginnings of prompts, the most recently used last.
        self._keepers = list(range(width, width + KEEPERS)) if shares(model, width) else []
        sequences = width + len(self._keepers)
        # Weights that are not quantised are multiplied differently for one sequence and for
        # several, so a sequence is never computed alone.
        self._spare = sequences if model.gguf.quantisation in _PLAIN else -1
        sequences += self._spare >= 0
        self._heads: list[tuple[int, ...]] = [()] * sequences
        self.room = rounded(room)
        self._model = model
        self._lib = lib = model.lib
        parameters = lib.llama_context_default_params()
        parameters.n_ctx = self.room * sequences
        parameters.n_seq_max = sequences
        parameters.n_batch = parameters.n_ubatch = max(CHUNK, width)
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.kv_unified = unified
        quantised = kv_type != "f16"
        # Only flash attention supports quantised values.
        parameters.flash_attn_type = int(quantised)
        if quantised:
            parameters.type_k = parameters.type_v = lib.GGML_TYPE_Q8_0
        complaints.clear()
        self._context = lib.llama_init_from_model(model.pointer, parameters)
        if not self._context:
            reason = why("llama.cpp gives no reason")
            raise ModelError(
                f"not enough memory for {width} texts of {self.room} tokens: {reason}",
                "set a smaller llm_context, or llm_kv_type = q8_0",
            )
        self._in_use = threads
        self.reading = self.writing = threads
        """Threads that compute prompts, and those that compute steps."""
        self._memory = lib.llama_get_memory(self._context)
        self._batch = lib.llama_batch_init(max(CHUNK, width), 0, 1)
        self.deadline: float | None = None
        """When batches stop (``time.monotonic``) and raise OutOfTimeError."""
        self.on_batch: Callable[[int, float], None] | None = None
        """Called with the tokens and seconds of each batch of a prompt."""
        self._stop = threading.Event()
        self._ask = lib.ggml_abort_callback(lambda _data: self._stop.is_set() or self._late())
        self._never = lib.ggml_abort_callback()
        self._last = 0.0  # seconds that the last batch took

    def close(self) -> None:
        """Free the memory; the object cannot be used afterwards."""
        if self._context:
            self._lib.llama_batch_free(self._batch)
            self._lib.llama_free(self._context)
            self._context = None

    def begins_with(self, sequence: int, head: tuple[int, ...]) -> bool:
        """Return whether ``sequence`` already begins with ``head``."""
        return self._heads[sequence] == head

    def read(self, sequence: int, head: tuple[int, ...], tail: Sequence[int]) -> int:
        """Set the content of ``sequence`` to ``head`` and ``tail``.

        If the sequence or a keeper already contains ``head``, it is not computed again. Return the
        index of the last token for ``logits``.
        """
        if not self._model.can_share:
            self.cut(sequence, 0)
            self.feed(sequence, 0, head)
            return self.feed(sequence, len(head), tail)
        if self._heads[sequence] != head:
            self.cut(sequence, 0)
            self._begin(sequence, head)
        self.cut(sequence, len(head))
        return self.feed(sequence, len(head), tail)

    def _begin(self, sequence: int, head: tuple[int, ...]) -> None:
        """Put ``head`` into an empty sequence, copied from a keeper if there are keepers."""
        if not self._keepers:
            self._fill(sequence, head)
        else:
            keeper = next((k for k in self._keepers if self._heads[k] == head), self._keepers[0])
            self._keepers.remove(keeper)
            self._keepers.append(keeper)
            if self._heads[keeper] != head:
                self.cut(keeper, 0)
                self._fill(keeper, head)
                self._heads[keeper] = head
            self._lib.llama_memory_seq_cp(self._memory, keeper, sequence, -1, -1)
        self._heads[sequence] = head

    def _fill(self, sequence: int, head: tuple[int, ...]) -> None:
        """Put ``head`` into an empty sequence: what was made of it before, or read it."""
        state = self._kept.get(head)
        if state is not None:
            buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
            if self._lib.llama_state_seq_set_data(self._context, buffer, len(state), sequence):
                return
            self.cut(sequence, 0)
        self.feed(sequence, 0, head)
        self._kept.put(head, self._state(sequence))

    def _state(self, sequence: int) -> bytes:
        size = self._lib.llama_state_seq_get_size(self._context, sequence)
        buffer = (ctypes.c_uint8 * size)()
        length = self._lib.llama_state_seq_get_data(self._context, buffer, size, sequence)
        return bytes(memoryview(buffer)[:length])

    def clear(self) -> None:
        """Clear every sequence."""
        self._lib.llama_memory_clear(self._memory, False)
        self._heads = [()] * len(self._heads)

    def cut(self, sequence: int, length: int) -> None:
        """Remove the tokens of a sequence from ``length`` on."""
        if length < len(self._heads[sequence]):
            self._heads[sequence] = ()
        start = length if length else -1  # removing everything works with every kind of memory
        if not self._lib.llama_memory_seq_rm(self._memory, sequence, start, -1):
            raise ModelError("the model's memory cannot be shortened", "use another model")

    def feed(self, sequence: int, start: int, tokens: Sequence[int], *, every: bool = False) -> int:
        """Run the model on ``tokens`` of ``sequence`` from position ``start`` on.

        Return the index of the last token in the last batch, for ``logits``. With ``every``, all
        tokens (at most CHUNK) have logits, the first at 0.
        """
        self._use(self.reading)
        last = -1
        for at in range(0, len(tokens), CHUNK):
            part = tokens[at : at + CHUNK]
            last = len(part) - 1
            for i, token in enumerate(part):
                self._put(i, token, start + at + i, sequence, every or i == last)
            self._decode(len(part))
            if self.on_batch:
                self.on_batch(len(part), self._last)
        return last

    def step(self, entries: Sequence[tuple[int, int, int]]) -> None:
        """Run the model on one token of each of several sequences: (sequence, position, token).

        The logits of the i-th entry are ``logits(i)``.
        """
        self._use(self.writing)
        for i, (sequence, position, token) in enumerate(entries):
            self._put(i, token, position, sequence, True)
        if len(entries) == 1 and self._spare >= 0:
            self._put(1, entries[0][2], 0, self._spare, True)
            self._decode(2)
            self.cut(self._spare, 0)
        else:
            self._decode(len(entries))

    def logits(self, i: int) -> NDArray[np.float32]:
        """Return the logits after token ``i`` of the last batch: a view, valid until the next."""
        pointer = self._lib.llama_get_logits_ith(self._context, i)
        address = ctypes.addressof(pointer.contents)
        buffer = (ctypes.c_float * self._model.vocabulary).from_address(address)
        return np.ctypeslib.as_array(buffer)

    def _use(self, threads: int) -> None:
        """Compute the next batches with so many threads."""
        if threads != self._in_use:
            self._in_use = threads
            self._lib.llama_set_n_threads(self._context, threads, threads)

    def _put(self, i: int, token: int, position: int, sequence: int, logits: bool) -> None:
        batch = self._batch
        batch.token[i], batch.pos[i] = token, position
        batch.n_seq_id[i], batch.seq_id[i][0] = 1, sequence
        batch.logits[i] = logits

    def _decode(self, count: int) -> None:
        self._batch.n_tokens = count
        # The check calls Python for every operation, so only slow batches do it.
        slow = count > self.width or self._last > _SLOW
        ask = self._ask if slow else self._never
        self._lib.llama_set_abort_callback(self._context, ask, None)
        complaints.clear()
        begun = time.perf_counter()
        with _interrupts(self._stop) as signals:
            result = self._lib.llama_decode(self._context, self._batch)
        self._last = time.perf_counter() - begun
        if self._stop.is_set():
            self._stop.clear()
            self.clear()
            for number in signals:
                signal.raise_signal(number)  # the program's own handler raises what it wants
            raise KeyboardInterrupt
        if result != 0:
            self.clear()
            if self._late():
                raise OutOfTimeError
            what = "no room left" if result == _NO_ROOM else why(f"error {result}")
            raise ModelError(f"llama.cpp failed: {what}", "set a smaller llm_context")

    def _late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline


@contextmanager
def _interrupts(stop: threading.Event) -> Iterator[list[int]]:
    """Set ``stop`` on Ctrl-C, and on SIGTERM if the program handles that; yield the signals' list.

    An exception from a signal handler in a callback from C would be lost.
    """
    caught: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return

    def note(number: int, _frame: Any) -> None:
        caught.append(number)
        stop.set()

    former: dict[int, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, note)}
    if callable(signal.getsignal(signal.SIGTERM)):
        former[signal.SIGTERM] = signal.signal(signal.SIGTERM, note)
    try:
        yield caught
    finally:
        for number, handler in former.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
