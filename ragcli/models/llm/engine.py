"""Generates replies with a language model: several at once, or one as a stream of text."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragcli.errors import ModelError
from ragcli.models.completion import LEAST, Completion, Prompt, Watch
from ragcli.models.cpu import available_memory, usable_cpus
from ragcli.models.llm.kept_heads import KeptHeads
from ragcli.models.llm.model import Model
from ragcli.models.llm.pace import Pace
from ragcli.models.llm.reply import Growing, TokenPrompt
from ragcli.models.llm.sampling import Grammars, log_softmax
from ragcli.models.llm.session import (
    KEEPERS,
    KV_BYTES,
    LlamaSession,
    OutOfTimeError,
    rounded,
)
from ragcli.models.llm.template import Template
from ragcli.models.llm.thread_choice import ThreadChoice
from ragcli.models.locate import file_fingerprint

WIDTH = 8
"""Most replies generated at once; a slow model generates fewer (``pace``)."""

_AHEAD = 2
"""Prompts taken in advance. Their conversations count as begun, so there are few."""

# Change this whenever equal prompts may get other replies than before.
_ENGINE = "1"
_MEMORY_SHARE = 0.5  # share of the free memory for the key-value cache


class Llm:
    """A language model with greedy decoding: a prompt always gets the same reply.

    ``parameters`` is its number of weights. ``context`` is the maximum number of tokens of a prompt
    and its reply together. Several threads must not use it at once.
    """

    def __init__(
        self,
        path: Path,
        context: int = 4096,
        threads: int | None = None,
        *,
        width: int = WIDTH,
        gpu_layers: int = 0,
        kv_type: str = "f16",
        heads: Path | None = None,
    ) -> None:
        """Load the model by mapping its file.

        ``context`` is lowered to the length that the model was trained for. ``threads`` defaults
        to the usable processors; fewer are used while that is faster. ``width`` is
        the number of replies to generate at once. ``kv_type`` (f16, q8_0) is the number type of the
        key-value cache. ``heads`` is a folder where what it makes of the beginnings of prompts
        lasts. Raises ModelError when llama-cpp-python or the file is missing, the file is not GGUF
        or is damaged, or there is not enough memory.
        """
        if kv_type not in KV_BYTES:
            raise ModelError(f"unknown llm_kv_type {kv_type!r}", f"choose: {', '.join(KV_BYTES)}")
        self._model = Model(path, gpu_layers)
        self.path = path
        self.parameters = self._model.parameters
        self.context = min(context, self._model.trained_context)
        self.width = width
        self._threads = min(threads or usable_cpus(), usable_cpus())
        self._kv_type = kv_type
        self._template = Template(self._model)
        self._grammars = Grammars(self._model)
        self._session: LlamaSession | None = None
        self._kept = KeptHeads(f"{self.fingerprint} {gpu_layers} {self._model.computes}", heads)
        self._pace = Pace()
        self._choice = ThreadChoice(self._threads)
        self._run = 0

    @property
    def fingerprint(self) -> str:
        """A hash of the model's content and of how it is used."""
        parts = [_ENGINE, file_fingerprint(self.path), self._kv_type]
        parts += ["blanks after marks only"] if self._template.blank else []
        return sha256("\0".join(parts).encode()).hexdigest()[:16]

    def count_tokens(self, text: str) -> int:
        """Return the tokens of ``text`` by itself, without the chat template."""
        return len(self._model.tokenize(text))

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        """Yield (position of the prompt, reply), each as soon as it is complete, in any order.

        Prompts are consumed lazily, a few in advance; ``watch``: see ``Completer``. Raises
        ModelError when a prompt and its reply do not fit the context, or when a grammar is invalid.
        """
        requests = (self._request(i, prompt) for i, prompt in enumerate(prompts))
        for growing in self._answers(requests, self.width, watch):
            if growing.finish:
                yield growing.request.index, growing.completion()

    def generate(self, system: str, user: str, max_tokens: int) -> Iterator[str]:
        """Yield pieces of the reply as they are generated, at most ``max_tokens`` tokens.

        The reply ends early when the model repeats itself three times. Raises ModelError when
        prompt and reply do not fit the context.
        """
        request = self._request(0, Prompt(system, user, max_tokens))
        said = 0
        for growing in self._answers(iter([request]), 1):
            if len(growing.text) > said:
                yield growing.text[said:]
                said = len(growing.text)

    def choose(self, system: str, user: str, choices: Sequence[str]) -> list[float]:
        """Return for each of ``choices`` the natural logarithm of the probability that the reply
        begins with it."""
        answers = [self._model.tokenize(choice) for choice in choices]
        longest = max(map(len, answers))
        request = self._request(0, Prompt(system, user, longest))
        session = self._open(1, request.tokens + longest)
        self._run += 1
        first = log_softmax(session.logits(session.read(0, request.head, request.tail)))
        found = []
        for tokens in answers:
            total = float(first[tokens[0]]) if tokens else 0.0
            if len(tokens) > 1:
                session.feed(0, request.tokens, tokens[:-1], every=True)
                for i, token in enumerate(tokens[1:]):
                    total += float(log_softmax(session.logits(i))[token])
                if self._model.can_share:
                    session.cut(0, request.tokens)
                else:
                    session.read(0, request.head, request.tail)
            found.append(total)
        return found

    def close(self) -> None:
        """Free the model's memory; the object cannot be used afterwards."""
        self._grammars.close()
        self._forget()
        self._model.close()

    def _request(self, index: int, prompt: Prompt) -> TokenPrompt:
        head = tuple(self._template.head(prompt.system))
        request = TokenPrompt(index, prompt, head, tuple(self._template.tail(prompt.user)))
        if request.tokens + prompt.max_tokens > self.context:
            raise ModelError(
                f"the prompt has {request.tokens} tokens and the reply may have "
                f"{prompt.max_tokens}, but the context has room for {self.context}",
                "lower the budget, or set a larger llm_context if the model supports it",
            )
        return request

    def _answers(
        self, requests: Iterator[TokenPrompt], width: int, watch: Watch | None = None
    ) -> Iterator[Growing]:
        """Yield a reply each time that it has grown.

        A sequence whose reply has ended starts with the next request at once.
        """
        self._run += 1
        slots: dict[int, Growing] = {}
        watch = watch or Watch()
        try:
            with suppress(OutOfTimeError):
                yield from self._grown(requests, width, watch, slots)
            for growing in slots.values():
                growing.finish = "begun"
                yield growing
        finally:
            for growing in slots.values():
                growing.close()

    def _grown(
        self,
        requests: Iterator[TokenPrompt],
        width: int,
        watch: Watch,
        slots: dict[int, Growing],
    ) -> Iterator[Growing]:
        """``_answers``, with the replies under way in ``slots``; it ends at the deadline."""
        run, least = self._run, watch.written + LEAST
        waiting = deque(islice(requests, min(width, _AHEAD)))
        replies = watch.replies
        while waiting or slots:
            got_on = watch.replies > replies or watch.written >= least
            if watch.over and (got_on or not slots):
                return
            if not slots:
                # More than one: many may follow.
                at_once = width if len(waiting) > 1 else 1
                session = self._open(at_once, max(map(_room, waiting)))
            session.deadline = watch.deadline if got_on else None
            grown = self._begin_next(session, slots, waiting, watch)
            if grown:
                waiting.extend(islice(requests, 1))
            else:
                self._step(session, slots, watch)
                grown = list(slots.values())
            for at in [at for at, growing in slots.items() if growing.finish]:
                ended = slots.pop(at)
                watch.has_replied(len(ended.request.tail), ended.count)
            for growing in grown:
                yield growing
                if run != self._run:
                    raise RuntimeError("the model was called again before the reply ended")
            watch.note()

    def _begin_next(
        self,
        session: LlamaSession,
        slots: dict[int, Growing],
        waiting: deque[TokenPrompt],
        watch: Watch,
    ) -> list[Growing]:
        """Begin the next reply in a free sequence if the others still end soon; return it."""
        free = next((at for at in range(session.width) if at not in slots), None)
        if free is None or not waiting or not self._pace.allows(slots.values(), waiting[0]):
            return []
        request = _next(waiting, session, free)
        if request is None:
            return []

        def has_read(tokens: int, seconds: float) -> None:
            self._pace.has_read(tokens, seconds)
            watch.read += tokens
            watch.reading += seconds
            watch.note()

        session.on_batch = has_read
        session.reading = self._choice.usual
        try:
            slots[free] = self._begin(session, free, request)
        finally:
            session.on_batch = None
        return [slots[free]]

    def _begin(self, session: LlamaSession, at: int, request: TokenPrompt) -> Growing:
        """Read the prompt into sequence ``at`` and generate the first token of the reply."""
        grammar = request.prompt.grammar
        follower = self._grammars.follow(grammar) if grammar else None
        growing = Growing(request, follower)
        try:
            last = session.read(at, request.head, request.tail)
            if begun := request.prompt.begun:
                self._replay(growing, begun)
                last = session.feed(at, request.tokens, begun)
            self._add(growing, session.logits(last))
        except BaseException:
            growing.close()
            raise
        return growing

    def _step(self, session: LlamaSession, slots: dict[int, Growing], watch: Watch) -> None:
        """Generate the next token of every reply."""
        session.writing = self._choice.threads
        began = time.perf_counter()
        session.step([(at, g.request.tokens + g.count - 1, g.last) for at, g in slots.items()])
        self._choice.has_stepped(len(slots), time.perf_counter() - began)
        for i, growing in enumerate(slots.values()):
            self._add(growing, session.logits(i))
        spent = time.perf_counter() - began
        self._pace.has_stepped(spent, len(slots))
        watch.written += len(slots)
        watch.writing += spent

    def _replay(self, growing: Growing, tokens: Sequence[int]) -> None:
        """Put the tokens that an earlier call wrote into the reply."""
        for token in tokens:
            if growing.follower:
                growing.follower.accept(token)
            growing.add(token, self._model.piece(token), False)

    def _add(self, growing: Growing, logits: NDArray[np.float32]) -> None:
        """Choose the next token and append it."""
        token = growing.follower.pick(logits) if growing.follower else int(np.argmax(logits))
        growing.add(token, self._model.piece(token), self._model.ends(token))
        if growing.finish:
            self._pace.has_replied(growing.count)
            growing.close()

    def _open(self, width: int, tokens: int) -> LlamaSession:
        """Return a session for replies of up to ``tokens`` tokens with their prompts.

        It has fewer than ``width`` sequences if memory is short.
        """
        session = self._session
        if session and session.room >= tokens and session.width >= width:
            return session
        # Each time by a half at least: a new session has to read the instructions again.
        least = min(session.room * 3 // 2, self.context) if session else 0
        room = rounded(max(tokens, least))
        self._forget()
        free = available_memory()
        if free is not None:
            each = room * self._model.kv_bytes(KV_BYTES[self._kv_type])
            width = max(1, min(width, int(free * _MEMORY_SHARE / each) - KEEPERS))
        self._session = LlamaSession(
            self._model, width, room, self._threads, self._kv_type, self._kept
        )
        return self._session

    def _forget(self) -> None:
        """Close the session; the next call opens a new one."""
        if self._session:
            self._session.close()
            self._session = None


def _room(request: TokenPrompt) -> int:
    """Return the tokens of prompt and reply together."""
    return request.tokens + request.prompt.max_tokens


def _next(waiting: deque[TokenPrompt], session: LlamaSession, at: int) -> TokenPrompt | None:
    """Take a request for sequence ``at``: one with the same beginning, or else the first one.

    Requests that are too long for the session wait for a larger one.
    """
    fitting = [i for i, request in enumerate(waiting) if _room(request) <= session.room]
    if not fitting:
        return None
    alike = (i for i in fitting if session.begins_with(at, waiting[i].head))
    best = next(alike, fitting[0])
    request = waiting[best]
    del waiting[best]
    return request
