"""Replies that are kept: complete ones are final, begun ones are continued."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from scripted import Scripted

from ragcli.models.completion import Completion, Prompt, Watch
from ragcli.store.replies import Recalling, Remembering, replies_in


class Interrupted(Scripted):
    """Writes two words at most while the time is up."""

    def complete(
        self, prompts: Iterable[Prompt], watch: Watch | None = None
    ) -> Iterator[tuple[int, Completion]]:
        for at, prompt in enumerate(prompts):
            self.asked.append(prompt)
            if watch and watch.over:
                ids = (*prompt.begun, 7, 8)
                yield at, Completion("two more", "begun", 5, len(ids), ids)
            else:
                yield at, Completion("whole", "stop", 5, len(prompt.begun) + 1)


def test_a_begun_reply_is_kept_and_continued() -> None:
    """It is nobody's answer until it is complete, and then it takes the place of its beginning."""
    model, prompt = Interrupted(""), Prompt("s", "u", 9)
    late = Watch(deadline=time.monotonic())
    with replies_in(None) as replies:
        remembering = Remembering(model, replies)
        for _ in range(2):
            assert list(remembering.complete([prompt], late)) == []
        assert remembering.calls == 0
        assert list(Recalling(model, replies).complete([prompt])) == []
        ((at, reply),) = remembering.complete([prompt, prompt][:1])
        assert (at, reply.text, reply.finish, reply.tokens) == (0, "whole", "stop", 5)
        assert [asked.begun for asked in model.asked] == [(), (7, 8), (7, 8, 7, 8)]
        assert remembering.calls == 1 and remembering.tokens == 10
        assert list(remembering.complete([prompt])) == [(0, reply)]
        assert len(model.asked) == 3, "a complete reply is not asked for again"


def test_kept_replies_come_before_the_model_is_asked() -> None:
    """A slow one takes minutes for the next; a prompt that comes twice is asked once."""
    model = Interrupted("")
    old, new = [Prompt("s", f"old {i}", 9) for i in range(2)], Prompt("s", "new", 9)
    with replies_in(None) as replies:
        remembering = Remembering(model, replies)
        list(remembering.complete(old))
        asked = len(model.asked)
        coming = remembering.complete([*old, new, old[0], new])
        assert [next(coming)[0], next(coming)[0], len(model.asked)] == [0, 1, asked]
        assert sorted(at for at, _ in coming) == [2, 3, 4]
        assert [prompt.user for prompt in model.asked[asked:]] == ["new"]


def test_a_begun_reply_is_not_swept_away() -> None:
    """A prompt that the store still has goes on with it."""
    model, prompt = Interrupted(""), Prompt("s", "u", 9)
    with replies_in(None) as replies:
        list(Remembering(model, replies).complete([prompt], Watch(deadline=time.monotonic())))
        recalling = Recalling(model, replies)
        list(recalling.complete([prompt]))
        assert recalling.forget_others() == 0
        assert Recalling(model, replies).forget_others() == 1
