"""How long a written answer takes, and what it spends the time on.

    python bench/answer_time.py STORE QUESTIONS.jsonl --llm FILE [--threads 1] [--most 5]

All questions are asked in one process, as in a conversation. For each: the tokens of the prompt
that every question shares and of the rest, the tokens of the reply, processor seconds (which other
programs change less than the wall time) of finding and reading, of the model's reading, and of its
writing; and the wall seconds until the first sentence is printed and until the end. The last line
is one JSON object with the means. Written up in docs/adr/llm-answers.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import orjson
from answer_cases import read_lines
from measure import table

from ragcli.asking.ask import ask_in, opened
from ragcli.config import Settings
from ragcli.models.llm.session import LlamaSession
from ragcli.stage_timer import StageTimer
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import silent


class Meter:
    """Counts the tokens that the model is given, and the processor seconds that they take."""

    def __init__(self) -> None:
        self.feed, self.step = LlamaSession.feed, LlamaSession.step
        self.kept = self.read = self.written = 0
        self.reading = self.writing = 0.0

    def __enter__(self) -> Meter:
        meter = self

        def feed(
            session: LlamaSession,
            at: int,
            start: int,
            tokens: Sequence[int],
            *,
            every: bool = False,
        ) -> int:
            begun = time.process_time()
            last = meter.feed(session, at, start, tokens, every=every)
            meter.reading += time.process_time() - begun
            meter.read += len(tokens)
            meter.kept = start or len(tokens)
            return last

        def step(session: LlamaSession, entries: Sequence[tuple[int, int, int]]) -> None:
            begun = time.process_time()
            meter.step(session, entries)
            meter.writing += time.process_time() - begun
            meter.written += len(entries)

        setattr(LlamaSession, "feed", feed)  # noqa: B010 - a method is patched, and mypy knows
        setattr(LlamaSession, "step", step)  # noqa: B010
        return self

    def __exit__(self, *_error: object) -> None:
        setattr(LlamaSession, "feed", self.feed)  # noqa: B010
        setattr(LlamaSession, "step", self.step)  # noqa: B010


class First:
    """Notes when the first text came, 0.0 if none has."""

    at = 0.0

    def __call__(self, _text: str) -> None:
        self.at = self.at or time.perf_counter()


def main() -> None:
    """Ask the questions and print what each took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--llm", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=int, default=5)
    parser.add_argument("--excerpt", type=int, default=Settings().llm_excerpt)
    args = parser.parse_args()
    settings = Settings(
        answer="llm", llm=args.llm, llm_threads=args.threads, llm_excerpt=args.excerpt
    )
    rows = list[dict[str, float]]()
    with opened(args.store, settings, silent, StageTimer()) as (index, helpers):
        for record in read_lines(args.questions)[: args.most]:
            first = First()
            wall, processor = time.perf_counter(), time.process_time()
            with Meter() as meter:
                ask_in(index, AskedQuestion(record["question"]), settings, helpers, on_text=first)
            spent = time.process_time() - processor
            rows.append(
                {
                    "shared tokens": meter.kept,
                    "tokens read": meter.read,
                    "tokens written": meter.written,
                    "finding, cpu s": spent - meter.reading - meter.writing,
                    "reading, cpu s": meter.reading,
                    "writing, cpu s": meter.writing,
                    "first sentence, s": (first.at or time.perf_counter()) - wall,
                    "whole, s": time.perf_counter() - wall,
                }
            )
            print(record["question"][:70], flush=True)
    table(list(rows[0]), [[f"{value:.1f}" for value in row.values()] for row in rows])
    means = {key: round(sum(row[key] for row in rows) / len(rows), 2) for key in rows[0]}
    means["read per cpu s"] = round(means["tokens read"] / means["reading, cpu s"], 1)
    means["written per cpu s"] = round(means["tokens written"] / means["writing, cpu s"], 1)
    print(orjson.dumps(means).decode())


if __name__ == "__main__":
    main()
