"""A cache of language model replies by prompt, so that no prompt is answered twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from pathlib import Path

import orjson

from ragcli.errors import StoreDamaged
from ragcli.models.completion import Completer, Completion, Prompt, Watch
from ragcli.store.connection import damaged
from ragcli.store.meta import get_meta, set_meta
from ragcli.store.transaction import transaction


class Replies:
    """Cached replies by key.

    ``counting``: each new reply adds to the cost of the store (``llm_calls`` and ``llm_tokens`` of
    ``inspect stats``).
    """

    def __init__(self, db: sqlite3.Connection, *, counting: bool = True) -> None:
        self._db = db
        self._counting = counting

    def get(self, key: bytes) -> Completion | None:
        """The reply for a key, None if there is none."""
        row = self._db.execute("SELECT data FROM replies WHERE hash = ?", (key,)).fetchone()
        if row is None:
            return None
        text, finish, read, written, *ids = orjson.loads(row[0])
        return Completion(text, finish, read, written, *map(tuple, ids))

    def keep(self, key: bytes, reply: Completion) -> None:
        """Save a reply; one transaction. It takes the place of one that was only begun."""
        data = [reply.text, reply.finish, reply.prompt_tokens, reply.tokens]
        data += [reply.ids] if reply.ids else []
        with transaction(self._db):
            self._db.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, orjson.dumps(data))
            )
            if self._counting and reply.finish != "begun":
                self._count("llm_calls", 1)
                self._count("llm_tokens", reply.prompt_tokens + reply.tokens)

    def _count(self, name: str, more: int) -> None:
        set_meta(self._db, name, str(int(get_meta(self._db, name, "0")) + more))

    def are_there(self) -> bool:
        """Whether any reply is kept."""
        return self._db.execute("SELECT 1 FROM replies LIMIT 1").fetchone() is not None

    def forget_all_but(self, wanted: Collection[bytes]) -> int:
        """Delete the replies of all other keys; returns how many there were."""
        with transaction(self._db):
            known = self._db.execute("SELECT hash FROM replies").fetchall()
            loose = [row for row in known if row[0] not in wanted]
            self._db.executemany("DELETE FROM replies WHERE hash = ?", loose)
        return len(loose)


@contextmanager
def replies_in(file: Path | None) -> Iterator[Replies]:
    """A cache of replies outside a store; in memory if there is no file.

    Raises StoreDamaged if the file is not such a cache.
    """
    db = sqlite3.connect(file or ":memory:", isolation_level=None)
    try:
        try:
            db.execute(
                "CREATE TABLE IF NOT EXISTS replies (hash BLOB PRIMARY KEY, data BLOB NOT NULL)"
                " WITHOUT ROWID"
            )
        except sqlite3.DatabaseError as error:
            if file and isinstance(error, sqlite3.OperationalError):  # no space, no permission
                raise damaged(file, error) from error
            raise StoreDamaged(
                f"{file} cannot be used: {error}",
                "delete it; it is only a cache of language model replies",
            ) from error
        yield Replies(db, counting=False)
    finally:
        db.close()


class Remembering:
    """A ``Completer`` that saves each reply at once and reuses it for an equal prompt.

    ``calls`` and ``tokens`` (of prompts and replies) count only calls of the model itself. A reply
    that is only begun when the time is up is saved as well, and the next call goes on with it.
    """

    def __init__(self, model: Completer, replies: Replies) -> None:
        self._model = model
        self._replies = replies
        self.parameters, self.context = model.parameters, model.context
        self.fingerprint = model.fingerprint
        self.calls = 0
        self.tokens = 0

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        """Cached replies as soon as their prompts come, the others as the model returns them (see
        ``Completer``)."""
        numbered = enumerate(prompts)
        first: list[tuple[int, Prompt]] = []
        for i, prompt in numbered:
            kept = self._replies.get(self._key(prompt))
            if kept is None or kept.finish == "begun":
                first = [(i, prompt)]
                break
            yield i, kept
        yield from self._asked(chain(first, numbered), watch)

    def _asked(
        self, numbered: Iterable[tuple[int, Prompt]], watch: Watch | None
    ) -> Iterator[tuple[int, Completion]]:
        """Replies to prompts with their positions, of which the first has none yet."""
        known: list[tuple[int, Completion]] = []
        positions: list[tuple[int, bytes]] = []
        doubles: dict[bytes, list[int]] = {}

        def unknown() -> Iterator[Prompt]:
            for i, prompt in numbered:
                key = self._key(prompt)
                if key in doubles:
                    doubles[key].append(i)
                    continue
                kept = self._replies.get(key)
                if kept is not None and kept.finish != "begun":
                    known.append((i, kept))
                else:
                    doubles[key] = []
                    positions.append((i, key))
                    yield replace(prompt, begun=kept.ids) if kept else prompt

        for at, completion in self._model.complete(unknown(), watch):
            i, key = positions[at]
            self._replies.keep(key, completion)
            if completion.finish == "begun":
                continue
            self.calls += 1
            self.tokens += completion.prompt_tokens + completion.tokens
            yield i, completion
            for double in doubles.pop(key):
                yield double, completion
            while known:
                yield known.pop()
        yield from known
        assert not doubles or (watch and watch.over), "the model left a prompt unanswered"

    def _key(self, prompt: Prompt) -> bytes:
        parts = (
            self.fingerprint,
            prompt.system,
            prompt.user,
            str(prompt.max_tokens),
            prompt.grammar,
        )
        return blake2b("\0".join(parts).encode(), digest_size=16).digest()


class Recalling(Remembering):
    """Answers from cached replies only, and records which of them are used."""

    def __init__(self, model: Completer, replies: Replies) -> None:
        super().__init__(model, replies)
        self._wanted: set[bytes] = set()

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        """The cached replies; prompts without one are skipped."""
        for i, prompt in enumerate(prompts):
            key = self._key(prompt)
            if (kept := self._replies.get(key)) is not None:
                self._wanted.add(key)
                if kept.finish != "begun":
                    yield i, kept

    def forget_others(self) -> int:
        """Delete unused replies; returns how many there were."""
        return self._replies.forget_all_but(self._wanted)
