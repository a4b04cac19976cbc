"""How fast replies are written: our engine against llama-cpp-python's own loop.

    RAGCLI_DATA=/data python bench/llm.py [--chunks 100] [--widths 1,4,8] [--llm FILE]
        [--peer] [--peer-plain] [--unified] [--full]
    python bench/llm.py --made        # a made-up model: 0.5 billion weights, 151,936 tokens
    python bench/llm.py --json [--busy]    # the last width, the peer and bare decoding

Chunks of the novels in $RAGCLI_DATA/novels are asked for their names and how they belong
together, as JSON under a grammar, the instructions being the same for all. ``--peer`` gives the
same tokens, grammar and threads to ``Llama.create_completion``, which keeps the common beginning
as well; ``--peer-plain`` forbids it the kernels for AMX, which crash as many install it. Speed is
(tokens of prompts + tokens of replies) per second of processor time, which other programs on the
machine hardly change when there is one thread; the wall time stands beside it. Replies that go in
circles are not cut, as the other engine would not: both write the same tokens. "in decode": the
share of that time spent in llama.cpp's ``llama_decode``, the bare limit.

``--json`` ends with a line of JSON: tokens a second of ours, of llama-cpp-python's loop and of bare
``llama_decode`` on the very same batches, ``ratio`` (ours to llama-cpp-python's) and ``bare_ratio``
(ours to the bare one). They are of processor time with one thread, and of wall time with several.
``--busy`` also lets one program keep a processor busy and compares all threads with a single one,
in turns: ``busy_ratio`` is the speed with all of them by that with one, in wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, cast

import numpy as np
from made_model import make_model

from ragcli.models.completion import Prompt
from ragcli.models.cpu import usable_cpus
from ragcli.models.llm import Llm, engine, reply
from ragcli.models.llm.amx import amx_works, has_amx
from ragcli.models.llm.sampling import Follower
from ragcli.models.llm.session import LlamaSession
from ragcli.models.locate import llm_file

SYSTEM = """You read a passage of a book and write down what it tells of people, places and things.
Reply with one JSON object and nothing else. It has two lists.
"entities": every person, place, organisation, event or thing that the passage names. Give each its
name as the passage writes it, in full, without titles or articles; its type, one of person, place,
organisation, event, thing; and a description of at most twelve words that says what the passage
tells of it, and nothing that you know from elsewhere.
"relations": every pair of those entities that the passage connects. Give the name of the one and
the name of the other as they stand in the first list, and a label of at most six words that says
how they belong together: "is the sister of", "travels to", "owns", "is afraid of".
Leave out what is only hinted at. Leave out pronouns and words for kinds of people, such as "the
man" or "a sailor", unless the passage uses them as a name. Write each entity once, even when the
passage has several names for it; then take the fullest. When the passage names nobody and nothing,
both lists are empty. Do not repeat yourself, do not explain, do not count."""
GRAMMAR = r"""
root ::= "{\"entities\": [" entities? "], \"relations\": [" relations? "]}"
entities ::= entity (", " entity){0,5}
relations ::= relation (", " relation){0,3}
entity ::= "{\"name\": " name ", \"type\": " type ", \"description\": " text "}"
relation ::= "{\"source\": " name ", \"target\": " name ", \"label\": " name "}"
type ::= "\"person\"" | "\"place\"" | "\"organisation\"" | "\"event\"" | "\"thing\""
name ::= "\"" [^"\\\x00-\x1F]{1,40} "\""
text ::= "\"" [^"\\\x00-\x1F]{1,90} "\""
"""
ANYTHING = r"root ::= [^\x00]{1,2000}"


def passages(count: int, words: int) -> list[str]:
    """The first ``count`` stretches of ``words`` words of a novel."""
    folder = Path(os.environ["RAGCLI_DATA"]) / "novels"
    text = sorted(folder.glob("*.txt"))[0].read_text(encoding="utf-8", errors="replace").split()
    return [" ".join(text[i * words : (i + 1) * words]) for i in range(1, count + 1)]


class Clock:
    """Wall and processor seconds."""

    def __init__(self) -> None:
        self.start = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """Since the start."""
        return time.perf_counter() - self.start[0], time.process_time() - self.start[1]


@contextmanager
def patched(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Put ``value`` in the place of an attribute inside."""
    usual = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, usual)


def filter_all(self: Follower, logits: np.ndarray) -> int:
    """What the check of the likeliest token replaces: filter the vocabulary at every step."""
    allowed = self._allowed(self._all, logits)
    token = int(allowed[np.argmax(logits[allowed])])
    self._lib.llama_sampler_accept(self._sampler, token)
    return token


def ours(
    model: Llm, prompts: list[Prompt], **changes: Any
) -> tuple[list[str], int, tuple[float, float], float]:
    """Replies, tokens of prompts and replies, seconds, processor seconds inside llama_decode."""
    inside = 0.0
    usual = LlamaSession._decode

    def timed(self: LlamaSession, count: int) -> None:
        nonlocal inside
        begun = time.process_time()
        usual(self, count)
        inside += time.process_time() - begun

    model._forget()
    with (
        patched(LlamaSession, "_decode", timed),
        patched(model, "width", changes["width"]),
        patched(reply, "says_thrice", lambda _text: False),
    ):
        clock = Clock()
        replies = dict(model.complete(prompts))
        seconds = clock.read()
    tokens = sum(r.prompt_tokens + r.tokens for r in replies.values())
    return [replies[i].text for i in range(len(prompts))], tokens, seconds, inside


def peers(
    model: Llm, prompts: list[Prompt], threads: int, extra: bool
) -> tuple[list[str], tuple[float, float]]:
    """The same tokens through llama-cpp-python's own loop; ``extra``: with the kernels that lay
    the weights out anew (AMX and others), where they do not crash."""
    import llama_cpp
    from llama_cpp.llama_grammar import LlamaGrammar

    usual: Callable[[], Any] = llama_cpp.llama_cpp.llama_model_default_params

    def plain() -> Any:
        parameters = usual()
        parameters.use_extra_bufts = extra
        return parameters

    with patched(llama_cpp.llama_cpp, "llama_model_default_params", plain):
        peer = llama_cpp.Llama(
            str(model.path),
            n_ctx=2048,
            n_threads=threads,
            n_threads_batch=threads,
            seed=0,
            verbose=False,
        )
    tokens = [model._template.head(p.system) + model._template.tail(p.user) for p in prompts]
    clock = Clock()
    replies = []
    for prompt, each in zip(prompts, tokens, strict=True):
        grammar = LlamaGrammar.from_string(prompt.grammar)
        done = peer.create_completion(
            each, max_tokens=prompt.max_tokens, temperature=0.0, grammar=grammar, seed=0
        )
        assert isinstance(done, dict), "without streaming there is one response"
        replies.append(done["choices"][0]["text"])
    seconds = clock.read()
    peer.close()
    return replies, seconds


class Tape:
    """The batches of a run, to be decoded again with nothing in between."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.width = self.room = 0

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Note what sessions are asked for inside."""
        with (
            patched(LlamaSession, "read", self._noting("read", LlamaSession.read)),
            patched(LlamaSession, "step", self._noting("step", LlamaSession.step)),
        ):
            yield

    def _noting(self, name: str, usual: Callable[..., Any]) -> Callable[..., Any]:
        def noted(session: LlamaSession, *args: Any) -> Any:
            self.width, self.room = session.width, session.room
            self.calls.append((name, args))
            return usual(session, *args)

        return noted

    def play(self, model: Llm, threads: int) -> tuple[float, float]:
        """Wall and processor seconds that ``llama_decode`` takes for the same batches."""
        inside = [0.0, 0.0]
        usual = LlamaSession._decode

        def timed(self: LlamaSession, count: int) -> None:
            clock = Clock()
            usual(self, count)
            for at, seconds in enumerate(clock.read()):
                inside[at] += seconds

        session = LlamaSession(model._model, self.width, self.room, threads)
        with patched(LlamaSession, "_decode", timed):
            for name, args in self.calls:
                getattr(session, name)(*args)
        session.close()
        return inside[0], inside[1]


def hold(model: Llm, prompts: list[Prompt], options: argparse.Namespace) -> dict[str, Any]:
    """Ours, the peer and bare decoding, once each: the object that ``--json`` prints."""
    width, threads = options.widths[-1], options.threads
    tape = Tape()
    with tape.recording():
        replies, tokens, seconds, _ = ours(model, prompts, width=width)
    show(f"{width} at once", tokens, seconds)
    bare = tape.play(model, threads)
    show("bare llama_decode, same batches", tokens, bare)
    theirs, peer = peers(model, prompts, threads, not has_amx() or amx_works())
    same = sum(a == b for a, b in zip(theirs, replies, strict=True))
    show("llama-cpp-python, our kernels", tokens, peer, f"{same} the same")
    at = 1 if threads == 1 else 0
    return {
        "model": model.path.name,
        "prompts": len(prompts),
        "tokens": tokens,
        "width": width,
        "threads": threads,
        "time": "processor" if at else "wall",
        "ours": round(tokens / seconds[at], 1),
        "peer": round(tokens / peer[at], 1),
        "bare": round(tokens / bare[at], 1),
        "same_replies": same,
        "bare_ratio": round(bare[at] / seconds[at], 3),
        "ratio": round(peer[at] / seconds[at], 3),
    }


@contextmanager
def busy() -> Iterator[None]:
    """Another program that keeps one processor busy."""
    program = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        program.kill()
        program.wait()


def beside(path: Path, prompts: list[Prompt], width: int) -> float:
    """Median speed with all threads by that with one, in three turns beside a busy program."""
    speeds: dict[int, list[float]] = {1: [], usable_cpus(): []}
    with busy():
        for _ in range(3):
            for threads, found in speeds.items():
                model = Llm(path, threads=threads)
                _, tokens, seconds, _ = ours(model, prompts, width=width)
                show(f"{threads} threads beside a busy program", tokens, seconds)
                found.append(tokens / seconds[0])
                model.close()
    return median(speeds[usable_cpus()]) / median(speeds[1])


def show(name: str, tokens: int, seconds: tuple[float, float], rest: str = "") -> None:
    """One line of the table."""
    wall, processor = seconds
    print(f"{name:34}{tokens / processor:7.1f} t/cpu-s{processor:8.1f} cpu-s{wall:8.1f} s  {rest}")


def compare(model: Llm, prompts: list[Prompt], options: argparse.Namespace) -> None:
    """Every setting, then the peer."""
    first: list[str] = []
    for width in options.widths:
        settings: list[tuple[str, dict[str, bool]]] = [("split memory", {})]
        if options.unified and width > 1:
            settings.append(("one memory", {"unified": True}))
        for name, extra in settings:
            with patched(engine, "LlamaSession", partial(LlamaSession, **cast(Any, extra))):
                replies, tokens, seconds, inside = ours(model, prompts, width=width)
            first = first or replies
            same = sum(a == b for a, b in zip(first, replies, strict=True))
            rest = f"{inside / seconds[1]:.0%} in decode, {same} of {len(prompts)} as the first"
            show(f"{width} at once, {name}", tokens, seconds, rest)
    if options.full:
        with patched(Follower, "pick", filter_all):
            replies, tokens, seconds, inside = ours(model, prompts, width=options.widths[-1])
        same = sum(a == b for a, b in zip(first, replies, strict=True))
        rest = f"{inside / seconds[1]:.0%} in decode, {same} as the first"
        show(f"{options.widths[-1]} at once, filter all", tokens, seconds, rest)
    usual = not has_amx() or amx_works()
    asked = [usual] * options.peer + [False] * options.peer_plain
    for amx in asked:
        replies, seconds = peers(model, prompts, options.threads, amx)
        same = sum(a == b for a, b in zip(first, replies, strict=True))
        kernels = "our kernels" if amx == usual else "plain kernels"
        show(f"llama-cpp-python, {kernels}", tokens, seconds, f"{same} as the first")


def main() -> None:
    """Read the options and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--chunks", type=int, default=100)
    parser.add_argument("--words", type=int, default=150, help="of a chunk")
    parser.add_argument("--tokens", type=int, default=96, help="of a reply at most")
    parser.add_argument("--widths", default="1,2,4,8,16")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--llm", default="auto", help="a GGUF file")
    parser.add_argument("--made", action="store_true", help="a made-up 0.5B model")
    for name in ("unified", "full", "peer", "peer-plain", "json", "busy"):
        parser.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args()
    options.widths = [int(width) for width in options.widths.split(",")]
    file = llm_file(options.llm)
    assert file is not None, "no language model is installed"
    with tempfile.TemporaryDirectory() as folder:
        if options.made:
            file = make_model(file, Path(folder) / "made.gguf")
        model = Llm(file, threads=options.threads)
        # A made-up model says what no grammar expects, so its grammar lets through anything.
        grammar = ANYTHING if options.made else GRAMMAR
        prompts = [
            Prompt(SYSTEM, text, options.tokens, grammar)
            for text in passages(options.chunks, options.words)
        ]
        print(
            f"{file.name}, {len(prompts)} chunks of {options.words} words, "
            f"{options.threads} threads, {len(model._template.head(SYSTEM))} tokens in common"
        )
        found = hold(model, prompts, options) if options.json else {}
        if not options.json:
            compare(model, prompts, options)
        model.close()
        if options.busy:
            found["busy_ratio"] = round(beside(file, prompts, options.widths[-1]), 3)
        if found:
            print(json.dumps(found))


if __name__ == "__main__":
    main()
