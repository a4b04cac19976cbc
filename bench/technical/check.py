"""Does every quote of ``questions.jsonl`` stand in its document, and every answer beside it?

    python bench/technical/check.py FOLDER

``FOLDER`` is what ``collect.py`` filled. A newer version of a package may have moved or changed a
line: what is off is named, and the exit code is 1.
"""

from __future__ import annotations

import json
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragcli.corpus.read import read
from ragcli.corpus.scan import scan
from ragcli.evaluate.text_metrics import squad_normalise
from ragcli.types import Skipped

QUESTIONS = Path(__file__).parent / "questions.jsonl"
BESIDE = 300
"""Characters before and after a quote in which its answer must stand."""


def questions(path: Path = QUESTIONS) -> list[dict[str, Any]]:
    """Read the questions."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def texts(folder: Path) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Read every document as ragcli does: its text and where its lines begin."""
    return {
        document.id: (document.text, document.line_starts)
        for source in scan([folder]).sources
        for document in read(source)
        if not isinstance(document, Skipped)
    }


def held(text: str, answers: list[str]) -> bool:
    """Tell whether one of the answers stands in the text, as whole words."""
    words = f" {squad_normalise(text)} "
    return any(f" {squad_normalise(answer)} " in words for answer in answers)


def faults(asked: dict[str, Any], found: dict[str, tuple[str, tuple[int, ...]]]) -> Iterator[str]:
    """Yield what is wrong with one question's evidence."""
    beside = ""
    for evidence in asked.get("evidence", []):
        doc, quote = evidence["doc"], evidence["quote"]
        if doc not in found:
            yield f"no document {doc}"
            continue
        text, starts = found[doc]
        first = evidence["line"] - 1
        at = text.find(quote, starts[first]) if first < len(starts) else -1
        if at < 0 or bisect_right(starts, at) - 1 != first:
            lines = [
                n for n, start in enumerate(starts, 1) if text.startswith(quote, start)
            ] or "no line"
            yield f"{doc}: not on line {first + 1} but {lines}: {quote!r}"
            continue
        beside += f"\n{text[max(0, at - BESIDE) : at + len(quote) + BESIDE]}"
    if "answer" in asked and not held(beside, asked["answer"]):
        yield f"no answer beside its quote: {asked['answer']}"


def main() -> int:
    """Check all questions."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 0 if len(sys.argv) == 1 else 2
    found, wrong = texts(Path(sys.argv[1])), 0
    asked = questions()
    for one in asked:
        for fault in faults(one, found):
            print(f"{one['id']}: {fault}")
            wrong += 1
    kinds = Counter(one["type"] for one in asked)
    print(f"{len(asked)} questions over {len(found)} documents, {wrong} faults")
    print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
