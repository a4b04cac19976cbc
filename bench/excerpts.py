"""What is lost when a model reads only the best sentences of a context?

    RAGCLI_DATA=/path/to/data python bench/excerpts.py STORE QUESTIONS.jsonl [--every N]

For each question whose answer stands in the context of ``ask``: does it still stand in the excerpts
of so many tokens (``ragcli.answer.excerpt``)? Written up in docs/adr/llm-answers.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from answer_cases import as_list, holds, read_lines
from measure import table

from ragcli.answer.choose import TUNING
from ragcli.answer.excerpt import excerpts
from ragcli.answer.short import find
from ragcli.answer.view import look
from ragcli.asking.ask import ask_in, opened, token_counter
from ragcli.config import Settings
from ragcli.models.open_reader import open_reader
from ragcli.stage_timer import StageTimer
from ragcli.text.asked_question import AskedQuestion
from ragcli.types import silent

ROOMS = (200, 300, 400, 500, 700)


def main() -> None:
    """Print how many contexts hold the answer, whole and as excerpts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    settings = Settings(answer="none")
    count = token_counter(settings)
    held: dict[str, list[bool]] = {}
    sizes: dict[str, list[int]] = {}
    with opened(args.store, settings, silent, StageTimer()) as (index, helpers):
        for record in read_lines(args.questions)[:: args.every]:
            answers = as_list(record["answer"])
            if answers[0].casefold() in ("yes", "no"):
                continue
            result = ask_in(index, AskedQuestion(record["question"]), settings, helpers)
            context, names = result.context, result.retrieval.names
            whole = "\n".join(part.text for part in context.parts)
            texts = {"whole": whole}
            view = look(
                AskedQuestion(record["question"]),
                context,
                encode=helpers.encode,
                entities=names,
                pool=TUNING.pool,
            )
            found = find(AskedQuestion(record["question"]), context, view, open_reader())
            best = found.sentences if found else []
            for room in ROOMS:
                parts = excerpts(view, best, room, count)
                texts[str(room)] = "\n".join(f"{part.title}\n{part.text}" for part in parts)
            for key, text in texts.items():
                held.setdefault(key, []).append(holds(text, answers))
                sizes.setdefault(key, []).append(count(text))
    rows = [
        [key, str(len(right)), str(sum(right)), str(round(sum(sizes[key]) / len(right)))]
        for key, right in held.items()
    ]
    table(["tokens", "questions", "hold the answer", "tokens on average"], rows)


if __name__ == "__main__":
    main()
